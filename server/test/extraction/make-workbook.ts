import { createZip } from "../files/make-documents.ts"

type CellValue = string | number | { xml: string }

interface SheetContent {
  /** Rows from the first one on; `null` is an empty cell. */
  rows: readonly (readonly (CellValue | null)[])[]
  /** References such as `A1:C1`. */
  merged?: readonly string[]
  /** XML that stands before and after the rows. */
  before?: string
  after?: string
  state?: string
  /** Targets of relationships by their type. */
  related?: Readonly<Record<string, string>>
}

const escapeXml = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;")

const columnName = (index: number): string => String.fromCharCode(65 + index)

const cellXml = (value: CellValue, reference: string): string => {
  if (typeof value === "object") return value.xml.replace("<c ", `<c r="${reference}" `)
  return typeof value === "number"
    ? `<c r="${reference}"><v>${value}</v></c>`
    : `<c r="${reference}" t="inlineStr"><is><t>${escapeXml(value)}</t></is></c>`
}

const sheetXml = ({ rows, merged = [], before = "", after = "" }: SheetContent): string => {
  const rowsXml = rows.map((cells, row) => {
    const cellsXml = cells.map((value, column) =>
      value === null ? "" : cellXml(value, `${columnName(column)}${row + 1}`),
    )
    return `<row r="${row + 1}">${cellsXml.join("")}</row>`
  })
  const mergedXml = merged.map((ref) => `<mergeCell ref="${ref}"/>`).join("")
  return `<worksheet>${before}<sheetData>${rowsXml.join("")}</sheetData><mergeCells>${mergedXml}</mergeCells>${after}</worksheet>`
}

/** A number with a style of the workbook, by its index. */
export const styled = (value: number, style: number): CellValue => ({
  xml: `<c s="${style}"><v>${value}</v></c>`,
})

const relationshipsXml = (related: Readonly<Record<string, string>>): string =>
  `<Relationships>${Object.entries(related)
    .map(([type, target], at) => `<Relationship Id="r${at}" Type="x/${type}" Target="${target}"/>`)
    .join("")}</Relationships>`

/** An Excel workbook. `codes` are number formats; the style of each has its index plus one. */
export const createWorkbook = (
  sheets: Readonly<Record<string, SheetContent>>,
  {
    codes = [],
    parts = {},
    properties = "",
  }: {
    codes?: readonly string[]
    parts?: Readonly<Record<string, string>>
    properties?: string
  } = {},
): Buffer => {
  const entries = Object.entries(sheets)
  const sheetList = entries.map(
    ([name, { state = "visible" }], at) => `<sheet name="${name}" state="${state}" r:id="r${at}"/>`,
  )
  const formats = codes.map(
    (code, at) => `<numFmt numFmtId="${200 + at}" formatCode="${escapeXml(code)}"/>`,
  )
  const styles = codes.map((_code, at) => `<xf numFmtId="${200 + at}"/>`)
  const sheetParts = entries.flatMap(([, sheet], at) => [
    [`xl/worksheets/sheet${at}.xml`, sheetXml(sheet)],
    [`xl/worksheets/_rels/sheet${at}.xml.rels`, relationshipsXml(sheet.related ?? {})],
  ])
  const targets = entries.map(
    (_entry, at) =>
      `<Relationship Id="r${at}" Type="x/worksheet" Target="worksheets/sheet${at}.xml"/>`,
  )
  return createZip({
    "xl/workbook.xml": `<workbook>${properties}<sheets>${sheetList.join("")}</sheets></workbook>`,
    "xl/_rels/workbook.xml.rels": `<Relationships>${targets.join("")}<Relationship Id="p" Type="x/person" Target="persons/person.xml"/></Relationships>`,
    "xl/styles.xml": `<styleSheet><numFmts>${formats.join("")}</numFmts><cellXfs><xf numFmtId="0"/>${styles.join("")}</cellXfs></styleSheet>`,
    ...Object.fromEntries(sheetParts),
    ...parts,
  })
}
