import { skipSpace } from "../../http/json-members.ts"
import { countElements, type JsonObject } from "../../http/json-object.ts"

/** How large a request is, and how large its answer may be. */
export interface RequestSize {
  maxTokensIn: number
  /** Of one choice; null if the client has set no limit. */
  maxTokensOut: number | null
  /** Answers that are requested at once. */
  choices: number
  /** As requested; null for the provider's default. */
  serviceTier: string | null
}

/** What formats and templates of models add to the text of a message, at most. */
const tokensPerMessage = 16

/** A token has at least one byte. */
export const toMaxTokensIn = ({ bytes, messages }: { bytes: number; messages: number }): number =>
  bytes + messages * tokensPerMessage

/** @returns null if it sets no limit */
export const toMaxTokens = (value: unknown): number | null =>
  typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : null

const maxChoices = 1000

/** Some servers accept numbers as texts. */
const toChoices = (value: unknown): number =>
  Math.min(toMaxTokens(typeof value === "string" ? Number(value) : value) ?? 1, maxChoices)

/** @param read returns the value of a member */
export const readChoices = (read: (name: string) => unknown): number =>
  Math.max(toChoices(read("n")), toChoices(read("best_of")))

/** Texts to complete, each of which gets its own answers. An array of numbers is one, by its tokens. */
export const countPrompts = (object: Omit<JsonObject, "members">, key: string): number => {
  const elements = countElements(object, key)?.elements ?? 1
  if (elements <= 1) return 1
  const { scanned, bytes, fields } = object
  const member = scanned?.get(key)
  if (!member) {
    const { [key]: value } = fields
    return Array.isArray(value) && typeof value[0] === "number" ? 1 : elements
  }
  const first = bytes[skipSpace(bytes, member.valueStart + 1)] ?? 0
  return first >= 0x30 && first <= 0x39 ? 1 : elements
}
