import { useSyncExternalStore } from "react"

/** A value kept outside of React; components that use it render again when it changes. */
export const createValueStore = <T>(initial: T) => {
  let value = initial
  const listeners = new Set<() => void>()
  const subscribe = (listener: () => void): (() => void) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }
  return {
    get: (): T => value,
    set: (next: T): void => {
      value = next
      for (const listener of listeners) listener()
    },
    useValue: (): T => useSyncExternalStore(subscribe, () => value),
  }
}
