import { randomBytes } from "node:crypto"
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs"
import { join } from "node:path"
import { databasePath } from "../db/sqlite-file.ts"

const syncFolder = (path: string): void => {
  const folder = openSync(path, "r")
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}

/** Writes a temporary file and renames it, so that a crash leaves a complete key or none. */
const createKey = (dataDir: string, path: string): string => {
  const key = randomBytes(32).toString("base64")
  const temporaryPath = `${path}.part`
  rmSync(temporaryPath, { force: true })
  const file = openSync(temporaryPath, "wx", 0o600)
  try {
    writeSync(file, `${key}\n`)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  renameSync(temporaryPath, path)
  syncFolder(dataDir)
  return key
}

export const keyFilePath = (dataDir: string): string => join(dataDir, "secret.key")

const missingKeyError = (path: string): Error =>
  new Error(
    `The key file ${path} is missing or empty, but the data folder contains data encrypted with it.\n` +
      "Restore it from a backup, or set SECRET_KEY if it was set before. If the key is lost, create a new one with\n" +
      `  openssl rand -base64 32 > ${path}\n` +
      'and see "SECRET_KEY" in docs/operations.md for what you need to re-enter.',
  )

/**
 * Reads the secret key from the data folder, or creates it at the first start. If the key is lost,
 * the stored credentials of connections cannot be decrypted and all sessions end.
 * @throws {Error} if the key is missing although the folder has a database
 */
export const readSecretKey = (dataDir: string): string => {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const path = keyFilePath(dataDir)
  const key = existsSync(path) ? readFileSync(path, "utf8").trim() : ""
  if (key !== "") return key
  // The key is created before the database, so existing data may be encrypted with a lost key.
  if (existsSync(databasePath(dataDir))) throw missingKeyError(path)
  return createKey(dataDir, path)
}
