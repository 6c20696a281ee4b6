import type { QueryKey } from "@tanstack/react-query"
import { type LinkProps, useRouter } from "@tanstack/react-router"
import { invalidateQueries } from "./query-client.ts"

interface Destination {
  /** A page without path parameters; undefined stays. */
  to: LinkProps["to"]
  /** Queries that contain the object, which are fetched again once its page is left. */
  invalidates: readonly QueryKey[]
}

/** Returns a function that leaves the page of an object that was deleted or handed over. */
export const useLeavePage = (): ((destination: Destination) => Promise<void>) => {
  const router = useRouter()
  return async ({ to, invalidates }) => {
    const target = { to, ignoreBlocker: true } as Parameters<typeof router.navigate>[0]
    if (to !== undefined) await router.navigate(target)
    await invalidateQueries(invalidates)
  }
}
