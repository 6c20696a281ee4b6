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

/** A value from local storage under `portico.<name>`; null if absent or storage is unavailable. */
export const readLocalStorage = (name: string): string | null => {
  try {
    return localStorage.getItem(`portico.${name}`)
  } catch {
    return null
  }
}

export const writeLocalStorage = (name: string, value: string | null): void => {
  try {
    if (value === null) localStorage.removeItem(`portico.${name}`)
    else localStorage.setItem(`portico.${name}`, value)
  } catch {
    // Without storage the choice is lost when the page closes.
  }
  for (const listener of listeners) listener()
}

/** The stored value; updates in every window of this browser. */
export const useLocalStorage = (name: string): string | null =>
  useSyncExternalStore(subscribe, () => readLocalStorage(name))
