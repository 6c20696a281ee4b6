import type { Block, PassageLocation } from "../blocks.ts"
import { rowsToBlocks } from "../rows-to-blocks.ts"
import { sheetToBlocks } from "../sheet-to-blocks.ts"

/** As many columns as spreadsheets have. */
const maxColumns = 16_384
/** Limits on repeating a non-empty cell: number of cells and resulting characters. */
const maxFilledCells = 500
const maxRepeatedCharacters = 20_000
/** Longer texts of cells that span rows are not repeated in each. */
const maxSpannedLength = 200

const countOf = (value: string | undefined): number => Math.max(1, Number(value) || 1)

const columnName = (column: number): string => {
  const letter = String.fromCodePoint(65 + (column % 26))
  return column < 26 ? letter : columnName(Math.floor(column / 26) - 1) + letter
}

interface Row {
  row: number
  /** By column; empty cells are absent. */
  cells: string[]
  /** Column of the next cell. */
  column: number
  /** Whether all cells with text are. */
  isEmphasized: boolean
  spans: Map<number, number>
}

/** Collects the rows of a table while it is read. */
export class OdfTable {
  /** What cells refer to, such as comments and text boxes; shown after the table. */
  readonly attached: Block[] = []
  readonly #rows: Row[] = []
  /** Cells that span rows, by column. */
  readonly #spanned = new Map<number, { text: string; rows: number }>()
  #row = 0
  #rowsRepeated = 1
  #headerRows = 0
  #isInHeader = false

  setInHeader(isInHeader: boolean): void {
    this.#isInHeader = isInHeader
  }

  openRow(attributes: Record<string, string>): void {
    this.#row += this.#rowsRepeated
    this.#rowsRepeated = countOf(attributes["table:number-rows-repeated"])
    if (this.#isInHeader && this.#headerRows === this.#rows.length) this.#headerRows++
    this.#rows.push({
      row: Math.max(1, this.#row),
      cells: [],
      column: 0,
      isEmphasized: true,
      spans: new Map(),
    })
  }

  /** Name of the current cell in a sheet, such as `B4`. */
  get cellName(): string {
    return `${columnName(this.#rows.at(-1)?.column ?? 0)}${Math.max(1, this.#row)}`
  }

  addCell(attributes: Record<string, string>, text: string, isEmphasized: boolean): void {
    const row = this.#rows.at(-1)
    if (!row) return
    if (text !== "") row.isEmphasized &&= isEmphasized
    const { column } = row
    const columns = countOf(attributes["table:number-columns-spanned"])
    const rows = countOf(attributes["table:number-rows-spanned"])
    if (columns > 1) row.spans.set(column, columns)
    if (rows > 1 && text.length <= maxSpannedLength)
      this.#spanned.set(column, { text, rows: rows - 1 })
    this.#repeat(row, text, countOf(attributes["table:number-columns-repeated"]))
  }

  /** Adds the cells that another one covers. */
  addCoveredCells(attributes: Record<string, string>): void {
    const row = this.#rows.at(-1)
    if (!row) return
    const count = countOf(attributes["table:number-columns-repeated"])
    const above = this.#spanned.get(row.column)
    if (!above || above.rows-- <= 0) {
      this.#repeat(row, "", count)
      return
    }
    this.#repeat(row, above.text, 1)
    this.#repeat(row, "", count - 1)
  }

  #repeat(row: Row, text: string, count: number): void {
    const { cells, column } = row
    row.column = Math.min(column + count, maxColumns)
    if (text.trim() === "") return
    const max = Math.max(1, Math.min(maxFilledCells, maxRepeatedCharacters / text.length))
    const end = Math.min(row.column, column + max)
    for (let at = column; at < end; at++) cells[at] = text
  }

  /** The texts of the cells without the columns' names. */
  toPlainBlocks(location: PassageLocation): Block[] {
    return this.#rows.map(({ cells }) => ({
      text: Object.values(cells).join(" "),
      kind: "row",
      location,
    }))
  }

  /** @param isSheet whether it may hold several tables, with rows located by their numbers */
  toBlocks(location: PassageLocation, isSheet: boolean): Block[] {
    if (isSheet) return sheetToBlocks(this.#rows, location)
    const isAllHeader = this.#headerRows === this.#rows.length
    const headerRows = isAllHeader || this.#headerRows === 0 ? undefined : this.#headerRows
    return rowsToBlocks(this.#rows, location, headerRows).map(
      ({ location: { row, ...inDocument }, ...block }) => ({ ...block, location: inDocument }),
    )
  }
}
