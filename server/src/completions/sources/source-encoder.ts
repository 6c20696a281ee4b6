import { randomUUID } from "node:crypto"
import { z } from "zod"
import { parseJson } from "../../formats/json-values.ts"
import type { AnswerSources, CitationSource } from "../../knowledge/citations/source-finder.ts"
import { citedNumbers } from "./cited-numbers.ts"
import { textOfContent } from "./source-search.ts"

/** Adds sources to a response: to a complete body, or as an extra chunk of a stream. */
export interface SourceEncoder {
  addToBody(body: Buffer): Buffer
  chunk: string
}

const openBrace = 0x7b
const closeBrace = 0x7d

type ReportedCitations = Pick<AnswerSources, "sources" | "sources_skipped">

const citationFields = ({
  sources,
  sources_skipped,
}: ReportedCitations): Partial<ReportedCitations> => ({
  sources,
  ...(sources_skipped.length > 0 && { sources_skipped }),
})

/**
 * The members of a response that report its sources.
 * @param answer its text, whose citations are marked; null while it is not known
 */
export const sourceMembersOf = (
  cited: ReportedCitations,
  answer: string | null,
): Partial<ReportedCitations> => citationFields(answer === null ? cited : markCited(cited, answer))

const Completion = z.looseObject({
  choices: z.array(z.looseObject({ message: z.looseObject({ content: z.unknown() }) })).min(1),
})

/** The text of a completion; empty if the body is invalid or truncated. */
const answerOf = (body: Buffer): string => {
  const { data } = Completion.safeParse(parseJson(body.toString("utf8")))
  return textOfContent(data?.choices[0]?.message.content)
}

/** Marks the sources that an answer cites. */
const markCited = (cited: ReportedCitations, answer: string): ReportedCitations => {
  const numbers = citedNumbers(answer)
  const mark = (source: CitationSource, at: number): CitationSource =>
    numbers.has(at + 1) ? { ...source, cited: true } : source
  return { ...cited, sources: cited.sources.map(mark) }
}

export const createSourceEncoder = (cited: AnswerSources, model: string): SourceEncoder => {
  const chunk = {
    id: `chatcmpl-${randomUUID()}`,
    object: "chat.completion.chunk",
    created: Math.floor(Date.now() / 1000),
    model,
    choices: [],
    ...citationFields(cited),
  }
  return {
    chunk: `data: ${JSON.stringify(chunk)}\n\n`,
    /** Inserted as the first members, so that the other bytes stay unchanged. */
    addToBody: (body) => {
      const members = citationFields(markCited(cited, answerOf(body)))
      const text = JSON.stringify(members).slice(1, -1)
      const open = body.indexOf(openBrace)
      if (open < 0) return body
      let next = open + 1
      while ((body[next] ?? 0x21) <= 0x20) next++
      const comma = body[next] === closeBrace ? "" : ","
      return Buffer.concat([
        body.subarray(0, open + 1),
        Buffer.from(text + comma),
        body.subarray(open + 1),
      ])
    },
  }
}
