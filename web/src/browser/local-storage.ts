import { useSyncExternalStore } from "react"

const listeners = new Set<() => void>()

/** Values that storage has no space for, or that is unavailable; kept until the page closes. */
const unstored = new Map<string, string>()

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener)
  window.addEventListener("storage", listener)
  return () => {
    listeners.delete(listener)
    window.removeEventListener("storage", listener)
  }
}

/** A value from local storage under `portico.<name>`; null if absent. */
export const readLocalStorage = (name: string): string | null => {
  const kept = unstored.get(name)
  if (kept !== undefined) return kept
  try {
    return localStorage.getItem(`portico.${name}`)
  } catch {
    return null
  }
}

export const writeLocalStorage = (name: string, value: string | null): void => {
  unstored.delete(name)
  try {
    if (value === null) localStorage.removeItem(`portico.${name}`)
    else localStorage.setItem(`portico.${name}`, value)
  } catch {
    if (value !== null) unstored.set(name, value)
  }
  for (const listener of listeners) listener()
}

/** The stored value; updates in every window of this browser. */
export const useLocalStorage = (name: string): string | null =>
  useSyncExternalStore(subscribe, () => readLocalStorage(name))
