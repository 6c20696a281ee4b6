import { readLocalStorage, useLocalStorage, writeLocalStorage } from "../browser/local-storage.ts"
import { currentUserId, useCurrentUser } from "./session.ts"

/** What the browser remembers about the models of each account that uses it. */
const modelNames = ["models", "recentModels", "favourites"] as const
/** `dismissedLimits`: IDs of notices, one a line. */
type Name = (typeof modelNames)[number] | "dismissedLimits"

const keyOf = (userId: string, name: Name): string => `accounts.${userId}.${name}`

const currentKey = (name: Name): string | undefined => {
  const userId = currentUserId()
  return userId === undefined ? undefined : keyOf(userId, name)
}

export const useAccountStorage = (name: Name): string | null =>
  useLocalStorage(keyOf(useCurrentUser().id, name))

export const readAccountStorage = (name: Name): string | null => {
  const key = currentKey(name)
  return key === undefined ? null : readLocalStorage(key)
}

export const writeAccountStorage = (name: Name, value: string): void => {
  const key = currentKey(name)
  if (key !== undefined) writeLocalStorage(key, value)
}

/** Earlier versions shared these values among all accounts; whose they were is unknown. */
export const removeLegacyModelChoices = (): void => {
  for (const name of modelNames) {
    if (readLocalStorage(name) !== null) writeLocalStorage(name, null)
  }
}
