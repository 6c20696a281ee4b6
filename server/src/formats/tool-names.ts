import { createHash } from "node:crypto"
import { type Fields, isObject } from "./json-values.ts"

/** OpenAI rejects longer names; Anthropic accepts up to 128 characters. */
const maxNameLength = 64
const hashLength = 8

/** A name that chat models accept. The same name always gets the same short one. */
export const shortenToolName = (name: string): string => {
  if (name.length <= maxNameLength) return name
  const hash = createHash("sha256").update(name).digest("hex").slice(0, hashLength)
  return `${name.slice(0, maxNameLength - hashLength - 1)}_${hash}`
}

/** @param fields a tool, a call or a choice of one, as in chat completions */
export const withShortName = (fields: Fields): Fields => {
  const { function: named } = fields
  if (!(isObject(named) && typeof named.name === "string")) return fields
  return { ...fields, function: { ...named, name: shortenToolName(named.name) } }
}
