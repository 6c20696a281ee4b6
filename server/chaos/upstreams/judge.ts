import { createLlhttp } from "../../../packages/http1/fuzz/llhttp.ts"
import type { Consumer } from "./consumer.ts"
import { type Outcome, unclear } from "./outcome.ts"
import type { BrokenReply } from "./reply.ts"

const maxShown = 300

/** Shows both ends: the fault is usually near the end. */
const shown = (text: string): string =>
  text.length > 2 * maxShown ? `${text.slice(0, maxShown)} … ${text.slice(-maxShown)}` : text

/** Whether the consumer can succeed despite the broken reply. */
const mayBeRight = ({ triesAgain, doesWithout }: Consumer): boolean =>
  triesAgain === true || doesWithout === true

/** Describes how the outcome of a broken reply violates what is expected; null if it does not. */
export const verdictOf = (
  { kind, text, ...rest }: Outcome,
  { expected, level }: Pick<BrokenReply, "expected" | "level">,
  consumer: Consumer,
): string | null => {
  const said = shown(text)
  if (kind === "error" && expected !== "right") {
    return consumer.isQuiet ? null : unclear({ kind, text, ...rest })
  }
  if (expected === "right" && kind !== "right")
    return `expected a correct result, got "${kind}": ${said}`
  if (expected !== "fails" || kind === "cut") return null
  if (kind === "right" && mayBeRight(consumer)) return null
  const isPassed = consumer.isVerbatim && level === "content" && kind === "other"
  return isPassed ? null : `was reported as a success ("${kind}"): ${said}`
}

/** The expectation for arbitrary bytes, according to llhttp. */
export const expectedOf = (bytes: Buffer): BrokenReply["expected"] => {
  const reading = createLlhttp("reply")
  reading.push(bytes)
  reading.finish()
  const reply = reading.messages.find(({ status }) => status >= 200)
  if (!reply?.isWhole) return "fails"
  return reply.status > 299 ? "fails" : "any"
}
