/** A page of a PDF; its text is 12 points high, at a position from the lower left corner. */
export interface FormPage {
  text?: readonly (readonly [x: number, y: number, text: string])[]
  /** Further content operators. */
  content?: string
  /** Dictionaries, whose object numbers are 20, 21 and so on over all pages. */
  annotations?: readonly string[]
  rotate?: number
}

interface FormPdf {
  pages: readonly FormPage[]
  /** Entries of the catalog. */
  catalog?: string
  /** Entries of the form besides its fields, which are all widgets of the pages. */
  form?: string
  /** Objects of which the first has the number 1000. */
  objects?: readonly string[]
}

const firstAnnotation = 20
const firstObject = 1000
const firstPage = 2000

export const streamObject = (content: string, entries = ""): string =>
  `<<${entries}/Length ${Buffer.byteLength(content, "latin1")}>>\nstream\n${content}\nendstream`

const literal = (text: string): string => `(${text.replace(/[\\()]/g, "\\$&")})`

/** A form field with its widget. */
export const widget = (rect: string, name: string, entries: string): string =>
  `<</Type/Annot/Subtype/Widget/F 4/Rect[${rect}]/T${literal(name)}${entries}>>`

export const comment = (subtype: string, rect: string, content: string, entries = ""): string =>
  `<</Type/Annot/Subtype/${subtype}/Rect[${rect}]/Contents${literal(content)}${entries}>>`

const writeObjects = (objects: ReadonlyMap<number, string>): Buffer => {
  const parts = ["%PDF-1.7\n"]
  const offsets: [number, number][] = []
  let length = parts[0]?.length ?? 0
  for (const [number, object] of objects) {
    offsets.push([number, length])
    const part = `${number} 0 obj\n${object}\nendobj\n`
    length += part.length
    parts.push(part)
  }
  const rows = offsets.map(
    ([number, offset]) => `${number} 1\n${String(offset).padStart(10, "0")} 00000 n \n`,
  )
  parts.push(`xref\n0 1\n0000000000 65535 f \n${rows.join("")}`)
  const size = Math.max(...objects.keys()) + 1
  parts.push(`trailer\n<</Size ${size}/Root 1 0 R>>\nstartxref\n${length}\n%%EOF`)
  return Buffer.from(parts.join(""), "latin1")
}

const contentOf = ({ text = [], content = "" }: FormPage): string =>
  [...text.map(([x, y, line]) => `BT /F1 12 Tf ${x} ${y} Td ${literal(line)} Tj ET`), content].join(
    "\n",
  )

/** Creates a PDF with form fields and comments. Its pages have 600 × 800 points. */
export const createFormPdf = ({
  pages,
  catalog = "",
  form = "",
  objects = [],
}: FormPdf): Buffer => {
  const numbered = new Map<number, string>()
  const pageNumbers = pages.map((_page, index) => firstPage + 2 * index)
  const fields: string[] = []
  let next = firstAnnotation
  for (const [index, page] of pages.entries()) {
    const references: string[] = []
    for (const annotation of page.annotations ?? []) {
      const reference = `${next} 0 R`
      numbered.set(next++, annotation)
      references.push(reference)
      if (annotation.includes("/Subtype/Widget")) fields.push(reference)
    }
    const number = firstPage + 2 * index
    const rotate = page.rotate ? `/Rotate ${page.rotate}` : ""
    numbered.set(
      number,
      `<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]${rotate}/Resources<</Font<</F1 3 0 R>>>>/Annots[${references.join(" ")}]/Contents ${number + 1} 0 R>>`,
    )
    numbered.set(number + 1, streamObject(contentOf(page)))
  }
  for (const [index, object] of objects.entries()) numbered.set(firstObject + index, object)
  const fieldList = `/AcroForm<</Fields[${fields.join(" ")}]${form}>>`
  const kids = pageNumbers.map((number) => `${number} 0 R`).join(" ")
  return writeObjects(
    new Map([
      [1, `<</Type/Catalog/Pages 2 0 R${fieldList}${catalog}>>`],
      [2, `<</Type/Pages/Kids[${kids}]/Count ${pages.length}>>`],
      [3, "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"],
      ...numbered,
    ]),
  )
}
