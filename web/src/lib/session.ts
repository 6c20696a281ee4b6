import { queryOptions, useSuspenseQuery } from "@tanstack/react-query"
import type { SignedIn } from "../../../server/src/auth/schema.ts"
import type { RedirectTarget } from "../../../server/src/sso/schema.ts"
import { ApiError, api } from "./api.ts"
import { queryClient } from "./query-client.ts"

export interface PublicConfig {
  name: string
  version: string
  first_run: boolean
  /** Whether creating the first account requires the code from the gateway's log. */
  setup_code_required: boolean
  signup: boolean
  /** Who may sign in with a password. */
  password_sign_in: "on" | "administrators" | "off"
  /** Providers for single sign-on, one button each. */
  sign_on: { name: string; label: string }[]
  runtime_prefix: string
}

export type CurrentUser = Pick<SignedIn, "id" | "email" | "name" | "role"> & {
  expires_at: number | null
}

export const configQuery = queryOptions({
  queryKey: ["config"],
  queryFn: ({ signal }) => api.get<PublicConfig>("/api/config", { signal }),
  staleTime: 60_000,
})

/** The signed-in account, or null. */
export const currentUserQuery = queryOptions({
  queryKey: ["me"],
  queryFn: async ({ signal }): Promise<CurrentUser | null> => {
    try {
      return await api.get<CurrentUser>("/api/v1/auths/", { signal })
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) return null
      throw error
    }
  },
  staleTime: 30_000,
})

/** The signed-in account; only for use below the signed-in routes. */
export const useCurrentUser = (): CurrentUser => {
  const { data } = useSuspenseQuery(currentUserQuery)
  if (!data) throw new Error("No user is signed in.")
  return data
}

/** Updates the cache after sign-in; the response has already set the cookie. */
export const cacheSignedIn = ({ id, email, name, role, expires_at }: SignedIn): void => {
  queryClient.clear()
  const me: CurrentUser = { id, email, name, role, expires_at }
  queryClient.setQueryData(currentUserQuery.queryKey, me)
}

/** URL that starts single sign-on with a provider. */
export const signOnUrl = (provider: string, back = "/"): string =>
  `/api/v1/sso/${encodeURIComponent(provider)}/start?${new URLSearchParams({ back })}`

/** Ends the session, and the provider's session if it came from there. */
export const signOut = async (): Promise<void> => {
  const { redirect } = await api.post<RedirectTarget>("/api/v1/sso/signout")
  queryClient.clear()
  queryClient.setQueryData(currentUserQuery.queryKey, null)
  if (redirect === null) return
  window.location.assign(redirect)
  // The browser is leaving the page; the caller must not continue meanwhile.
  await new Promise(() => {})
}
