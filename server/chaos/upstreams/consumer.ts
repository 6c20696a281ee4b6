import type { HttpReply } from "./client.ts"
import type { Outcome } from "./outcome.ts"
import type { Received } from "./received.ts"
import type { BrokenReply, RightReply } from "./reply.ts"

/** A part of the gateway that consumes provider replies, and how to trigger it. */
export interface Consumer {
  name: string
  /** The form of the replies it consumes. */
  form: RightReply["form"]
  /** Selects its requests among those that the provider receives. */
  on: (received: Received) => boolean
  /** Passes the provider's bytes on without parsing the content. */
  isVerbatim?: boolean
  /** Replaces a failed reply silently with a fallback. */
  isQuiet?: boolean
  /** Retries by itself; only its first request gets a broken reply. */
  triesAgain?: boolean
  /** Stores what it reads, so that the outcome may depend on the database. */
  storesReply?: boolean
  /** Continues without the reply, as if nothing had failed. */
  doesWithout?: boolean
  /** `expected` tells how long a consumer whose failures are silent should wait. */
  ask: (nonce: string, expected: BrokenReply["expected"]) => Promise<Outcome>
}

/** Parsed JSON of any shape. */
// biome-ignore lint/suspicious/noExplicitAny: replies of any shape
export type Any = any

export const parsed = (text: string): Any => {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** The error message in any of the API styles; null if there is none. */
export const wordsOf = (body: Any): string | null => {
  const said = body?.error?.message ?? body?.detail ?? body?.error
  return typeof said === "string" ? said : null
}

const isOurs = (body: Any): boolean =>
  typeof body?.detail === "string" && body.detail === (body.error?.message ?? body.detail)

/** The outcome for a reply with an error status. */
export const refusal = ({ text }: HttpReply): Outcome => {
  const body = parsed(text)
  return { kind: "error", text, message: wordsOf(body) ?? "", isOwn: !isOurs(body) }
}

export const outcomeOf = (reply: HttpReply, isRight: (text: string) => boolean): Outcome => {
  const { status, text, isCut } = reply
  if (status < 200 || status > 299) return refusal(reply)
  if (isCut) return { kind: "cut", text }
  return { kind: isRight(text) ? "right" : "other", text }
}
