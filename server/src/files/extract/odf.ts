import type { Place } from "../location.ts"
import { type Block, createHeadings } from "./blocks.ts"
import { rowsToBlocks } from "./table.ts"
import { walkXml } from "./xml.ts"
import type { Zip } from "./zip.ts"

const maxRepeated = 50
/** Limits on repeating a non-empty cell: number of cells and resulting characters. */
const maxFilledCells = 500
const maxRepeatedCharacters = 20_000

interface Row {
  row: number
  cells: string[]
}

/** Collects blocks while walking content.xml (OpenDocument 1.3 part 3). */
const createWalk = () => {
  const blocks: Block[] = []
  const headings = createHeadings()
  let place: Place = {}
  let pages = 0
  let text = ""
  let depth = 0
  let level = 0
  let rows: Row[] | null = null
  let cell: { parts: string[]; repeated: number } | null = null
  let skipped = 0

  const endText = (): void => {
    if (--depth > 0) return
    const own = text.trim()
    text = ""
    if (own === "") return
    if (cell) {
      cell.parts.push(own)
      return
    }
    if (level > 0) headings.enter(level, own)
    blocks.push({
      text: own,
      kind: level > 0 ? "heading" : "paragraph",
      place: { ...place, ...headings.path() },
    })
  }
  const startText = (found: number): void => {
    if (depth++ === 0) level = found
  }
  const endCell = (): void => {
    const value = cell?.parts.join(" ") ?? ""
    const max =
      value === "" ? maxRepeated : Math.min(maxFilledCells, maxRepeatedCharacters / value.length)
    const times = Math.min(cell?.repeated ?? 1, Math.max(1, max))
    for (let at = 0; at < times; at++) rows?.at(-1)?.cells.push(value)
    cell = null
  }
  const open: Record<string, (attributes: Record<string, string>) => void> = {
    "text:h": (attributes) => startText(Number(attributes["text:outline-level"]) || 1),
    "text:p": () => startText(0),
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
      skipped++
    },
    "draw:page": () => {
      pages++
      place = { slide: pages }
    },
    "table:table": (attributes) => {
      rows ??= []
      place = { ...place, sheet: attributes["table:name"] ?? "" }
    },
    "table:table-row": () => {
      rows?.push({ row: rows.length + 1, cells: [] })
    },
    "table:table-cell": (attributes) => {
      cell = { parts: [], repeated: Number(attributes["table:number-columns-repeated"]) || 1 }
    },
  }
  const close: Record<string, () => void> = {
    "text:h": endText,
    "text:p": endText,
    "office:annotation": () => {
      skipped--
    },
    "table:table-cell": endCell,
    "table:table": () => {
      for (const row of rowsToBlocks(rows ?? [], { ...place, ...headings.path() })) blocks.push(row)
      rows = null
      const { sheet, ...rest } = place
      place = rest
    },
  }
  return {
    blocks,
    pages: () => pages,
    listener: {
      open: (name: string, attributes: Record<string, string>) => open[name]?.(attributes),
      close: (name: string) => close[name]?.(),
      text: (piece: string) => {
        if (depth > 0 && skipped === 0) text += piece.replace(/\s+/g, " ")
      },
    },
  }
}

/** OpenDocument text, presentation (including notes) and spreadsheet. */
export const readOdf = (zip: Zip): { blocks: Block[]; pages?: number } => {
  const walk = createWalk()
  walkXml(zip.read("content.xml")?.toString("utf8") ?? "", walk.listener)
  const pages = walk.pages()
  return { blocks: walk.blocks, ...(pages > 0 && { pages }) }
}
