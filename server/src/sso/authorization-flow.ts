import { randomBytes } from "node:crypto"
import type { IncomingHttpHeaders } from "node:http"
import { z } from "zod"
import type { Secrets } from "../secrets/secrets.ts"

const lifeSeconds = 600

const Flow = z.object({
  // Nothing else that we seal passes for one.
  kind: z.literal("sign-on"),
  provider: z.string(),
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  back: z.string(),
  /** The account that is to be tied to the provider; null for a plain sign-in. */
  user_id: z.string().nullable(),
  expires_at: z.number(),
})
/** A sign-in under way, as the browser that began it keeps it. */
export type Flow = z.output<typeof Flow>

/** A page of ours, and never another site's; what is no page is the first one. */
const safeReturn = (back: string | undefined, publicUrl: string): string => {
  if (back === undefined || !/^\/(?![/\\])/.test(back)) return "/"
  const url = URL.canParse(back, publicUrl) ? new URL(back, publicUrl) : undefined
  if (!url || url.origin !== new URL(publicUrl).origin) return "/"
  // A backslash, a tab or a second slash would be read by browsers as another site's address.
  const path = url.pathname + url.search + url.hash
  return /^\/(?!\/|api\/)/.test(path) ? path : "/"
}

const random = (): string => randomBytes(32).toString("base64url")

/** Several may be under way in one browser, each in a cookie of its own. */
const cookieName = (state: string): string => `sign_on_${state.slice(0, 16)}`

/**
 * Flows are kept by browsers, sealed: nothing is stored for those that only began, and any process
 * of the gateway can go on with them. What came back once is remembered by the store.
 */
export const createFlows = ({
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
    begin: (
      provider: string,
      { back, userId = null }: { back: string | undefined; userId?: string | null },
    ): { flow: Flow; cookie: string } => {
      const flow: Flow = {
        kind: "sign-on",
        provider,
        state: random(),
        nonce: random(),
        verifier: random(),
        back: safeReturn(back, publicUrl),
        user_id: userId,
        expires_at: now() + lifeSeconds,
      }
      return { flow, cookie: cookie(flow.state, secrets.seal(JSON.stringify(flow)), lifeSeconds) }
    },

    /** The flow that came back, if this browser began it and it is not too old. */
    find: (
      headers: IncomingHttpHeaders,
      { provider, state }: { provider: string; state: string },
    ): Flow | null => {
      const prefix = `${cookieName(state)}=`
      const found = (headers.cookie ?? "").split(/;\s*/).find((one) => one.startsWith(prefix))
      if (!found) return null
      try {
        const flow = Flow.parse(JSON.parse(secrets.unseal(found.slice(prefix.length))))
        const fits = flow.state === state && flow.provider === provider
        return fits && flow.expires_at > now() ? flow : null
      } catch {
        return null
      }
    },

    forget: (state: string): string => cookie(state, "", 0),
  }
}

export type Flows = ReturnType<typeof createFlows>
