import { hash, timingSafeEqual } from "node:crypto"
import type { FailedAttemptRecorder } from "../audit/failed-attempt-recorder.ts"
import { Failure, fail } from "../errors.ts"
import type { Actor } from "../http/caller.ts"
import { createCidrMatcher } from "../http/client-address.ts"
import type { RequestContext } from "../http/request-context.ts"
import type { AdmitProvisioner } from "../http/router.ts"
import { createRateLimit, type ScimRates } from "./rate-limit.ts"

export interface ScimAuthSettings {
  SCIM_ENABLED: boolean
  SCIM_TOKEN?: string | undefined
  SCIM_TOKEN_PREVIOUS?: string | undefined
  SCIM_ALLOWED_CIDRS: readonly string[]
  SCIM_RATE_LIMIT: ScimRates | null
}

interface ScimToken {
  /** Identifies the token in the audit log: the first 12 hex digits of its SHA-256. */
  id: string
  digest: Buffer
}

export const minTokenLength = 32

const hashToken = (secret: string): ScimToken => {
  const digest = Buffer.from(hash("sha256", secret), "hex")
  return { id: digest.toString("hex").slice(0, 12), digest }
}

export const scimTokenId = (secret: string): string => hashToken(secret).id

/** One message for every cause, so that it reveals nothing about the tokens. */
const unauthorized = (): Failure =>
  new Failure(
    "unauthorized",
    "Missing or invalid SCIM token. Send Authorization: Bearer <SCIM_TOKEN>.",
  )

const rejectIfMatch = ({ incoming }: RequestContext): void => {
  const ifMatch = incoming.headers["if-match"]
  if (ifMatch === undefined || ifMatch.trim() === "*") return
  fail("precondition_failed", "ETags are not supported. Omit If-Match or send *.")
}

/** Authenticates the identity provider by token, address range, and rate limit. */
export const createScimAuthenticator = (
  settings: ScimAuthSettings,
  failures: FailedAttemptRecorder,
): AdmitProvisioner => {
  const { SCIM_ENABLED, SCIM_TOKEN, SCIM_TOKEN_PREVIOUS, SCIM_ALLOWED_CIDRS } = settings
  const secrets = SCIM_ENABLED ? [SCIM_TOKEN, SCIM_TOKEN_PREVIOUS] : []
  const tokens = secrets.filter((secret) => secret !== undefined).map(hashToken)
  const inRange = createCidrMatcher(SCIM_ALLOWED_CIDRS)
  const rates = createRateLimit(settings.SCIM_RATE_LIMIT)

  /**
   * Compares with every token in constant time, so that timing does not reveal which one matched.
   */
  const findMatchingToken = (context: RequestContext): ScimToken | undefined => {
    const { authorization = "" } = context.incoming.headers
    const sent = hashToken(/^bearer +(\S+)\s*$/i.exec(authorization)?.[1] ?? "")
    return tokens.filter(({ digest }) => timingSafeEqual(digest, sent.digest))[0]
  }

  const check = (context: RequestContext): ScimToken => {
    if (SCIM_ENABLED && SCIM_ALLOWED_CIDRS.length > 0 && !inRange(context.address)) {
      fail("forbidden", `SCIM access is not allowed from ${context.address} (SCIM_ALLOWED_CIDRS).`)
    }
    const token = findMatchingToken(context)
    if (!token) {
      // While SCIM is disabled there is no token to guess, so failures are not rate limited.
      if (SCIM_ENABLED) rates.recordRefusal(context.address)
      throw unauthorized()
    }
    rates.admit(context.incoming)
    rejectIfMatch(context)
    return token
  }

  return async (context) => {
    const clientContext = {
      key_id: null,
      address: context.address,
      request_id: context.requestId,
    }
    try {
      const { id } = check(context)
      return { type: "scim", id, ...clientContext }
    } catch (error) {
      const actor: Actor = { type: "anonymous", id: null, ...clientContext }
      const status = error instanceof Failure ? error.status : 500
      const target = { type: "scim", id: String(status) }
      await failures.recordInBackground({ actor, action: "auth.failed", target, status })
      throw error
    }
  }
}
