import type { FileSummary } from "../../files/file-store.ts"
import { PassageLocation } from "../../files/passage-location.ts"
import type { FoundPassage } from "../schema.ts"

type Fields = Pick<FoundPassage, "file_id" | "filename" | "text" | "start" | "end"> &
  Partial<FoundPassage>

/** A passage with defaults for everything that a search would determine. */
export const createFoundPassage = (fields: Fields): FoundPassage => ({
  date: null,
  date_of: null,
  owner: null,
  version: null,
  score: 1,
  lexical: null,
  dense: null,
  reranked: null,
  reason: "passage",
  reserved: null,
  from_previous: false,
  found_by: null,
  merged: 1,
  used: true,
  left_out: null,
  ...fields,
})

/** The same for the same passage in every search. */
export const passageKey = ({ file_id, start }: Pick<FoundPassage, "file_id" | "start">): string =>
  `${file_id} ${start}`

type DatedFile = Pick<FileSummary, "document_date" | "created_at">

/** When a document was last changed, or else uploaded. */
export const dateOf = ({ document_date, created_at }: DatedFile): number =>
  document_date ?? created_at

/** Converts a stored passage. */
export const toFoundPassage = (
  file: DatedFile & Pick<FileSummary, "id" | "filename">,
  row: { text: string; place: string; starts: number; ends: number },
  reason: FoundPassage["reason"],
): FoundPassage =>
  createFoundPassage({
    file_id: file.id,
    filename: file.filename,
    date: dateOf(file),
    date_of: file.document_date === null ? "upload" : "document",
    text: row.text,
    ...PassageLocation.parse(JSON.parse(row.place)),
    start: row.starts,
    end: row.ends,
    reason,
  })
