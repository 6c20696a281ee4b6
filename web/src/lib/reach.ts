import { useSyncExternalStore } from "react"
import { watchReach } from "./api.ts"
import { queryClient } from "./query-client.ts"

const askAgainMs = 2000

let reached = true
let timer: number | undefined
const listeners = new Set<() => void>()

const set = (next: boolean): void => {
  if (next === reached) return
  reached = next
  for (const listener of listeners) listener()
  if (next) void queryClient.invalidateQueries()
}

const ask = async (): Promise<void> => {
  timer = undefined
  const up = await fetch("/health").then(
    (reply) => reply.ok,
    () => false,
  )
  set(up)
  if (!up) timer = window.setTimeout(ask, askAgainMs)
}

watchReach((answered) => {
  set(answered)
  if (!answered && timer === undefined) timer = window.setTimeout(ask, askAgainMs)
})

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/**
 * Whether the gateway responded to the last request. While it does not, /health is polled, and all
 * queries refetch once it is back.
 */
export const useReached = (): boolean => useSyncExternalStore(subscribe, () => reached)
