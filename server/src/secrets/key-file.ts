import { randomBytes } from "node:crypto"
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs"
import { join } from "node:path"

const sync = (path: string): void => {
  const folder = openSync(path, "r")
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}

/** Written beside and moved into place, so that a crash leaves a whole key or none. */
const create = (dataDir: string, path: string): string => {
  const key = randomBytes(32).toString("base64")
  const part = `${path}.part`
  rmSync(part, { force: true })
  const file = openSync(part, "wx", 0o600)
  try {
    writeSync(file, `${key}\n`)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  renameSync(part, path)
  sync(dataDir)
  return key
}

export const keyFile = (dataDir: string): string => join(dataDir, "secret.key")

/**
 * The key kept in the data folder, made at the first start. Whoever loses it loses the stored
 * credentials of connections, and everybody signs in anew.
 */
export const readSecretKey = (dataDir: string): string => {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const path = keyFile(dataDir)
  try {
    return readFileSync(path, "utf8").trim() || create(dataDir, path)
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") {
      return create(dataDir, path)
    }
    throw error
  }
}
