import { randomBytes } from "node:crypto"
import type { IncomingHttpHeaders } from "node:http"
import { z } from "zod"
import type { Secrets } from "../secrets/secrets.ts"

const flowLifetimeSeconds = 600

const SignOnFlow = z.object({
  // Distinguishes it from other sealed values.
  kind: z.literal("sign-on"),
  provider: z.string(),
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  back: z.string(),
  /** The account to link to the provider; null for a plain sign-in. */
  user_id: z.string().nullable(),
  expires_at: z.number(),
})
/** A sign-in in progress, stored in the browser that started it. */
export type SignOnFlow = z.output<typeof SignOnFlow>

/** Restricts the return path to our own pages; anything else becomes `/`. */
const safeReturnPath = (back: string | undefined, publicUrl: string): string => {
  if (back === undefined || !/^\/(?![/\\])/.test(back)) return "/"
  const url = URL.canParse(back, publicUrl) ? new URL(back, publicUrl) : undefined
  if (!url || url.origin !== new URL(publicUrl).origin) return "/"
  // Browsers read a backslash, a tab or a second slash as another site's address.
  const path = url.pathname + url.search + url.hash
  return /^\/(?!\/|api\/)/.test(path) ? path : "/"
}

const randomToken = (): string => randomBytes(32).toString("base64url")

/** One cookie per flow, as a browser may have several in progress. */
const cookieName = (state: string): string => `sign_on_${state.slice(0, 16)}`

/**
 * Keeps flows in sealed browser cookies: unfinished flows need no storage, and any process can
 * complete them. The store records completed ones, which cannot be reused.
 */
export const createSignOnFlows = ({
  secrets,
  publicUrl,
  now,
}: {
  secrets: Secrets
  publicUrl: string
  now: () => number
}) => {
  const secure = publicUrl.startsWith("https:") ? "; Secure" : ""
  const cookie = (state: string, value: string, maxAge: number): string =>
    `${cookieName(state)}=${value}; Path=/api/v1/sso; HttpOnly; SameSite=Lax; Max-Age=${maxAge}${secure}`

  return {
    start: (
      provider: string,
      { back, userId = null }: { back: string | undefined; userId?: string | null },
    ): { flow: SignOnFlow; cookie: string } => {
      const flow: SignOnFlow = {
        kind: "sign-on",
        provider,
        state: randomToken(),
        nonce: randomToken(),
        verifier: randomToken(),
        back: safeReturnPath(back, publicUrl),
        user_id: userId,
        expires_at: now() + flowLifetimeSeconds,
      }
      return {
        flow,
        cookie: cookie(flow.state, secrets.seal(JSON.stringify(flow)), flowLifetimeSeconds),
      }
    },

    /** Returns the flow if this browser started it and it has not expired. */
    find: (
      headers: IncomingHttpHeaders,
      { provider, state }: { provider: string; state: string },
    ): SignOnFlow | null => {
      const prefix = `${cookieName(state)}=`
      const found = (headers.cookie ?? "").split(/;\s*/).find((one) => one.startsWith(prefix))
      if (!found) return null
      try {
        const flow = SignOnFlow.parse(JSON.parse(secrets.unseal(found.slice(prefix.length))))
        const isMatch = flow.state === state && flow.provider === provider
        return isMatch && flow.expires_at > now() ? flow : null
      } catch {
        return null
      }
    },

    clearCookie: (state: string): string => cookie(state, "", 0),
  }
}

export type SignOnFlows = ReturnType<typeof createSignOnFlows>
