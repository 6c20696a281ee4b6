/**
 * `latin` is Helvetica. `unicode` is a font whose characters are all half as wide as high; its text
 * is drawn from left to right as given. `japanese` and `vertical` are not embedded: they name
 * predefined character maps.
 */
export type PdfFont = "latin" | "unicode" | "japanese" | "vertical"

/** Text at a position from the lower left corner of a page, in points. */
export interface PlacedText {
  text: string
  x: number
  y: number
  /** 10 by default. */
  size?: number
  font?: PdfFont
  /** In degrees, counterclockwise. */
  angle?: number
}

const hexadecimal = (text: string): string =>
  Array.from({ length: text.length }, (_unused, index) =>
    text.charCodeAt(index).toString(16).padStart(4, "0"),
  ).join("")

const escaped = (text: string): string =>
  `(${Buffer.from(text, "latin1")
    .toString("latin1")
    .replace(/[\\()]/g, "\\$&")})`

const draw = ({ text, x, y, size = 10, font = "latin", angle = 0 }: PlacedText): string => {
  const [cosine, sine] = [Math.cos((angle * Math.PI) / 180), Math.sin((angle * Math.PI) / 180)]
  const matrix = [cosine, sine, -sine, cosine, x, y].map((value) => value.toFixed(3)).join(" ")
  const shown = font === "latin" ? escaped(text) : `<${hexadecimal(text)}>`
  return `BT /${font} ${size} Tf ${matrix} Tm ${shown} Tj ET`
}

const stream = (content: string): string =>
  `<</Length ${content.length}>>\nstream\n${content}\nendstream`

/** Maps each character code of the font `unicode` to itself. */
const characterMap = `/CIDInit /ProcSet findresource begin 12 dict begin begincmap
/CMapName /Own def /CMapType 2 def
1 begincodespacerange <0000> <FFFF> endcodespacerange
1 beginbfrange <0000> <FFFF> <0000> endbfrange
endcmap end end`

const compositeFont = (name: string, encoding: string, system: string, more = ""): string =>
  `<</Type/Font/Subtype/Type0/BaseFont/${name}/Encoding/${encoding}${more}/DescendantFonts[` +
  `<</Type/Font/Subtype/CIDFontType2/BaseFont/${name}/DW ${system === "Japan1" ? 1000 : 500}` +
  `/CIDSystemInfo<</Registry(Adobe)/Ordering(${system})/Supplement 0>>>>]>>`

/** A PDF with text at positions, one list for each page; it is drawn in the order given. */
export const makePdf = (
  pages: readonly (readonly PlacedText[])[],
  { width = 600, height = 800 } = {},
): Buffer => {
  const kids = pages.map((_page, index) => `${8 + index * 2} 0 R`)
  const objects = [
    "<</Type/Catalog/Pages 2 0 R>>",
    `<</Type/Pages/Kids[${kids.join(" ")}]/Count ${pages.length}>>`,
    "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>",
    compositeFont("Plain", "Identity-H", "Identity", "/ToUnicode 5 0 R"),
    stream(characterMap),
    compositeFont("Mincho", "UniJIS-UCS2-H", "Japan1"),
    compositeFont("Mincho", "UniJIS-UCS2-V", "Japan1"),
  ]
  for (const [index, texts] of pages.entries()) {
    objects.push(
      `<</Type/Page/Parent 2 0 R/MediaBox[0 0 ${width} ${height}]/Resources<</Font` +
        "<</latin 3 0 R/unicode 4 0 R/japanese 6 0 R/vertical 7 0 R>>>>" +
        `/Contents ${9 + index * 2} 0 R>>`,
      stream(texts.map(draw).join("\n")),
    )
  }
  let text = "%PDF-1.4\n"
  const offsets = objects.map((object, index) => {
    const offset = text.length
    text += `${index + 1} 0 obj\n${object}\nendobj\n`
    return `${String(offset).padStart(10, "0")} 00000 n \n`
  })
  const start = text.length
  text += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${offsets.join("")}`
  text += `trailer\n<</Size ${objects.length + 1}/Root 1 0 R>>\nstartxref\n${start}\n%%EOF`
  return Buffer.from(text, "latin1")
}
