import { randomBytes, scrypt, timingSafeEqual } from "node:crypto"
import { availableParallelism } from "node:os"
import { createTurns } from "./turns.ts"

/** OWASP's scrypt setting of 32 MiB: N = 2^15, r = 8, p = 3. */
const current = { logCost: 15, blockSize: 8, parallel: 3 }
const saltBytes = 16
const hashBytes = 32
/** Each derivation takes 32 MiB and a core; one core at least is left to everything else. */
const turns = createTurns({
  atOnce: Math.min(2, Math.max(1, availableParallelism() - 1)),
  waiting: 500,
})

type Setting = typeof current

const derive = (password: string, salt: Buffer, setting: Setting): Promise<Buffer> =>
  turns.take(
    () =>
      new Promise((resolve, reject) => {
        const options = {
          N: 2 ** setting.logCost,
          r: setting.blockSize,
          p: setting.parallel,
          maxmem: 2 ** setting.logCost * setting.blockSize * 128 * 2,
        }
        scrypt(password.normalize("NFC"), salt, hashBytes, options, (error, key) =>
          error ? reject(error) : resolve(key),
        )
      }),
  )

const encode = (bytes: Buffer): string => bytes.toString("base64").replace(/=+$/, "")

/** A salted scrypt hash in PHC form: `$scrypt$ln=15,r=8,p=3$salt$hash`. */
export const hashPassword = async (password: string): Promise<string> => {
  const salt = randomBytes(saltBytes)
  const hash = await derive(password, salt, current)
  const { logCost, blockSize, parallel } = current
  return `$scrypt$ln=${logCost},r=${blockSize},p=${parallel}$${encode(salt)}$${encode(hash)}`
}

const form = /^\$scrypt\$ln=(\d+),r=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/

/** Compares in constant time. Without a hash it works as long and answers false. */
export const passwordMatches = async (
  password: string,
  stored: string | null,
): Promise<boolean> => {
  const match = stored === null ? null : form.exec(stored)
  if (!match) {
    await derive(password, randomBytes(saltBytes), current)
    return false
  }
  const [, logCost, blockSize, parallel, salt = "", hash = ""] = match
  const setting = {
    logCost: Number(logCost),
    blockSize: Number(blockSize),
    parallel: Number(parallel),
  }
  const derived = await derive(password, Buffer.from(salt, "base64"), setting)
  return timingSafeEqual(derived, Buffer.from(hash, "base64"))
}
