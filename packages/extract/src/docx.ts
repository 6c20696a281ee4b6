import { type Block, createHeadingTracker } from "./blocks.ts"
import { walkXml } from "./markup.ts"
import type { Zip } from "./zip.ts"

/** Heading level of each paragraph style, 1-based. */
const headingLevels = (zip: Zip): Map<string, number> => {
  const levels = new Map<string, number>([["Title", 1]])
  for (let level = 1; level <= 9; level++) levels.set(`Heading${level}`, level)
  let style = ""
  walkXml(zip.readText("word/styles.xml"), {
    open: (name, attributes) => {
      if (name === "w:style") style = attributes["w:styleId"] ?? ""
      const named = /^heading (\d)$/i.exec(attributes["w:val"] ?? "")
      if (name === "w:name" && named) levels.set(style, Number(named[1]))
      if (name === "w:outlineLvl" && Number(attributes["w:val"]) < 9) {
        levels.set(style, Number(attributes["w:val"]) + 1)
      }
    },
  })
  return levels
}

const readPart = (source: string, levels: ReadonlyMap<string, number>): Block[] => {
  const blocks: Block[] = []
  const headings = createHeadingTracker()
  let text = ""
  let level = 0
  /** Paragraphs of each cell. */
  let row: string[][] | null = null
  let tableDepth = 0
  let isInText = false

  const endParagraph = (): void => {
    const paragraph = text.trim()
    text = ""
    if (paragraph === "") return
    if (row) {
      row.at(-1)?.push(paragraph)
      return
    }
    if (level > 0) headings.enter(level, paragraph)
    blocks.push({
      text: paragraph,
      kind: level > 0 ? "heading" : "paragraph",
      location: headings.path(),
    })
  }
  const endRow = (): void => {
    const cells = (row ?? []).map((paragraphs) => paragraphs.join(" "))
    row = null
    if (cells.some(Boolean)) {
      blocks.push({ text: cells.join(" | "), kind: "row", location: headings.path() })
    }
  }
  const openHandlers: Record<string, (attributes: Record<string, string>) => void> = {
    "w:p": () => {
      level = 0
    },
    "w:pStyle": (attributes) => {
      level = levels.get(attributes["w:val"] ?? "") ?? 0
    },
    "w:t": () => {
      isInText = true
    },
    "w:tab": () => {
      text += "\t"
    },
    "w:br": () => {
      text += "\n"
    },
    "w:tbl": () => {
      tableDepth++
    },
    "w:tr": () => {
      if (tableDepth === 1) row = []
    },
    "w:tc": () => {
      row?.push([])
    },
  }
  const closeHandlers: Record<string, () => void> = {
    "w:t": () => {
      isInText = false
    },
    "w:p": endParagraph,
    "w:tbl": () => {
      tableDepth--
    },
    "w:tr": () => {
      if (tableDepth === 1) endRow()
    },
  }
  walkXml(source, {
    open: (name, attributes) => openHandlers[name]?.(attributes),
    close: (name) => closeHandlers[name]?.(),
    text: (piece) => {
      if (isInText) text += piece
    },
  })
  return blocks
}

/** Word: paragraphs, tables, footnotes and endnotes (ECMA-376 part 1, §17). */
export const readDocx = (zip: Zip): Block[] => {
  const levels = headingLevels(zip)
  const parts = ["word/document.xml", "word/footnotes.xml", "word/endnotes.xml"]
  return parts.flatMap((name) => readPart(zip.readText(name), levels))
}
