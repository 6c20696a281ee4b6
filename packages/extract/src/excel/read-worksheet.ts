import type { MarkupHandler } from "../markup.ts"
import { type CellRange, columnOf, maxColumns, parseRange } from "./cell-reference.ts"
import type { CellStyle } from "./cell-styles.ts"
import type { SheetRow } from "./fill-merged-cells.ts"
import { decodeEscapes } from "./shared-strings.ts"
import { walkPart } from "./walk-part.ts"

/** Days between the starts of the 1900 and the 1904 date systems. */
const daysTo1904 = 1462
const maxFormulaLength = 500
const maxMergedRanges = 100_000

/** What all worksheets of a workbook share. */
export interface CellContext {
  strings: readonly string[]
  styles: readonly CellStyle[]
  usesDates1904: boolean
}

export interface Worksheet {
  /** Rows with text, from top to bottom. */
  rows: SheetRow[]
  merged: CellRange[]
  autoFilter: CellRange | null
  /** Number of rows that stay visible when the sheet is scrolled. */
  frozenRows: number
}

interface Cell {
  type: string
  style: CellStyle | undefined
  value: string
  formula: string
}

const showNumber = (raw: string, { style }: Cell, usesDates1904: boolean): string => {
  const value = Number(raw)
  if (raw.trim() === "" || !Number.isFinite(value)) return raw
  if (!style) return String(value)
  const { format } = style
  return format.formatNumber(usesDates1904 && format.isDate ? value + daysTo1904 : value)
}

const showText = (text: string, { style }: Cell): string => style?.format.formatText(text) ?? text

const showValue = (value: string, cell: Cell, context: CellContext): string => {
  switch (cell.type) {
    case "b":
      return value === "1" || value === "true" ? "TRUE" : "FALSE"
    case "d":
      return value.replace("T", " ").replace(/ 00:00(:00)?(\.0+)?Z?$/, "")
    case "":
    case "n":
      return showNumber(value, cell, context.usesDates1904)
    case "s":
      return showText(context.strings[Number(value)] ?? "", cell)
    default:
      return showText(decodeEscapes(value), cell)
  }
}

/** The text of a cell as the sheet shows it (§18.18.11). */
const showCell = (cell: Cell, context: CellContext): string => {
  const { type, value, formula } = cell
  // Programs that do not calculate write formulas without their results.
  const isCalculated = value !== "" || type === "str"
  return isCalculated || formula === ""
    ? showValue(value, cell, context)
    : `=${formula.slice(0, maxFormulaLength)}`
}

class WorksheetReader implements MarkupHandler {
  readonly merged: CellRange[] = []
  readonly rows: SheetRow[] = []
  autoFilter: CellRange | null = null
  frozenRows = 0
  readonly #context: CellContext
  #row = 0
  #cells: string[] = []
  #isEmphasized = true
  #column = -1
  #cell: Cell = { type: "", style: undefined, value: "", formula: "" }
  #isPhonetic = false
  #textOf: "value" | "formula" | null = null

  constructor(context: CellContext) {
    this.#context = context
  }

  open(name: string, attributes: Record<string, string>): void {
    if (name === "c") this.#openCell(attributes)
    else if (name === "v" || name === "t") this.#textOf = this.#isPhonetic ? null : "value"
    else if (name === "f") this.#textOf = "formula"
    else if (name === "rPh") this.#isPhonetic = true
    else if (name === "row") this.#openRow(attributes)
    else this.#openOther(name, attributes)
  }

  #openRow({ r }: Record<string, string>): void {
    this.#row = Number(r) || this.#row + 1
    this.#cells = []
    this.#isEmphasized = true
    this.#column = -1
  }

  #openCell({ r, s, t = "" }: Record<string, string>): void {
    const column = r ? columnOf(r) : -1
    this.#column = column < 0 ? this.#column + 1 : column
    const style = this.#context.styles[Number(s) || 0]
    this.#cell = { type: t, style, value: "", formula: "" }
  }

  #openOther(name: string, { ref = "", state, ySplit }: Record<string, string>): void {
    const range = name === "mergeCell" || name === "autoFilter" ? parseRange(ref) : null
    if (range && name === "autoFilter") this.autoFilter = range
    if (range && name === "mergeCell" && this.merged.length < maxMergedRanges) {
      this.merged.push(range)
    }
    if (name === "pane" && state?.startsWith("frozen")) this.frozenRows = Number(ySplit) || 0
  }

  close(name: string): void {
    this.#textOf = null
    if (name === "c") this.#closeCell()
    else if (name === "row") this.#closeRow()
    else if (name === "rPh") this.#isPhonetic = false
  }

  #closeCell(): void {
    const text = showCell(this.#cell, this.#context)
    if (text.trim() === "" || this.#column >= maxColumns) return
    this.#cells[this.#column] = text
    this.#isEmphasized &&= this.#cell.style?.isEmphasized ?? false
  }

  #closeRow(): void {
    if (this.#cells.length === 0) return
    this.rows.push({ row: this.#row, cells: this.#cells, isEmphasized: this.#isEmphasized })
  }

  text(piece: string): void {
    if (this.#textOf === "value") this.#cell.value += piece
    else if (this.#textOf === "formula") this.#cell.formula += piece
  }
}

/** Reads the cells of a worksheet (ECMA-376 part 1, §18.3). */
export const readWorksheet = (source: string, context: CellContext): Worksheet => {
  const reader = new WorksheetReader(context)
  walkPart(source, {
    open: (name, attributes) => reader.open(name, attributes),
    close: (name) => reader.close(name),
    text: (piece) => reader.text(piece),
  })
  const { merged, autoFilter, frozenRows } = reader
  const rows = reader.rows.toSorted((a, z) => a.row - z.row)
  return { rows, merged, autoFilter, frozenRows }
}
