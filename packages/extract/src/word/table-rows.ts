import type { Block, PassageLocation } from "../blocks.ts"
import { findChild, findDescendants, type XmlElement } from "../ooxml/office-xml.ts"
import { rowsToBlocks } from "../rows-to-blocks.ts"
import { isEnabled, readValue } from "./styles.ts"

/** As many columns as Word allows. */
const maxColumns = 63
/** Longer texts of cells that span rows are not repeated in each. */
const maxRepeatedLength = 200
/** Rows in which a header can stand. */
const headerSearchRows = 60

/** Cells of a row, also those inside of content controls and tracked changes. */
export const findCells = (row: XmlElement): XmlElement[] =>
  row.children.flatMap((child) => {
    if (child.name === "tc") return [child]
    return /^(sdt|sdtContent|customXml|ins)$/.test(child.name) ? findCells(child) : []
  })

const rowProperties = (row: XmlElement): XmlElement | undefined => findChild(row, "trPr")

export const isDeletedRow = (row: XmlElement): boolean =>
  findChild(rowProperties(row), "del") !== undefined

const readCount = (properties: XmlElement | undefined, name: string, minimum: number): number =>
  Math.min(Math.max(Number(readValue(properties, name)) || minimum, minimum), maxColumns)

/** A cell that continues the one above. */
const isContinued = (properties: XmlElement | undefined): boolean => {
  const merge = findChild(properties, "vMerge")
  return merge !== undefined && merge.attributes["w:val"] !== "restart"
}

const repeatedText = (text = ""): string => (text.length <= maxRepeatedLength ? text : "")

const isShaded = (properties: XmlElement | undefined): boolean => {
  const fill = findChild(properties, "shd")?.attributes["w:fill"] ?? "auto"
  return !/^(auto|f{6})$/i.test(fill)
}

const isBold = (cell: XmlElement): boolean => {
  const runs = findDescendants(cell, "r").filter((run) => findChild(run, "t"))
  return runs.length > 0 && runs.every((run) => isEnabled(findChild(run, "rPr"), "b") ?? false)
}

const isEmptyCell = (cell: XmlElement): boolean => findDescendants(cell, "t").length === 0

/** Whether a row looks like a header: by the table's style, or as its cells are bold or shaded. */
const isEmphasized = (row: XmlElement): boolean => {
  const { "w:firstRow": firstRow, "w:val": conditions = "" } =
    findChild(rowProperties(row), "cnfStyle")?.attributes ?? {}
  if (firstRow === "1" || conditions.startsWith("1")) return true
  const filled = findCells(row).filter((cell) => !isEmptyCell(cell))
  return filled.every((cell) => isShaded(findChild(cell, "tcPr")) || isBold(cell))
}

interface Row {
  row: number
  cells: string[]
  isEmphasized: boolean
  /** Number of columns of each horizontally merged cell, by its first column. */
  spans: Map<number, number>
}

/** Collects the rows of a table, with the cells of each in the columns of the table's grid. */
export class TableRows {
  readonly #rows: Row[] = []
  #headerRows = 0

  get isEmpty(): boolean {
    return this.#rows.length === 0
  }

  add(row: XmlElement, readCell: (cell: XmlElement) => string): void {
    const properties = rowProperties(row)
    const isHeader = isEnabled(properties, "tblHeader") ?? false
    if (isHeader && this.#headerRows === this.#rows.length) this.#headerRows++
    const above = this.#rows.at(-1)?.cells ?? []
    const cells: string[] = Array(readCount(properties, "gridBefore", 0)).fill("")
    const spans = new Map<number, number>()
    for (const cell of findCells(row).slice(0, maxColumns)) {
      const cellProperties = findChild(cell, "tcPr")
      const column = cells.length
      cells.push(isContinued(cellProperties) ? repeatedText(above[column]) : readCell(cell))
      const span = Math.min(readCount(cellProperties, "gridSpan", 1), maxColumns - column)
      if (span > 1) spans.set(column, span)
      while (cells.length < column + span) cells.push("")
    }
    this.#rows.push({
      row: this.#rows.length + 1,
      cells,
      isEmphasized: this.#rows.length < headerSearchRows && isEmphasized(row),
      spans,
    })
  }

  toBlocks(location: PassageLocation): Block[] {
    const headerRows = this.#headerRows < this.#rows.length ? this.#headerRows : 0
    const blocks = rowsToBlocks(this.#rows, location, headerRows > 0 ? headerRows : undefined)
    return blocks.map(({ location: { row, ...inDocument }, ...block }) => ({
      ...block,
      location: inDocument,
    }))
  }
}
