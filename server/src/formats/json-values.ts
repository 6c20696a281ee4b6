/** The members of a JSON object whose types are not known. */
export type Fields = Record<string, unknown>

/** Whether a parsed JSON value is an object: neither an array nor null. */
export const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The value if it is a string, else "". */
export const textOf = (value: unknown): string => (typeof value === "string" ? value : "")

/** The value of a table's own key. Keys come from others, and may be `constructor`. */
export const ownValue = <Value>(table: Record<string, Value>, key: unknown): Value | undefined =>
  typeof key === "string" && Object.hasOwn(table, key) ? table[key] : undefined

/** The value if it is a number, else 0. */
export const numberOf = (value: unknown): number => (typeof value === "number" ? value : 0)

/** The value if it is an object, else an empty one. */
export const objectOf = (value: unknown): Fields => (isObject(value) ? value : {})

/** The objects of an array; empty if the value is not an array. */
export const objectsIn = (value: unknown): Fields[] =>
  Array.isArray(value) ? value.filter(isObject) : []

/** The members that are neither null nor undefined. */
export const omitNullish = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => (value ?? null) !== null))

/** Undefined if the text is not JSON. */
export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Null if the text is not a JSON object, such as the `[DONE]` that ends a stream. */
export const parseObject = (text: string): Fields | null => {
  const value = parseJson(text)
  return isObject(value) ? value : null
}

const maxSmallCharacters = 64 * 1024
/** What a scalar takes as JSON, or the punctuation of an object or array. */
const charactersPerValue = 4

const namesAndValuesOf = (value: object): unknown[] =>
  Array.isArray(value) ? value : Object.entries(value).flat()

/** Whether a value takes more than about 64 KB as JSON, without serializing it. */
export const isLargeJson = (root: unknown): boolean => {
  const open: unknown[] = [root]
  let characters = 0
  while (open.length > 0 && characters <= maxSmallCharacters) {
    const value = open.pop()
    characters += typeof value === "string" ? value.length : charactersPerValue
    if (typeof value !== "object" || value === null) continue
    for (const inner of namesAndValuesOf(value)) open.push(inner)
  }
  return characters > maxSmallCharacters
}

/** An upper bound of a value's size as JSON, without serializing it. Escapes do not count. */
export const countJsonBytes = (root: unknown): number => {
  const open: unknown[] = [root]
  let bytes = 0
  while (open.length > 0) {
    const value = open.pop()
    bytes += charactersPerValue + (typeof value === "string" ? Buffer.byteLength(value) : 0)
    if (typeof value === "number") bytes += 20
    if (typeof value !== "object" || value === null) continue
    for (const inner of namesAndValuesOf(value)) open.push(inner)
  }
  return bytes
}

/** The number of values at every level: objects, arrays and scalars. */
export const countValues = (root: unknown): number => {
  const open: unknown[] = [root]
  let count = 0
  while (open.length > 0) {
    const value = open.pop()
    count++
    if (typeof value !== "object" || value === null) continue
    for (const inner of Object.values(value)) open.push(inner)
  }
  return count
}
