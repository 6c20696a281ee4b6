import { QueryClient, type QueryKey } from "@tanstack/react-query"
import { ApiError, UnreachableError } from "./api.ts"

const isRetryable = (error: Error): boolean =>
  error instanceof UnreachableError || (error instanceof ApiError && error.status >= 500)

/** The page's only query cache. 4xx responses are not retried. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      retry: (count, error) => count < 2 && isRetryable(error),
      // The gateway may run on this machine, so the browser's online state does not matter.
      networkMode: "always",
    },
    mutations: { networkMode: "always" },
  },
})

/** Fetches queries again that are shown, and others when they are next. */
export const invalidateQueries = async (keys: readonly QueryKey[]): Promise<void> => {
  await Promise.all(keys.map((queryKey) => queryClient.invalidateQueries({ queryKey })))
}
