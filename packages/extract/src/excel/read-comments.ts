import type { Block, PassageLocation } from "../blocks.ts"
import { formatCellComment } from "../format-comment.ts"
import { findChild, findChildren, parseOfficeXml, type XmlElement } from "../ooxml/office-xml.ts"
import type { Zip } from "../zip/zip.ts"
import { parseRange } from "./cell-reference.ts"
import { decodeEscapes } from "./shared-strings.ts"

export interface CellComment {
  row: number
  /** Such as `B4`. */
  cell: string
  author: string
  text: string
}

/** Excel adds a copy for older versions to each thread. */
const isCopyOfThread = (author: string): boolean => author.startsWith("tc={")

const rowOf = (reference: string): number => parseRange(reference)?.firstRow ?? 0

const parsePart = (zip: Zip, part: string): XmlElement | undefined =>
  parseOfficeXml(zip.readText(part)).children.at(-1)

const textOfRun = ({ name, text, children }: XmlElement): string => {
  if (name === "t") return text
  return name === "r" ? children.map(textOfRun).join("") : ""
}

/** Programs write the author's name before a note. */
const withoutAuthor = (text: string, author: string): string =>
  author !== "" && text.startsWith(`${author}:`) ? text.slice(author.length + 1) : text

/** Notes of cells (ECMA-376 part 1, §18.7). */
export const readNotes = (zip: Zip, part: string): CellComment[] => {
  const root = parsePart(zip, part)
  const authors = findChildren(findChild(root, "authors"), "author").map(({ text }) => text.trim())
  return findChildren(findChild(root, "commentList"), "comment").flatMap((comment) => {
    const { ref = "", authorId = "" } = comment.attributes
    const author = authors[Number(authorId)] ?? ""
    if (isCopyOfThread(author)) return []
    const runs = findChild(comment, "text")?.children ?? []
    const text = decodeEscapes(runs.map(textOfRun).join("")).trim()
    return [{ row: rowOf(ref), cell: ref, author, text: withoutAuthor(text, author) }]
  })
}

/** Names of the people who comment in threads, by ID. */
export const readPeople = (zip: Zip, part: string): Map<string, string> => {
  const people = findChildren(parsePart(zip, part), "person")
  return new Map(people.map(({ attributes: { id = "", displayName = "" } }) => [id, displayName]))
}

/** Comments and their replies, in order ([MS-XLSX] 2.6.205). */
export const readThreadedComments = (
  zip: Zip,
  part: string,
  people: ReadonlyMap<string, string>,
): CellComment[] =>
  findChildren(parsePart(zip, part), "threadedComment").map((comment) => {
    const { ref = "", personId = "" } = comment.attributes
    const text = findChild(comment, "text")?.text ?? ""
    return { row: rowOf(ref), cell: ref, author: people.get(personId) ?? "", text }
  })

const commentBlock = (comment: CellComment, location: PassageLocation): Block[] => {
  const { cell, row, text } = comment
  if (text.trim() === "") return []
  const line = formatCellComment(cell, comment)
  return [{ text: line, kind: "row", location: { ...location, row } }]
}

/** Adds each comment after the last block of its row. */
export const addComments = (
  blocks: readonly Block[],
  comments: readonly CellComment[],
  location: PassageLocation,
): Block[] => {
  if (comments.length === 0) return [...blocks]
  const waiting = Map.groupBy(comments, ({ row }) => row)
  const lastOfRow = new Map(blocks.map(({ location: { row } }, index) => [row, index]))
  const commented = blocks.flatMap((block, index) => {
    const { row = 0 } = block.location
    if (lastOfRow.get(row) !== index) return [block]
    const own = waiting.get(row) ?? []
    waiting.delete(row)
    return [block, ...own.flatMap((comment) => commentBlock(comment, block.location))]
  })
  const others = [...waiting.values()].flat().toSorted((a, z) => a.row - z.row)
  return [...commented, ...others.flatMap((comment) => commentBlock(comment, location))]
}
