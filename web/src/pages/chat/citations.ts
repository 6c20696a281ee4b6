import { createContext } from "react"
import { t } from "../../i18n/translate.ts"
import type { Message } from "../../lib/chat-api.ts"

export type Source = NonNullable<NonNullable<Message["sources"]>[number]>

/** The sources that an answer's citation numbers refer to. */
export interface Citations {
  /** Name of the source with this number; null if there is none. */
  nameOf: (number: number) => string | null
  open: (number: number) => void
}

export const CitationsContext = createContext<Citations | null>(null)

/** "[3]", "[1, 2]". */
const cited = /\[(\d{1,3}(?:\s*,\s*\d{1,3})*)\]/

export type Piece = string | readonly number[]

/** Splits a text at its citations; numbers without a source remain text. */
export const cutAtCitations = (text: string, known: (number: number) => boolean): Piece[] =>
  text.split(new RegExp(cited.source, "g")).flatMap((part, index): Piece[] => {
    if (index % 2 === 0) return part === "" ? [] : [part]
    const numbers = part.split(",").map(Number)
    return numbers.every(known) ? [numbers] : [`[${part}]`]
  })

/** Display names by file ID; files with the same name get a number. */
export const namesOf = (sources: readonly (Source | null)[]): Map<string, string> => {
  const nameById = new Map(sources.flatMap((one) => (one ? [[one.file_id, one.name]] : [])))
  const idsByName = Map.groupBy(nameById.keys(), (id) => nameById.get(id) ?? "")
  return new Map(
    [...nameById].map(([id, name]) => {
      const twins = idsByName.get(name) ?? []
      return [id, twins.length > 1 ? `${name} (${twins.indexOf(id) + 1})` : name]
    }),
  )
}

type Placed = Pick<Source, "page" | "slide" | "sheet" | "row" | "heading">

/** "page 14 · Safety › At sea" */
export const placeOf = ({ page, slide, sheet, row, heading }: Placed): string =>
  [
    page !== undefined && t("place.page", { page }),
    slide !== undefined && t("place.slide", { slide }),
    sheet !== undefined && t("place.sheet", { sheet }),
    row !== undefined && t("place.row", { row }),
    heading?.join(" › "),
  ]
    .filter(Boolean)
    .join(" · ")

/** Like `formatLocation`, with only the innermost heading, for narrow places. */
export const shortPlaceOf = ({ heading, ...placed }: Placed): string =>
  placeOf({ ...placed, heading: heading?.slice(-1) })

const paneWord = "sources"

/** Encodes the open source for storage. */
export const paneOf = (messageId: string, number: number): string =>
  `${paneWord} ${messageId} ${number}`

export const paneSource = (pane: string | null): { messageId: string; number: number } | null => {
  const [word, messageId, number] = pane?.split(" ") ?? []
  return word === paneWord && messageId ? { messageId, number: Number(number) || 1 } : null
}
