import { formatComment } from "../format-comment.ts"
import type { FilledField } from "./form-fields.ts"
import type { PageAnnotation, Rectangle } from "./page-annotations.ts"
import type { TextPositions } from "./text-positions.ts"

const commentTypes = new Set(
  "Text FreeText Line Square Circle Polygon PolyLine Highlight Underline Squiggly StrikeOut Stamp Caret Ink Redact".split(
    " ",
  ),
)

const contentOf = ({ contentsObj, richText, textContent }: PageAnnotation): string => {
  const written = contentsObj?.str.trim() || richText?.str.trim()
  return (written || (textContent ?? []).join("\n")).replace(/\r\n?/g, "\n").trim()
}

const markedAreas = ({ quadPoints, rect }: PageAnnotation): Rectangle[] => {
  const corners = Array.from(quadPoints ?? [])
  const areas: Rectangle[] = []
  for (let at = 0; at + 8 <= corners.length; at += 8) {
    const xs = [corners[at], corners[at + 2], corners[at + 4], corners[at + 6]].map(Number)
    const ys = [corners[at + 1], corners[at + 3], corners[at + 5], corners[at + 7]].map(Number)
    areas.push([Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)])
  }
  return areas.length > 0 ? areas : [rect]
}

const letters = (text: string): string => text.replace(/[^\p{L}\p{N}]+/gu, "")

/** In letters and digits: shorter comments may be part of a word by chance. */
const minRepeated = 8

/** Some programs copy the text that a comment marks into the comment. */
const repeatsText = (
  annotation: PageAnnotation,
  content: string,
  positions: TextPositions,
): boolean => {
  const written = letters(content)
  if (written.length < minRepeated) return false
  const below = markedAreas(annotation).flatMap((area) =>
    positions.findWithin(positions.uprightBox(area)).map(({ text }) => text),
  )
  return letters(below.join("")).includes(written)
}

const isTypewriterText = ({ subtype, it }: PageAnnotation): boolean =>
  subtype === "FreeText" && /^FreeTextTypewriter$/i.test(it ?? "")

/** Text that was typed onto the page as if it were a form. */
export const readTypewriterText = (annotations: readonly PageAnnotation[]): FilledField[] =>
  annotations.filter(isTypewriterText).map((annotation) => ({
    lines: contentOf(annotation)
      .split("\n")
      .filter((line) => line.trim() !== ""),
    name: "",
    rect: annotation.rect,
    isBox: false,
  }))

const isComment = (annotation: PageAnnotation): boolean =>
  commentTypes.has(annotation.subtype) && !annotation.stateModel && !isTypewriterText(annotation)

/** Each once, followed by its replies. */
const withReplies = (
  comments: readonly PageAnnotation[],
  repliesById: ReadonlyMap<string, PageAnnotation[]>,
): Set<PageAnnotation> => {
  const ordered = new Set<PageAnnotation>()
  const waiting = comments.toReversed()
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    if (ordered.has(next)) continue
    ordered.add(next)
    waiting.push(...(repliesById.get(next.id) ?? []).toReversed())
  }
  return ordered
}

/** The comments of a page from its top to its bottom, each followed by its replies. */
export const readComments = (
  annotations: readonly PageAnnotation[],
  positions: TextPositions,
): string[] => {
  const comments = annotations.filter(isComment)
  const ids = new Set(comments.map(({ id }) => id))
  const repliesById = Map.groupBy(comments, ({ inReplyTo }) => inReplyTo ?? "")
  const isReply = ({ inReplyTo }: PageAnnotation): boolean => ids.has(inReplyTo ?? "")
  const topOf = ({ rect }: PageAnnotation): number => positions.uprightBox(rect).top
  const firsts = comments
    .filter((comment) => !isReply(comment))
    .toSorted((a, z) => topOf(z) - topOf(a))
  // Replies to each other in a circle have no first comment.
  const ordered = withReplies([...firsts, ...comments], repliesById)
  return Array.from(ordered).flatMap((comment) => {
    const content = contentOf(comment)
    if (content === "" || repeatsText(comment, content, positions)) return []
    const author = comment.titleObj?.str.trim()
    const label = isReply(comment) ? "Reply" : "Comment"
    return [formatComment({ author, text: content }, label)]
  })
}
