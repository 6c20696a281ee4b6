import type { Block, PassageLocation } from "./blocks.ts"
import { cellKind } from "./tables/cell-kind.ts"
import { columnNames } from "./tables/column-names.ts"
import {
  findHeader,
  type HeaderRange,
  headerSearchRows,
  maxHeaderRows,
} from "./tables/find-header.ts"
import { splitAtEmptyColumns, splitAtEmptyRows } from "./tables/find-regions.ts"
import {
  formatNamedRows,
  formatTable,
  formatTitleRows,
  formatUnnamedRows,
} from "./tables/format-rows.ts"
import { filledCells, filledColumns, hasText, type TableRow } from "./tables/table-row.ts"

/** Longer columns of single texts are lists rather than titles. */
const maxTitleRows = 3

const areTitles = (rows: readonly TableRow[]): boolean =>
  rows.length <= maxTitleRows && rows.every((row) => filledCells(row).length === 1)

/** Reads the regions of a sheet from top to bottom; titles and headers apply to what follows. */
class SheetFormatter {
  readonly blocks: Block[] = []
  readonly #location: PassageLocation
  readonly #headerRows: ReadonlySet<number>
  #heading: string[] | undefined
  /** Column names of the last table; empty before the first one. */
  #names: ReadonlyMap<number, string> = new Map()

  constructor(location: PassageLocation, headerRows: ReadonlySet<number>) {
    this.#location = location
    this.#headerRows = headerRows
    this.#heading = location.heading
  }

  #inSection(): PassageLocation {
    return { ...this.#location, ...(this.#heading && { heading: this.#heading }) }
  }

  #push(blocks: readonly Block[]): void {
    for (const block of blocks) this.blocks.push(block)
  }

  #addTitles(rows: readonly TableRow[]): void {
    if (rows.length === 0) return
    const { blocks, heading } = formatTitleRows(rows, this.#location)
    const hasTitle = heading !== this.#location.heading
    if (hasTitle) this.#heading = heading
    this.#push(hasTitle ? blocks : formatUnnamedRows(rows, this.#inSection()))
  }

  /** Whether rows go on with the last table after an empty row. */
  #continuesTable(rows: readonly TableRow[]): boolean {
    const named = this.#names.size
    const start = rows.slice(0, headerSearchRows).map(filledCells)
    const width = Math.max(...start.map(({ length }) => length))
    if (named === 0 || width < 2) return false
    const isWithin = start.every((cells) => cells.every(({ column }) => this.#names.has(column)))
    const hasValues = start.some((cells) =>
      cells.slice(1).some(({ text }) => cellKind(text) !== "text"),
    )
    return isWithin && (width > named / 2 || hasValues)
  }

  #addTable(rows: readonly TableRow[], { start, end }: HeaderRange): void {
    this.#addTitles(rows.slice(0, start))
    const header = rows.slice(start, end)
    this.#names = columnNames(header)
    this.#push(formatTable(header, rows.slice(end), this.#inSection()))
  }

  /** @param isLast whether nothing follows that its texts could be titles of */
  addRegion(rows: readonly TableRow[], isLast: boolean): void {
    const header = findHeader(rows, this.#headerRows)
    const isContinued = !header?.isCertain && this.#continuesTable(rows)
    if (isContinued) this.#push(formatNamedRows(rows, this.#names, this.#inSection()))
    else if (header) this.#addTable(rows, header)
    else if (!isLast && areTitles(rows)) this.#addTitles(rows)
    else this.#push(formatUnnamedRows(rows, this.#inSection()))
  }

  /** Adds a table whose number of header rows the document tells. */
  addKnownTable(rows: readonly TableRow[], headerRows: number): void {
    const end = Math.min(headerRows, maxHeaderRows)
    if (end === 0) this.#push(formatUnnamedRows(rows, this.#inSection()))
    else this.#addTable(rows, { start: 0, end, isCertain: true })
  }
}

/** A range that the document itself calls a table. */
export interface KnownTable {
  /** Its rows, and no columns but its own. */
  rows: readonly TableRow[]
  headerRows: number
}

/** What a document tells about the tables in a sheet. */
export interface SheetStructure {
  /** Numbers of rows that are headers. */
  headerRows?: ReadonlySet<number>
  /** Their cells are not among the rows of the sheet. */
  tables?: readonly KnownTable[]
}

const hasValues = (row: TableRow | undefined): boolean =>
  row !== undefined && filledCells(row).some(({ text }) => cellKind(text) !== "text")

const isHeaderBand = (band: readonly TableRow[]): boolean => {
  const lowest = band.at(-1)
  if (band.length > maxTitleRows || !lowest || filledColumns(lowest).length < 2) return false
  return !band.some(hasValues)
}

/** Labels above an empty row belong to the values below it. */
const joinHeaders = (bands: readonly TableRow[][]): TableRow[][] => {
  const joined: TableRow[][] = []
  for (const band of bands) {
    const above = joined.at(-1) ?? []
    const follows = (band[0]?.row ?? 0) - (above.at(-1)?.row ?? 0) === 2
    const belongs = follows && hasValues(band[0]) && isHeaderBand(above)
    if (belongs) joined.splice(-1, 1, [...above, ...band])
    else joined.push(band)
  }
  return joined
}

/**
 * Formats a sheet, which may hold several tables, forms, titles and notes. Rows of tables have the
 * name of its column before each value.
 */
export const sheetToBlocks = (
  rows: readonly TableRow[],
  location: PassageLocation = {},
  { headerRows = new Set(), tables = [] }: SheetStructure = {},
): Block[] => {
  const filled = rows.filter(hasText)
  const bands = joinHeaders(splitAtEmptyRows(filled)).flatMap(splitAtEmptyColumns)
  const formatter = new SheetFormatter(location, headerRows)
  const known = tables.toSorted((a, z) => (a.rows[0]?.row ?? 0) - (z.rows[0]?.row ?? 0))
  let next = 0
  const addTablesAbove = (row: number): void => {
    for (; next < known.length; next++) {
      const table = known[next]
      if (!table || (table.rows[0]?.row ?? 0) > row) return
      formatter.addKnownTable(table.rows, table.headerRows)
    }
  }
  for (const [index, band] of bands.entries()) {
    addTablesAbove((band[0]?.row ?? 0) - 1)
    formatter.addRegion(band, index === bands.length - 1 && next === known.length)
  }
  addTablesAbove(Number.MAX_SAFE_INTEGER)
  return formatter.blocks
}
