export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }
export type JsonObject = { [key: string]: Json }

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

export const objectOf = (value: Json | undefined): JsonObject => (isObject(value) ? value : {})

export const listOf = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : [])

export const textOf = (value: Json | undefined): string => (typeof value === "string" ? value : "")

/** Accepts both `3` and `"3"`, since values in OpenAI's `metadata` are strings. */
export const numberOf = (value: Json | undefined): number | undefined => {
  const read = typeof value === "string" && value !== "" ? Number(value) : value
  return typeof read === "number" && Number.isFinite(read) ? read : undefined
}

/** The parsed text, or undefined if it is not JSON. */
export const parseJson = (text: string): Json | undefined => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
