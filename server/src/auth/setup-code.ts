import { hash, timingSafeEqual } from "node:crypto"
import type { FailedAttemptRecorder } from "../audit/failed-attempt-recorder.ts"
import type { Config } from "../config/config.ts"
import { failInvalid } from "../errors.ts"
import { isLoopback } from "../http/loopback.ts"
import { type TranslatableMessage, translatable } from "../i18n/message.ts"
import type { Secrets } from "../secrets/secrets.ts"
import type { Users } from "../users/users.ts"
import type { SignInDevice } from "./sign-in-device.ts"
import type { SignInThrottle } from "./throttle.ts"

/** 32 characters, 5 bits each, without the ambiguous 0, O, 1 and I. */
const alphabet = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
/** 80 bits in total. */
const codeLength = 16
const groupSize = 4
/** Target of failed attempts, as there is no account yet. */
const throttleTarget = "(first account)"

const formatCode = (key: Buffer): string => {
  const letters = [...key.subarray(0, codeLength)].map((byte) => alphabet[byte % alphabet.length])
  const groups = Array.from({ length: codeLength / groupSize }, (_, group) =>
    letters.slice(group * groupSize, (group + 1) * groupSize).join(""),
  )
  return groups.join("-")
}

/** Dashes are optional, and case is ignored. */
const digestOf = (code: string): Buffer =>
  hash("sha256", code.toUpperCase().replace(/[^A-Z0-9]/g, ""), "buffer")

/** Whether the gateway is reachable from other machines, according to its configuration. */
const isPublished = ({ HOST, PUBLIC_URL }: Pick<Config, "HOST" | "PUBLIC_URL">): boolean =>
  !isLoopback(HOST) || (PUBLIC_URL !== undefined && !isLoopback(new URL(PUBLIC_URL).hostname))

const failSetupCode = (message: TranslatableMessage): never => failInvalid("setup_code", message)

interface Deps {
  config: Pick<Config, "HOST" | "PUBLIC_URL">
  secrets: Pick<Secrets, "setupKey">
  users: Pick<Users, "hasAny">
  throttle: SignInThrottle
  failures: FailedAttemptRecorder
}

/**
 * The code required for the first sign-up if others could reach the gateway before its operator
 * does. It is derived from SECRET_KEY, so all replicas print and accept the same one, and it is
 * useless once an account exists.
 */
export interface SetupCode {
  /** The currently required code, or null. */
  findRequired(): Promise<string | null>
  /** @throws {Failure} `invalid`, or `rate_limited` after too many failed attempts */
  verify(sent: string | undefined, device: SignInDevice): Promise<void>
}

export const createSetupCode = ({
  config,
  secrets,
  users,
  throttle,
  failures,
}: Deps): SetupCode => {
  const code = isPublished(config) ? formatCode(secrets.setupKey) : null

  const findRequired = async (): Promise<string | null> => ((await users.hasAny()) ? null : code)

  return {
    findRequired,

    verify: async (sent, { actor, address }) => {
      if (code === null) return
      if (!sent) failSetupCode(translatable("setup_code_required"))
      const isCorrect = await throttle.attempt({ account: throttleTarget, address }, async () =>
        timingSafeEqual(digestOf(sent ?? ""), digestOf(code)),
      )
      if (isCorrect) return
      const failure = { target: { type: "account", id: throttleTarget }, status: 422 }
      await failures.record({ actor, action: "auth.failed", ...failure })
      failSetupCode(translatable("setup_code_wrong"))
    },
  }
}
