import type { Block, PassageLocation } from "../blocks.ts"
import { formatComment } from "../format-comment.ts"
import { readDrawingText } from "../ooxml/drawing-text.ts"
import { findChild, findDescendants, parseOfficeXml, type XmlElement } from "../ooxml/office-xml.ts"
import { readRelationships } from "../ooxml/relationships.ts"
import type { Zip } from "../zip/zip.ts"

/** Names of the people who commented, by ID. */
export const readCommentAuthors = (zip: Zip): Map<string, string> => {
  const authors = new Map<string, string>()
  for (const { type, target } of readRelationships(zip, "ppt/presentation.xml").values()) {
    if (type !== "commentAuthors" && type !== "authors") continue
    const list = parseOfficeXml(zip.readText(target))
    for (const element of ["cmAuthor", "author"]) {
      for (const { attributes } of findDescendants(list, element)) {
        authors.set(attributes.id ?? "", (attributes.name ?? "").trim().slice(0, 200))
      }
    }
  }
  return authors
}

/** Plain comments, or those of threads since 2021 (MS-PPTX, §2.6). */
const commentText = (comment: XmlElement): string =>
  findChild(comment, "text")?.text.trim() || readDrawingText(findChild(comment, "txBody"))

const threadOf = (comment: XmlElement): XmlElement[] => [
  comment,
  ...findDescendants(findChild(comment, "replyLst"), "reply"),
]

/** The comments on a slide, such as "Comment (Ada): Which year?". */
export const readComments = (
  source: string,
  authors: ReadonlyMap<string, string>,
  location: PassageLocation,
): Block[] =>
  findDescendants(parseOfficeXml(source), "cm")
    .flatMap(threadOf)
    .flatMap((comment) => {
      const text = commentText(comment)
      const author = authors.get(comment.attributes.authorId ?? "")
      return text ? [{ text: formatComment({ author, text }), kind: "row", location }] : []
    })
