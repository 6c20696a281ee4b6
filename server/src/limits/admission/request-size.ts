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

export const toChoices = (value: unknown): number => Math.min(toMaxTokens(value) ?? 1, maxChoices)
