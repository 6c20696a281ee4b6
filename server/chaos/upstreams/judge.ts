import { createLlhttp } from "../../fuzz/http/llhttp.ts"
import type { Consumer } from "./consumer.ts"
import { type Outcome, unclear } from "./outcome.ts"
import type { BrokenReply } from "./reply.ts"

const maxShown = 300

/** Both ends, as what is wrong stands at the end more often than not. */
const shown = (text: string): string =>
  text.length > 2 * maxShown ? `${text.slice(0, maxShown)} … ${text.slice(-maxShown)}` : text

/** Whether it may come right by what it did besides. */
const mayBeRight = ({ triesAgain, doesWithout }: Consumer): boolean =>
  triesAgain === true || doesWithout === true

/** What is wrong with what became of a broken reply, if anything is. */
export const verdictOf = (
  { kind, text, ...rest }: Outcome,
  { expected, level }: Pick<BrokenReply, "expected" | "level">,
  consumer: Consumer,
): string | null => {
  const said = shown(text)
  if (kind === "error" && expected !== "right") {
    return consumer.isQuiet ? null : unclear({ kind, text, ...rest })
  }
  if (expected === "right" && kind !== "right") return `was to come right, and was ${kind}: ${said}`
  if (expected !== "fails" || kind === "cut") return null
  if (kind === "right" && mayBeRight(consumer)) return null
  const isPassed = consumer.isVerbatim && level === "content" && kind === "other"
  return isPassed ? null : `was told as a success (${kind}): ${said}`
}

/** What llhttp says of bytes that a connection brings before it is closed. */
export const expectedOf = (bytes: Buffer): BrokenReply["expected"] => {
  const reading = createLlhttp("reply")
  reading.push(bytes)
  reading.finish()
  const reply = reading.messages.find(({ status }) => status >= 200)
  if (!reply?.isWhole) return "fails"
  return reply.status > 299 ? "fails" : "any"
}
