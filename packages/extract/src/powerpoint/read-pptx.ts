import type { Block } from "../blocks.ts"
import { walkXml } from "../markup.ts"
import { readReferencedParts, readRelationships } from "../ooxml/relationships.ts"
import type { Zip } from "../zip/zip.ts"

/** Paragraphs of a drawing; `title` marks those in a title placeholder. */
const readParagraphs = (source: string): { text: string; title: boolean }[] => {
  const paragraphs: { text: string; title: boolean }[] = []
  let text = ""
  let placeholder = ""
  walkXml(source, {
    textElements: ["a:t"],
    open: (name, { type = "" }) => {
      if (name === "p:sp") placeholder = ""
      if (name === "p:ph") placeholder = type
      if (name === "a:br") text += "\n"
    },
    close: (name) => {
      if (name === "a:tc") text += " "
      if (name !== "a:p") return
      const paragraph = text.trim()
      text = ""
      const isNumber = placeholder === "sldNum" || placeholder === "dt" || placeholder === "ftr"
      if (paragraph && !isNumber)
        paragraphs.push({ text: paragraph, title: /title/i.test(placeholder) })
    },
    text: (piece) => {
      text += piece
    },
  })
  return paragraphs
}

const readSlide = (zip: Zip, part: string, slide: number): Block[] => {
  const paragraphs = readParagraphs(zip.readText(part))
  const title = paragraphs.find((paragraph) => paragraph.title)?.text
  const location = { slide, ...(title && { heading: [title] }) }
  const blocks: Block[] = paragraphs.map((paragraph) => ({
    text: paragraph.text,
    kind: paragraph.title ? "heading" : "row",
    location,
  }))
  const notes = [...readRelationships(zip, part).values()].find(({ type }) => type === "notesSlide")
  const notesText = notes ? readParagraphs(zip.readText(notes.target)) : []
  return [...blocks, ...notesText.map(({ text }): Block => ({ text, kind: "paragraph", location }))]
}

/** PowerPoint: each slide with its notes (ECMA-376 part 1, §19). */
export const readPptx = (zip: Zip): { blocks: Block[]; pages: number } => {
  const slides = [...readReferencedParts(zip, "ppt/presentation.xml", "p:sldId").keys()]
  const blocks = slides.flatMap((part, index) => readSlide(zip, part, index + 1))
  return { blocks, pages: slides.length }
}
