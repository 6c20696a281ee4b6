import { createHash } from "node:crypto"

/** Where an answer comes from. It is set with each attempt, before its response arrives. */
export interface AnswerOrigin {
  /** Null while it is unknown, and for answers of Anthropic's API, whose state has a form of its own. */
  key: string | null
}

const keyLength = 16

/** Identifies a model of a provider without revealing the provider's address. */
export const originKeyOf = (address: string, model: string): string =>
  createHash("sha256").update(`${address}\n${model}`).digest("base64url").slice(0, keyLength)
