import { useSyncExternalStore } from "react"
import { watchReachability } from "./api.ts"
import { queryClient } from "./query-client.ts"

const retryMs = 2000

let isReachable = true
let timer: number | undefined
const listeners = new Set<() => void>()

const setReachable = (next: boolean): void => {
  if (next === isReachable) return
  isReachable = next
  for (const listener of listeners) listener()
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

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/**
 * Whether the gateway responded to the last request. While it does not, /health is polled, and all
 * queries refetch once it is back.
 */
export const useIsReachable = (): boolean => useSyncExternalStore(subscribe, () => isReachable)
