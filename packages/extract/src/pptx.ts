import type { Block } from "./blocks.ts"
import { resolveArchivePath, walkXml } from "./markup.ts"
import type { Zip } from "./zip.ts"

/** Relationships of a part, by id. */
export const readRelationships = (
  zip: Zip,
  part: string,
): Map<string, { type: string; target: string }> => {
  const folder = part.split("/").slice(0, -1).join("/")
  const name = `${folder}/_rels/${part.split("/").at(-1)}.rels`
  const relationships = new Map<string, { type: string; target: string }>()
  walkXml(zip.readText(name), {
    open: (tag, { Id = "", Type = "", Target = "" }) => {
      if (tag === "Relationship") {
        relationships.set(Id, {
          type: Type.split("/").at(-1) ?? "",
          target: resolveArchivePath(part, Target),
        })
      }
    },
  })
  return relationships
}

/** Paragraphs of a drawing; `title` marks those in a title placeholder. */
const readParagraphs = (source: string): { text: string; title: boolean }[] => {
  const paragraphs: { text: string; title: boolean }[] = []
  let text = ""
  let isInText = false
  let placeholder = ""
  walkXml(source, {
    open: (name, { type = "" }) => {
      if (name === "p:sp") placeholder = ""
      if (name === "p:ph") placeholder = type
      if (name === "a:t") isInText = true
      if (name === "a:br") text += "\n"
    },
    close: (name) => {
      if (name === "a:t") isInText = false
      if (name === "a:tc") text += " "
      if (name !== "a:p") return
      const paragraph = text.trim()
      text = ""
      const isNumber = placeholder === "sldNum" || placeholder === "dt" || placeholder === "ftr"
      if (paragraph && !isNumber)
        paragraphs.push({ text: paragraph, title: /title/i.test(placeholder) })
    },
    text: (piece) => {
      if (isInText) text += piece
    },
  })
  return paragraphs
}

/** The slides in presentation order, without duplicates. */
const slideOrder = (zip: Zip): string[] => {
  const part = "ppt/presentation.xml"
  const related = readRelationships(zip, part)
  const order = new Set<string>()
  walkXml(zip.readText(part), {
    open: (name, attributes) => {
      const target = name === "p:sldId" ? related.get(attributes["r:id"] ?? "")?.target : undefined
      if (target) order.add(target)
    },
  })
  return [...order]
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
  const order = slideOrder(zip)
  const blocks = order.flatMap((part, index) => readSlide(zip, part, index + 1))
  return { blocks, pages: order.length }
}
