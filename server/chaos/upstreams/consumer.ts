import type { HttpReply } from "./client.ts"
import type { Outcome } from "./outcome.ts"
import type { Received } from "./provider.ts"
import type { RightReply } from "./reply.ts"

/** Something in the gateway that hears replies of providers, and how one asks it to. */
export interface Consumer {
  name: string
  /** Of the replies that it hears. */
  form: RightReply["form"]
  /** The requests of it that a provider sees. */
  on: (received: Received) => boolean
  /** Gives a provider's bytes on, without looking into what they say. */
  isVerbatim?: boolean
  /** What fails is made good without a word, as something else serves as well. */
  isQuiet?: boolean
  /** Asks again by itself, so that only its first request is answered by a broken reply. */
  triesAgain?: boolean
  /** Goes on without what it asked for, as if nothing had been wrong. */
  doesWithout?: boolean
  ask: (nonce: string) => Promise<Outcome>
}

/** The page's own objects are read as a script would. */
// biome-ignore lint/suspicious/noExplicitAny: replies of any shape
export type Any = any

export const parsed = (text: string): Any => {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** The gateway's own words for a failure, in whichever of its styles; null where they are not its own. */
export const wordsOf = (body: Any): string | null => {
  const said = body?.error?.message ?? body?.detail ?? body?.error
  return typeof said === "string" ? said : null
}

const isOurs = (body: Any): boolean =>
  typeof body?.detail === "string" && body.detail === (body.error?.message ?? body.detail)

/** A reply that is no success. */
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
