import type { ChatRequest, Context, Message, Passage, Setting } from "portico"

export const name = "Guide"
export const description =
  "Answers questions about this gateway from its own handbook, and cites it"

export const settings: Record<string, Setting> = {
  passages: {
    type: "number",
    label: "Passages",
    description: "Maximum number of handbook passages quoted in an answer.",
    default: 3,
    min: 1,
    max: 8,
  },
}

const welcome = `I answer questions about this gateway with quotations from its handbook. For example:

- How do I connect a provider?
- How do I create an API key?
- How do I share a model with a group?
- How do I back it up?`

const unknown = `I found nothing about that in the handbook. Try other words: I search for the exact words of your
question.`

/** Approximate number of characters quoted from a passage. */
const maxQuoteLength = 600

const textOf = (message: Message | undefined): string => {
  const content = message?.content ?? ""
  if (typeof content === "string") return content
  return content.map(({ text = "" }) => text).join("\n")
}

/** A short follow-up is searched together with the question before it. */
const questionOf = (messages: Message[]): string => {
  const questions = messages.filter(({ role }) => role === "user").map(textOf)
  const last = questions.at(-1) ?? ""
  return last.length < 25 && questions.length > 1 ? `${questions.at(-2)} ${last}` : last
}

const wordsOf = (text: string): Set<string> =>
  new Set(
    text
      .toLowerCase()
      .split(/[^\p{L}\p{N}_]+/u)
      .filter((word) => word.length > 2)
      .map((word) => word.slice(0, 5)),
  )

/**
 * Splits a text into paragraphs, code blocks and tables; a sentence that introduces code stays with
 * it.
 */
const blocksOf = (text: string): string[] => {
  const blocks: string[] = []
  let isInCode = false
  for (const paragraph of text.split(/\n{2,}/)) {
    const last = blocks.length - 1
    const belongsToLast =
      isInCode || (last >= 0 && /^(```|\|)/.test(paragraph) && /:$/.test(blocks[last] ?? ""))
    if (belongsToLast) blocks[last] += `\n\n${paragraph}`
    else blocks.push(paragraph)
    if ((paragraph.match(/^```/gm) ?? []).length % 2 === 1) isInCode = !isInCode
  }
  return blocks.filter((block) => !/^#{1,6} /.test(block))
}

/** The part of a passage that shares the most words with the question, verbatim. */
const quoteFrom = ({ text }: Passage, question: Set<string>): string => {
  const blocks = blocksOf(text)
  if (blocks.length === 0) return text
  const sharedCounts = blocks.map(
    (block) => [...wordsOf(block)].filter((word) => question.has(word)).length,
  )
  const best = sharedCounts.indexOf(Math.max(...sharedCounts))
  let from = best
  let to = best + 1
  const length = () => blocks.slice(from, to).join("\n\n").length
  while (to < blocks.length && length() + (blocks[to]?.length ?? 0) <= maxQuoteLength) to += 1
  while (from > 0 && length() + (blocks[from - 1]?.length ?? 0) <= maxQuoteLength) from -= 1
  return blocks.slice(from, to).join("\n\n")
}

const titleOf = ({ filename, heading }: Passage): string => {
  const [last] = heading?.split(" › ").slice(-1) ?? []
  return last && last !== filename ? `${filename}, ${last}` : filename
}

const toQuote = (text: string): string => text.replace(/^/gm, "> ")

export async function* reply({ messages }: ChatRequest, context: Context) {
  const question = questionOf(messages)
  const words = wordsOf(question)
  const limit = Number(context.settings.passages)
  const { passages, sources } = await context.search("handbook", question, { limit })
  context.log("found", passages.length, "passages for", question)
  if (passages.length === 0) {
    yield words.size < 2 ? welcome : `${unknown}\n\n${welcome}`
    return
  }
  yield { sources }
  yield "The handbook says:"
  for (const [index, passage] of passages.entries()) {
    yield `\n\n**${titleOf(passage)}** [${index + 1}]\n\n${toQuote(quoteFrom(passage, words))}`
  }
}
