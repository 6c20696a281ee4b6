import { randomBytes, scrypt, timingSafeEqual } from "node:crypto"
import { availableParallelism } from "node:os"
import { createFairSemaphore, type Origin } from "../concurrency/fair-semaphore.ts"
import { networkOf } from "../http/address.ts"
import type { Actor } from "../http/caller.ts"
import { signInsBusy } from "./busy.ts"

/** OWASP's scrypt setting of 32 MiB: N = 2^15, r = 8, p = 3. */
const current = { logCost: 15, blockSize: 8, parallel: 3 }
const saltBytes = 16
const hashBytes = 32
/** Each derivation takes 32 MiB and a core; one core at least is left to everything else. */
const derivations = createFairSemaphore({
  atOnce: Math.min(2, Math.max(1, availableParallelism() - 1)),
  maxWaiting: { perKey: 100, total: 1000 },
  busy: signInsBusy,
})

type Setting = typeof current

const derive = (
  password: string,
  { salt, setting, origin }: { salt: Buffer; setting: Setting; origin: Origin },
): Promise<Buffer> =>
  derivations.run(
    origin,
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

const encode = (bytes: Buffer): string => bytes.toString("base64").replaceAll("=", "")

/** A salted scrypt hash in PHC form: `$scrypt$ln=15,r=8,p=3$salt$hash`. */
const hashPassword = async (password: string, origin: Origin): Promise<string> => {
  const salt = randomBytes(saltBytes)
  const hash = await derive(password, { salt, setting: current, origin })
  const { logCost, blockSize, parallel } = current
  return `$scrypt$ln=${logCost},r=${blockSize},p=${parallel}$${encode(salt)}$${encode(hash)}`
}

/** As `hashPassword`, in the turn of whoever asks for it; sign-ups come from strangers. */
export const hashFor = (password: string, { id, address }: Actor): Promise<string> =>
  hashPassword(
    password,
    id === null ? { kind: "sign-up", key: networkOf(address ?? "") } : { kind: "change", key: id },
  )

const form = /^\$scrypt\$ln=(\d+),r=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/

/** Compares in constant time. Without a hash it works as long and answers false. */
export const passwordMatches = async (
  password: string,
  stored: string | null,
  origin: Origin,
): Promise<boolean> => {
  const match = stored === null ? null : form.exec(stored)
  if (!match) {
    await derive(password, { salt: randomBytes(saltBytes), setting: current, origin })
    return false
  }
  const [, logCost, blockSize, parallel, salt = "", hash = ""] = match
  const setting = {
    logCost: Number(logCost),
    blockSize: Number(blockSize),
    parallel: Number(parallel),
  }
  const derived = await derive(password, {
    salt: Buffer.from(salt, "base64"),
    setting,
    origin,
  })
  return timingSafeEqual(derived, Buffer.from(hash, "base64"))
}
