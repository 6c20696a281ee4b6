import { sessionCookieName } from "./credential-source.ts"
import type { SignedIn } from "./schema.ts"

/** The web session's cookie: same-site only, and not accessible to scripts. */
export interface SessionCookie {
  set(signedIn: Pick<SignedIn, "token" | "expires_at">): string
  clear(): string
}

export const createSessionCookie = (publicUrl: string | undefined): SessionCookie => {
  const secure = publicUrl?.startsWith("https:") ? "; Secure" : ""
  const cookie = (value: string, maxAge: number): string =>
    `${sessionCookieName}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${maxAge}${secure}`

  return {
    set: ({ token, expires_at }) => cookie(token, expires_at - Math.floor(Date.now() / 1000)),
    clear: () => cookie("", 0),
  }
}
