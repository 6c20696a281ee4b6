import { type JWTVerifyGetKey, jwtVerify } from "jose"
import { z } from "zod"

const event = "http://schemas.openid.net/event/backchannel-logout"

/**
 * Only asymmetric algorithms, which the provider alone can sign with: no HMAC, and never `none`.
 */
const algorithms = [
  ...["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"],
  ...["ES256", "ES384", "ES512", "EdDSA", "Ed25519"],
]

const LogoutTokenClaims = z
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
  .refine(({ sub, sid }) => sub !== undefined || sid !== undefined, "requires a sub or a sid")

export interface LogoutClaims {
  issuer: string
  jti: string
  subject: string | null
  sid: string | null
  /** Time until which a replay must be rejected, in epoch seconds. */
  expires: number
}

/** Logout tokens are sent immediately; an older one may be a replay. */
const maxAgeSeconds = 300
const toleranceSeconds = 30

/**
 * Verifies a logout token (OpenID Connect Back-Channel Logout 1.0 §2.6), except for replay.
 * @throws if any check fails
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
    maxTokenAge: maxAgeSeconds,
    clockTolerance: toleranceSeconds,
  })
  const { typ } = protectedHeader
  // Other kinds of tokens from the same provider must not be accepted.
  if (typ !== undefined && !/^(application\/)?(logout\+)?jwt$/i.test(typ)) {
    throw new Error(`A token of type ${typ} is not a logout token`)
  }
  const { iss, iat, exp, jti, sub, sid } = LogoutTokenClaims.parse(payload)
  const latest = iat + maxAgeSeconds
  const expires = Math.min(exp ?? latest, latest) + toleranceSeconds
  return { issuer: iss, jti, subject: sub ?? null, sid: sid ?? null, expires }
}
