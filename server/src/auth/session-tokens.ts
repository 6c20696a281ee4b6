import { jwtVerify, SignJWT } from "jose"

interface SessionClaims {
  user: string
  session: string
}

/** JSON Web Tokens (RFC 7519), HS256. Each refers to a session, which can be revoked. */
export const createSessionTokens = (key: Uint8Array) => ({
  sign: (
    { user, session }: SessionClaims,
    times: { issued: number; expires: number },
  ): Promise<string> =>
    new SignJWT()
      .setProtectedHeader({ alg: "HS256", typ: "JWT" })
      .setSubject(user)
      .setJti(session)
      .setIssuedAt(times.issued)
      .setExpirationTime(times.expires)
      .sign(key),

  /** @returns null if the token is malformed, forged, expired or uses another algorithm */
  verify: async (token: string): Promise<SessionClaims | null> => {
    try {
      const { payload } = await jwtVerify(token, key, { algorithms: ["HS256"] })
      return payload.sub && payload.jti ? { user: payload.sub, session: payload.jti } : null
    } catch {
      return null
    }
  },
})

export type SessionTokens = ReturnType<typeof createSessionTokens>
