import { createContext } from "react"
import type { Message } from "../../lib/chat-api.ts"

export type AnswerSource = NonNullable<NonNullable<Message["sources"]>[number]>

/** The sources that an answer's citation numbers refer to. */
export interface Citations {
  /** Name of the source with this number; null if there is none. */
  nameOf: (number: number) => string | null
  open: (number: number) => void
}

export const CitationsContext = createContext<Citations | null>(null)

/** "[3]", "[1, 2]". */
const citationPattern = /\[(\d{1,3}(?:\s*,\s*\d{1,3})*)\]/

export type TextPart = string | readonly number[]

/** Splits a text at its citations; numbers without a source remain text. */
export const splitAtCitations = (text: string, isKnown: (number: number) => boolean): TextPart[] =>
  text.split(new RegExp(citationPattern.source, "g")).flatMap((part, index): TextPart[] => {
    if (index % 2 === 0) return part === "" ? [] : [part]
    const numbers = part.split(",").map(Number)
    return numbers.every(isKnown) ? [numbers] : [`[${part}]`]
  })

/** Display names by file ID; files with the same name get a number. */
export const fileNamesById = (sources: readonly (AnswerSource | null)[]): Map<string, string> => {
  const nameById = new Map(sources.flatMap((one) => (one ? [[one.file_id, one.name]] : [])))
  const idsByName = Map.groupBy(nameById.keys(), (id) => nameById.get(id) ?? "")
  return new Map(
    [...nameById].map(([id, name]) => {
      const duplicates = idsByName.get(name) ?? []
      return [id, duplicates.length > 1 ? `${name} (${duplicates.indexOf(id) + 1})` : name]
    }),
  )
}

const panePrefix = "sources"

/** Encodes the open source for storage. */
export const encodeShownSource = (messageId: string, number: number): string =>
  `${panePrefix} ${messageId} ${number}`

export const decodeShownSource = (
  pane: string | null,
): { messageId: string; number: number } | null => {
  const [word, messageId, number] = pane?.split(" ") ?? []
  return word === panePrefix && messageId ? { messageId, number: Number(number) || 1 } : null
}
