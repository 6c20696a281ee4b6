import type { Block } from "../blocks.ts"
import { walkXml } from "../markup.ts"
import { readReferencedParts } from "../ooxml/relationships.ts"
import { rowsToBlocks } from "../rows-to-blocks.ts"
import type { Zip } from "../zip/zip.ts"

const maxColumns = 500
/** Serial numbers of the years 1 to 9999. */
const minDate = -693_593
const maxDate = 2_958_466

const sharedStrings = (zip: Zip): string[] => {
  const strings: string[] = []
  let text = ""
  let phonetic = false
  walkXml(zip.readText("xl/sharedStrings.xml"), {
    textElements: ["t"],
    open: (name) => {
      if (name === "si") text = ""
      if (name === "rPh") phonetic = true
    },
    close: (name) => {
      if (name === "rPh") phonetic = false
      if (name === "si") strings.push(text)
    },
    text: (piece) => {
      if (!phonetic) text += piece
    },
  })
  return strings
}

/** The format code without literal text; its letters tell whether it is a date. */
const withoutLiterals = (code: string): string => code.replace(/"[^"]*"?|\[[^\]]*\]?/g, "")

/** Cell styles that display a number as a date. */
const dateStyles = (zip: Zip): Set<number> => {
  const custom = new Set<number>()
  const styles = new Set<number>()
  let inCells = false
  let index = 0
  walkXml(zip.readText("xl/styles.xml"), {
    open: (name, { numFmtId = "", formatCode = "" }) => {
      const format = Number(numFmtId)
      if (name === "numFmt" && /[dmy]/i.test(withoutLiterals(formatCode))) custom.add(format)
      if (name === "cellXfs") inCells = true
      if (name !== "xf" || !inCells) return
      if ((format >= 14 && format <= 17) || format === 22 || custom.has(format)) styles.add(index)
      index++
    },
    close: (name) => {
      if (name === "cellXfs") inCells = false
    },
  })
  return styles
}

const columnOf = (reference: string): number => {
  let column = 0
  for (const letter of /^[A-Z]+/.exec(reference)?.[0] ?? "") {
    column = column * 26 + letter.charCodeAt(0) - 64
  }
  return column - 1
}

/** Converts a spreadsheet's serial number (days since 1899-12-30). */
const dateOf = (days: number): string => {
  const iso = new Date(Math.round((days - 25_569) * 86_400_000)).toISOString()
  return days % 1 === 0 ? iso.slice(0, 10) : iso.slice(0, 16).replace("T", " ")
}

interface WorkbookContext {
  strings: readonly string[]
  dates: ReadonlySet<number>
}

const shownValue = (
  raw: string,
  { t, s }: Record<string, string>,
  { strings, dates }: WorkbookContext,
) => {
  if (t === "s") return strings[Number(raw)] ?? ""
  if (t === "b") return raw === "1" ? "TRUE" : "FALSE"
  const isNumber = (t === undefined || t === "n") && raw !== "" && Number.isFinite(Number(raw))
  const isDate = Number(raw) >= minDate && Number(raw) < maxDate && dates.has(Number(s))
  return isNumber && isDate ? dateOf(Number(raw)) : raw
}

const readSheet = (
  source: string,
  workbook: WorkbookContext,
): { row: number; cells: string[] }[] => {
  const rows: { row: number; cells: string[] }[] = []
  let cell: Record<string, string> = {}
  let column = 0
  let raw = ""
  walkXml(source, {
    textElements: ["v", "t"],
    open: (name, attributes) => {
      if (name === "row") {
        rows.push({ row: Number(attributes.r) || rows.length + 1, cells: [] })
        column = 0
      }
      if (name === "c") {
        cell = attributes
        raw = ""
        column = attributes.r ? columnOf(attributes.r) : column
      }
    },
    close: (name) => {
      if (name !== "c") return
      const cells = rows.at(-1)?.cells
      if (cells && column < maxColumns) cells[column] = shownValue(raw, cell, workbook)
      column++
    },
    text: (piece) => {
      raw += piece
    },
  })
  return rows.map(({ row, cells }) => ({ row, cells: Array.from(cells, (text) => text ?? "") }))
}

/** Excel: each row with its column names (ECMA-376 part 1, §18). */
export const readXlsx = (zip: Zip): { blocks: Block[]; pages: number } => {
  const workbook = { strings: sharedStrings(zip), dates: dateStyles(zip) }
  const sheets = readReferencedParts(zip, "xl/workbook.xml", "sheet")
  const blocks = [...sheets].flatMap(([part, { name = "" }]) =>
    rowsToBlocks(readSheet(zip.readText(part), workbook), { sheet: name }),
  )
  return { blocks, pages: sheets.size }
}
