import { randomBytes } from "node:crypto"
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, writeSync } from "node:fs"
import { join } from "node:path"

const create = (path: string): string => {
  const key = randomBytes(32).toString("base64")
  const file = openSync(path, "wx", 0o600)
  try {
    writeSync(file, `${key}\n`)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  return key
}

/**
 * The key kept in the data folder, made at the first start. Whoever loses it loses the stored
 * credentials of connections, and everybody signs in anew.
 */
export const readSecretKey = (dataDir: string): string => {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const path = join(dataDir, "secret.key")
  try {
    return readFileSync(path, "utf8").trim() || create(path)
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return create(path)
    throw error
  }
}
