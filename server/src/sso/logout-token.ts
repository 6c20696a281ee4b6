import { type JWTVerifyGetKey, jwtVerify } from "jose"
import { z } from "zod"

const event = "http://schemas.openid.net/event/backchannel-logout"

/** Only what the provider alone can sign: no HMAC, and never `none`. */
const algorithms = [
  ...["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"],
  ...["ES256", "ES384", "ES512", "EdDSA", "Ed25519"],
]

const Claims = z
  .object({
    iss: z.string(),
    iat: z.number(),
    exp: z.number().optional(),
    jti: z.string().min(1).max(1000),
    sub: z.string().max(255).optional(),
    sid: z.string().max(1000).optional(),
    events: z.object({ [event]: z.looseObject({}) }),
    nonce: z.undefined().optional(),
  })
  .refine(({ sub, sid }) => sub !== undefined || sid !== undefined, "needs a sub or a sid")

export interface LogoutClaims {
  issuer: string
  jti: string
  subject: string | null
  sid: string | null
  /** Until when it could come again, in epoch seconds. */
  expires: number
}

/** Logout tokens are sent at once; an older one was kept by somebody. */
const oldestSeconds = 300
const toleranceSeconds = 30

/**
 * Checks a logout token (OpenID Connect Back-Channel Logout 1.0 §2.6) but for its replay.
 * @throws when anything about it is wrong
 */
export const verifyLogoutToken = async (
  token: string,
  keys: JWTVerifyGetKey,
  { issuer, audience }: { issuer: string; audience: string },
): Promise<LogoutClaims> => {
  const { payload, protectedHeader } = await jwtVerify(token, keys, {
    issuer,
    audience,
    algorithms,
    maxTokenAge: oldestSeconds,
    clockTolerance: toleranceSeconds,
  })
  const { typ } = protectedHeader
  // Another kind of token of the same provider must not pass for one of these.
  if (typ !== undefined && !/^(application\/)?(logout\+)?jwt$/i.test(typ)) {
    throw new Error(`a token of type ${typ} is no logout token`)
  }
  const { iss, iat, exp, jti, sub, sid } = Claims.parse(payload)
  const latest = iat + oldestSeconds
  const expires = Math.min(exp ?? latest, latest) + toleranceSeconds
  return { issuer: iss, jti, subject: sub ?? null, sid: sid ?? null, expires }
}
