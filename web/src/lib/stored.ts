import { useSyncExternalStore } from "react"

const listeners = new Set<() => void>()

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener)
  window.addEventListener("storage", listener)
  return () => {
    listeners.delete(listener)
    window.removeEventListener("storage", listener)
  }
}

/** A word kept in this browser under `portico.<name>`; null when there is none or no storage. */
export const readStored = (name: string): string | null => {
  try {
    return localStorage.getItem(`portico.${name}`)
  } catch {
    return null
  }
}

export const writeStored = (name: string, value: string | null): void => {
  try {
    if (value === null) localStorage.removeItem(`portico.${name}`)
    else localStorage.setItem(`portico.${name}`, value)
  } catch {
    // Without storage the choice lasts as long as the page.
  }
  for (const listener of listeners) listener()
}

/** The same, in every window of this browser at once. */
export const useStored = (name: string): string | null =>
  useSyncExternalStore(subscribe, () => readStored(name))
