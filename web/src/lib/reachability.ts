import { createValueStore } from "../browser/value-store.ts"
import { watchReachability } from "./api.ts"
import { queryClient } from "./query-client.ts"

const retryMs = 2000

const isReachable = createValueStore(true)
let timer: number | undefined

const setReachable = (next: boolean): void => {
  if (next === isReachable.get()) return
  isReachable.set(next)
  if (next) void queryClient.invalidateQueries()
}

const checkHealth = async (): Promise<void> => {
  timer = undefined
  const up = await fetch("/health").then(
    (reply) => reply.ok,
    () => false,
  )
  setReachable(up)
  if (!up) timer = window.setTimeout(checkHealth, retryMs)
}

watchReachability((answered) => {
  setReachable(answered)
  if (!answered && timer === undefined) timer = window.setTimeout(checkHealth, retryMs)
})

/**
 * Whether the gateway responded to the last request. While it does not, /health is polled, and all
 * queries refetch once it is back.
 */
export const useIsReachable = isReachable.useValue
