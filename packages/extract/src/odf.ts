import type { PassageLocation } from "./blocks.ts"
import { type Block, createHeadingTracker } from "./blocks.ts"
import { walkXml } from "./markup.ts"
import { rowsToBlocks } from "./table.ts"
import type { Zip } from "./zip.ts"

const maxRepeatedEmptyCells = 50
/** Limits on repeating a non-empty cell: number of cells and resulting characters. */
const maxFilledCells = 500
const maxRepeatedCharacters = 20_000

interface Row {
  row: number
  cells: string[]
}

/** Collects blocks while walking content.xml (OpenDocument 1.3 part 3). */
const createContentWalker = () => {
  const blocks: Block[] = []
  const headings = createHeadingTracker()
  let location: PassageLocation = {}
  let pages = 0
  let text = ""
  let depth = 0
  let level = 0
  let rows: Row[] | null = null
  let cell: { parts: string[]; repeated: number } | null = null
  let annotationDepth = 0

  const leaveText = (): void => {
    if (--depth > 0) return
    const trimmed = text.trim()
    text = ""
    if (trimmed === "") return
    if (cell) {
      cell.parts.push(trimmed)
      return
    }
    if (level > 0) headings.enter(level, trimmed)
    blocks.push({
      text: trimmed,
      kind: level > 0 ? "heading" : "paragraph",
      location: { ...location, ...headings.path() },
    })
  }
  const enterText = (headingLevel: number): void => {
    if (depth++ === 0) level = headingLevel
  }
  const endCell = (): void => {
    const value = cell?.parts.join(" ") ?? ""
    const max =
      value === ""
        ? maxRepeatedEmptyCells
        : Math.min(maxFilledCells, maxRepeatedCharacters / value.length)
    const times = Math.min(cell?.repeated ?? 1, Math.max(1, max))
    for (let at = 0; at < times; at++) rows?.at(-1)?.cells.push(value)
    cell = null
  }
  const open: Record<string, (attributes: Record<string, string>) => void> = {
    "text:h": (attributes) => enterText(Number(attributes["text:outline-level"]) || 1),
    "text:p": () => enterText(0),
    "text:s": (attributes) => {
      text += " ".repeat(Math.min(Number(attributes["text:c"]) || 1, 100))
    },
    "text:tab": () => {
      text += "\t"
    },
    "text:line-break": () => {
      text += "\n"
    },
    "office:annotation": () => {
      annotationDepth++
    },
    "draw:page": () => {
      pages++
      location = { slide: pages }
    },
    "table:table": (attributes) => {
      rows ??= []
      location = { ...location, sheet: attributes["table:name"] ?? "" }
    },
    "table:table-row": () => {
      rows?.push({ row: rows.length + 1, cells: [] })
    },
    "table:table-cell": (attributes) => {
      cell = { parts: [], repeated: Number(attributes["table:number-columns-repeated"]) || 1 }
    },
  }
  const close: Record<string, () => void> = {
    "text:h": leaveText,
    "text:p": leaveText,
    "office:annotation": () => {
      annotationDepth--
    },
    "table:table-cell": endCell,
    "table:table": () => {
      for (const row of rowsToBlocks(rows ?? [], { ...location, ...headings.path() }))
        blocks.push(row)
      rows = null
      const { sheet, ...rest } = location
      location = rest
    },
  }
  return {
    blocks,
    pages: () => pages,
    listener: {
      open: (name: string, attributes: Record<string, string>) => open[name]?.(attributes),
      close: (name: string) => close[name]?.(),
      text: (piece: string) => {
        if (depth > 0 && annotationDepth === 0) text += piece.replace(/\s+/g, " ")
      },
    },
  }
}

/** OpenDocument text, presentation (including notes) and spreadsheet. */
export const readOdf = (zip: Zip): { blocks: Block[]; pages?: number } => {
  const walker = createContentWalker()
  walkXml(zip.readText("content.xml"), walker.listener)
  const pages = walker.pages()
  return { blocks: walker.blocks, ...(pages > 0 && { pages }) }
}
