import { QueryClient } from "@tanstack/react-query"
import { ApiError, GoneError } from "./api.ts"

const retryable = (error: Error): boolean =>
  error instanceof GoneError || (error instanceof ApiError && error.status >= 500)

/** One cache for the whole page. What the gateway refused is not asked again. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      retry: (count, error) => count < 2 && retryable(error),
      // The gateway may be on this machine: what the browser thinks of the network does not matter.
      networkMode: "always",
    },
    mutations: { networkMode: "always" },
  },
})
