import type { Fields } from "../../formats/json-values.ts"
import { toMaxTokens } from "./request-size.ts"

/** llama.cpp's server prefers it to the members of OpenAI's API; others ignore it. */
const overridingName = "n_predict"

/** The key of a member. Servers that are written in Go ignore its case. */
export const findKey = (fields: Fields, name: string): string | undefined => {
  if (Object.hasOwn(fields, name)) return name
  for (const key of Object.keys(fields))
    if (key.length === name.length && key.toLowerCase() === name) return key
  return undefined
}

const isStated = (value: unknown): boolean => (value ?? null) !== null

/**
 * The tokens that an answer may have, whichever of its members a server reads; null if a server may
 * find no limit in them, or one that it reads differently, such as a negative number or a text.
 * @param names of the members that limit it
 * @param read returns the value of a member
 */
export const readMaxTokens = (
  names: readonly string[],
  read: (name: string) => unknown,
): number | null => {
  const stated = names.map(read).filter(isStated)
  if (stated.length === 0) return null
  const values = [...stated, read(overridingName)].filter(isStated).map(toMaxTokens)
  return values.includes(null) ? null : Math.max(...values.map(Number))
}

/**
 * The keys of the members to set, so that every server finds the same limit.
 * @param names of the members that limit an answer
 * @param find returns a member as it would be sent
 * @param field the one to add if none of the others is there; with `isOnly`, whichever is
 */
export const outputKeysOf = (
  names: readonly string[],
  find: (name: string) => { key: string; value: unknown } | null,
  { field, isOnly }: { field: string; isOnly: boolean },
): string[] => {
  const stated = (name: string): string[] => {
    const found = find(name)
    return found && isStated(found.value) ? [found.key] : []
  }
  const keys = names.flatMap(stated)
  const needsField = keys.length === 0 || (isOnly && !isStated(find(field)?.value))
  return [
    ...new Set([
      ...keys,
      ...stated(overridingName),
      ...(needsField ? [find(field)?.key ?? field] : []),
    ]),
  ]
}
