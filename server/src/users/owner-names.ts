import type { Reader } from "../db/database.ts"
import { readUserNames } from "./affected-objects.ts"

interface Owned {
  user_id: string
}

type WithOwner<T> = T & {
  /** Null if the account was deleted. */
  user_name: string | null
}

/** Adds the names of their owners to objects. */
export const withOwnerNames = async <T extends Owned>(
  reader: Reader,
  objects: readonly T[],
): Promise<WithOwner<T>[]> => {
  const names = await readUserNames(
    reader,
    objects.map(({ user_id }) => user_id),
  )
  return objects.map((object) => ({ ...object, user_name: names.get(object.user_id) ?? null }))
}

export const withOwnerName = async <T extends Owned>(
  reader: Reader,
  object: T,
): Promise<WithOwner<T>> => {
  const names = await readUserNames(reader, [object.user_id])
  return { ...object, user_name: names.get(object.user_id) ?? null }
}
