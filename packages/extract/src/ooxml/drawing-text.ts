import { findChildren, findDescendants, type XmlElement } from "./office-xml.ts"
import { readEquation } from "./read-equation.ts"

export interface DrawingParagraph {
  text: string
  /** Level in a list, 0-based. */
  level: number
}

const runText = (run: XmlElement): string => {
  if (run.name === "br") return "\n"
  const isSlideNumber = run.name === "fld" && run.attributes.type === "slidenum"
  if (isSlideNumber || run.name === "pPr") return ""
  if (run.name === "m") return findDescendants(run, "oMath").map(readEquation).join(" ")
  return findDescendants(run, "t")
    .map(({ text }) => text)
    .join("")
}

const readParagraph = (paragraph: XmlElement, showsFields = true): DrawingParagraph => {
  const [properties] = findChildren(paragraph, "pPr")
  const runs = paragraph.children.filter(({ name }) => showsFields || name !== "fld")
  return {
    text: runs.map(runText).join("").trim(),
    level: Number(properties?.attributes.lvl) || 0,
  }
}

/** Paragraphs with text in a text body of DrawingML, such as `a:txBody` (ECMA-376 part 1, §21.1.2). */
export const readDrawingParagraphs = (
  textBody: XmlElement | undefined,
  { showsFields = true } = {},
): DrawingParagraph[] =>
  findChildren(textBody, "p")
    .map((paragraph) => readParagraph(paragraph, showsFields))
    .filter(({ text }) => text !== "")

/** The text of all text bodies below an element on one line. */
export const readDrawingText = (element: XmlElement | undefined): string =>
  findDescendants(element, "p")
    .map((paragraph) => readParagraph(paragraph).text.replaceAll("\n", " "))
    .filter(Boolean)
    .join(" ")
