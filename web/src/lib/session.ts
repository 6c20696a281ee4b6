import { queryOptions, useSuspenseQuery } from "@tanstack/react-query"
import type { WebSession } from "../../../server/src/auth/schema.ts"
import { api, registerSessionRestorer } from "./api.ts"
import { queryClient } from "./query-client.ts"
import { routeQuery } from "./route-query.ts"

export type CurrentUser = NonNullable<WebSession["user"]>

export const configQuery = { ...routeQuery(["config"], "/api/config"), staleTime: 60_000 }

/** What the page knows about its session. */
export interface PageSession extends WebSession {
  user: CurrentUser
}

/**
 * The session that the signed-in pages belong to. It outlives its end, so that they stay as they
 * are while the user signs in again.
 */
let pageSession: PageSession | null = null
let isSigningOut = false

/** Tells the other tabs whose session the browser has: a user's ID, or null. */
const channel = new BroadcastChannel("portico-session")

/** Requests that wait until the user has signed in again. */
const waiting = new Set<() => void>()

const restoreRequests = (): void => {
  for (const resume of waiting) resume()
  waiting.clear()
  void queryClient.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== "session" })
}

const fetchSession = async (signal: AbortSignal): Promise<PageSession | null> => {
  // The browser is leaving the page.
  if (isSigningOut) return new Promise(() => {})
  const { user, ...rest } = await api.get("/api/v1/auths/session", { signal })
  if (user && pageSession && user.id !== pageSession.user.id) {
    // The page is full of the other account's data. A form with unsaved changes may prevent the
    // reload; the page then asks its own user to sign in again.
    window.location.reload()
    return null
  }
  channel.postMessage(user?.id ?? null)
  if (!user) return null
  const session: PageSession = { user, ...rest }
  if (user.role !== "pending") pageSession = session
  if (queryClient.getQueryData(sessionQuery.queryKey) === null) restoreRequests()
  return session
}

/** The browser's session; null if nobody is signed in, or no longer. */
export const sessionQuery = queryOptions({
  queryKey: ["session"],
  queryFn: ({ signal }): Promise<PageSession | null> => fetchSession(signal),
  staleTime: 30_000,
})

/** The signed-in account's ID, as far as it is known; for use outside of components. */
export const currentUserId = (): string | undefined =>
  queryClient.getQueryData(sessionQuery.queryKey)?.user.id

/** Asks the gateway whether somebody is signed in, after a sign-in or when it is in doubt. */
export const checkSession = (): Promise<PageSession | null> =>
  queryClient.fetchQuery({ ...sessionQuery, staleTime: 0 })

channel.addEventListener("message", ({ data: userId }: MessageEvent<string | null>) => {
  if (pageSession && userId !== (currentUserId() ?? null)) void checkSession().catch(() => {})
})

/** Resolves when the page's user is signed in; false if the page belongs to nobody. */
const waitForSession = async (signal?: AbortSignal): Promise<boolean> => {
  if (!pageSession) return false
  if (await checkSession()) return true
  return new Promise((resolve, reject) => {
    const resume = (): void => resolve(true)
    const stop = (): void => {
      waiting.delete(resume)
      reject(signal?.reason)
    }
    waiting.add(resume)
    signal?.addEventListener("abort", stop, { once: true })
  })
}
registerSessionRestorer(waitForSession)

/**
 * Resolves when an event stream that broke off may be opened again: at once, or after the user has
 * signed in again.
 */
export const waitUntilSignedIn = async (): Promise<void> => {
  await waitForSession().catch(() => {})
}

/** The session of the signed-in pages, for routes; null if nobody is signed in. */
export const findPageSession = async (): Promise<PageSession | null> =>
  (await queryClient.ensureQueryData(sessionQuery)) ?? pageSession

/** The session of the page; only for use below the signed-in routes. */
export const usePageSession = (): PageSession => {
  const { data } = useSuspenseQuery(sessionQuery)
  const session = data ?? pageSession
  if (!session) throw new Error("No user is signed in.")
  return session
}

/** The signed-in account; only for use below the signed-in routes. */
export const useCurrentUser = (): CurrentUser => usePageSession().user

/** URL that starts single sign-on with a provider. */
export const signOnUrl = (provider: string, back = "/"): string =>
  `/api/v1/sso/${encodeURIComponent(provider)}/start?${new URLSearchParams({ back })}`

/**
 * Ends the session, and the provider's session if it came from there. Leaves the page, so that
 * nothing in memory is left for the next user.
 */
export const signOut = async (): Promise<void> => {
  isSigningOut = true
  try {
    const { redirect } = await api.post("/api/v1/sso/signout")
    channel.postMessage(null)
    window.location.assign(redirect ?? "/sign-in")
  } catch (error) {
    isSigningOut = false
    throw error
  }
}
