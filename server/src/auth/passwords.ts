import { randomBytes, scrypt, timingSafeEqual } from "node:crypto"
import { availableParallelism } from "node:os"
import { createSemaphore, type SlotRequest } from "../concurrency/semaphore.ts"
import type { Actor } from "../http/caller.ts"
import { networkOf } from "../http/client-address.ts"
import { signInsBusyFailure } from "./throttle.ts"

/** OWASP's scrypt setting of 32 MiB: N = 2^15, r = 8, p = 3. */
const productionCost = { logCost: 15, blockSize: 8, parallel: 3 }
const saltBytes = 16
const hashBytes = 32
/** Each derivation takes 32 MiB and a core; at least one core stays free for everything else. */
const derivationSemaphore = createSemaphore({
  maxConcurrent: Math.min(2, Math.max(1, availableParallelism() - 1)),
  queue: { maxWaiting: 1000, maxWaitingPerKey: 100, createBusyError: signInsBusyFailure },
})

/** scrypt's parameters; N is 2 to the power of `logCost`. */
export type PasswordCost = typeof productionCost

const deriveHash = (
  password: string,
  { salt, cost, origin }: { salt: Buffer; cost: PasswordCost; origin: SlotRequest },
): Promise<Buffer> =>
  derivationSemaphore.run(
    origin,
    () =>
      new Promise((resolve, reject) => {
        const options = {
          N: 2 ** cost.logCost,
          r: cost.blockSize,
          p: cost.parallel,
          maxmem: 2 ** cost.logCost * cost.blockSize * 128 * 2,
        }
        scrypt(password.normalize("NFC"), salt, hashBytes, options, (error, key) =>
          error ? reject(error) : resolve(key),
        )
      }),
  )

const encode = (bytes: Buffer): string => bytes.toString("base64").replaceAll("=", "")

const hashPattern = /^\$scrypt\$ln=(\d+),r=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/

/** @param cost for new hashes; stored hashes contain their own */
export const createPasswords = (cost: PasswordCost = productionCost) => ({
  /**
   * Returns a salted scrypt hash in PHC format: `$scrypt$ln=15,r=8,p=3$salt$hash`. Queues fairly by
   * user, or by network for sign-ups.
   */
  hash: async (password: string, { id, address }: Actor): Promise<string> => {
    const origin =
      id === null ? { kind: "sign-up", key: networkOf(address ?? "") } : { kind: "change", key: id }
    const salt = randomBytes(saltBytes)
    const hash = await deriveHash(password, { salt, cost, origin })
    const { logCost, blockSize, parallel } = cost
    return `$scrypt$ln=${logCost},r=${blockSize},p=${parallel}$${encode(salt)}$${encode(hash)}`
  },

  /** Compares in constant time. Without a stored hash, it takes equally long and returns false. */
  verify: async (
    password: string,
    stored: string | null,
    origin: SlotRequest,
  ): Promise<boolean> => {
    const match = stored === null ? null : hashPattern.exec(stored)
    if (!match) {
      await deriveHash(password, { salt: randomBytes(saltBytes), cost, origin })
      return false
    }
    const [, logCost, blockSize, parallel, salt = "", hash = ""] = match
    const derived = await deriveHash(password, {
      salt: Buffer.from(salt, "base64"),
      cost: {
        logCost: Number(logCost),
        blockSize: Number(blockSize),
        parallel: Number(parallel),
      },
      origin,
    })
    return timingSafeEqual(derived, Buffer.from(hash, "base64"))
  },
})

export type Passwords = ReturnType<typeof createPasswords>
