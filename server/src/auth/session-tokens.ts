import { jwtVerify, SignJWT } from "jose"

interface Claims {
  user: string
  session: string
}

/** JSON Web Tokens, HS256 (RFC 7519); each names a session, which is what can be revoked. */
export const createTokens = (key: Uint8Array) => ({
  sign: ({ user, session }: Claims, times: { issued: number; expires: number }): Promise<string> =>
    new SignJWT()
      .setProtectedHeader({ alg: "HS256", typ: "JWT" })
      .setSubject(user)
      .setJti(session)
      .setIssuedAt(times.issued)
      .setExpirationTime(times.expires)
      .sign(key),

  /** @returns null for a token that is malformed, forged, expired or of another algorithm */
  verify: async (token: string): Promise<Claims | null> => {
    try {
      const { payload } = await jwtVerify(token, key, { algorithms: ["HS256"] })
      return payload.sub && payload.jti ? { user: payload.sub, session: payload.jti } : null
    } catch {
      return null
    }
  },
})

export type Tokens = ReturnType<typeof createTokens>
