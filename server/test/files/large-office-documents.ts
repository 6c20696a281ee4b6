import { createDocx, createOdf, createZip } from "./make-documents.ts"
import { createDeck, graphicFrame, textShape } from "./make-pptx.ts"
import { varied } from "./varied-words.ts"

export type LargeDocument = [what: string, name: string, content: () => string | Uint8Array]

const numbered = (count: number, of: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => of(at)).join("")

const relationships = (type: string, target: string): string =>
  `<Relationships><Relationship Id="r1" Type="x/${type}" Target="${target}"/></Relationships>`

const sheet = (styles: string) =>
  createZip({
    "xl/workbook.xml": `<workbook><sheets><sheet name="One" r:id="r1"/></sheets></workbook>`,
    "xl/_rels/workbook.xml.rels": relationships("worksheet", "worksheets/sheet1.xml"),
    "xl/styles.xml": styles,
    "xl/worksheets/sheet1.xml": `<worksheet><sheetData><row r="1"><c r="A1"><v>7</v></c></row></sheetData></worksheet>`,
  })

const workbook = (worksheet: string, parts: Record<string, string> = {}) =>
  createZip({
    "xl/workbook.xml": `<workbook><sheets><sheet name="One" r:id="r1"/></sheets></workbook>`,
    "xl/_rels/workbook.xml.rels": relationships("worksheet", "worksheets/sheet1.xml"),
    "xl/worksheets/sheet1.xml": `<worksheet>${worksheet}</worksheet>`,
    ...parts,
  })

const sheetRows = (count: number, row: (cell: string) => string): string =>
  `<sheetData>${varied(count, (word) => row(`<c t="inlineStr"><is><t>${word}</t></is></c>`))}</sheetData>`

const cell = (paragraphs: string) =>
  `<w:document><w:body><w:tbl><w:tr><w:tc>${paragraphs}</w:tc></w:tr></w:tbl></w:body></w:document>`

/** A slide with `reference` to a chart or diagram. */
const slideWithGraphic = (reference: string, graphic: string): Buffer =>
  createDeck(
    [{ shapes: graphicFrame(reference), relationships: { g: ["graphic", "../graphic.xml"] } }],
    { extra: { "ppt/graphic.xml": graphic } },
  )

/** Documents in which something occurs so often that more than linear time would be noticed. */
export const largeOfficeDocuments: LargeDocument[] = [
  [
    "a cell with many paragraphs",
    "c.docx",
    () =>
      createDocx({
        "word/document.xml": cell(varied(500_000, (word) => `<w:p><w:t>${word}</w:t></w:p>`)),
      }),
  ],
  [
    "many sections with a header each",
    "h.docx",
    () =>
      createDocx({
        "word/document.xml": `<w:document><w:body>${varied(100_000, (word) => `<w:p><w:pPr><w:sectPr><w:headerReference r:id="r1"/></w:sectPr></w:pPr><w:t>${word}</w:t></w:p>`)}</w:body></w:document>`,
        "word/_rels/document.xml.rels": relationships("header", "header1.xml"),
        "word/header1.xml": `<w:hdr>${varied(50_000, (word) => `<w:p><w:t>${word}</w:t></w:p>`)}</w:hdr>`,
      }),
  ],
  [
    "tables in tables",
    "n.docx",
    () =>
      createDocx({
        "word/document.xml": `<w:document><w:body>${"<w:tbl><w:tr><w:tc><w:p><w:t>a</w:t></w:p></w:tc><w:tc>".repeat(900)}${varied(100_000, (word) => `<w:p><w:t>${word}</w:t></w:p>`)}${"</w:tc></w:tr></w:tbl>".repeat(900)}</w:body></w:document>`,
      }),
  ],
  [
    "styles that are based on each other",
    "y.docx",
    () =>
      createDocx({
        "word/styles.xml": `<w:styles>${Array.from({ length: 50_000 }, (_, at) => `<w:style w:styleId="s${at}"><w:basedOn w:val="s${at + 1}"/></w:style>`).join("")}</w:styles>`,
        "word/document.xml": `<w:document><w:body>${Array.from({ length: 50_000 }, (_, at) => `<w:p><w:pPr><w:pStyle w:val="s${at}"/></w:pPr><w:t>${(at * at * 7919) % 1009}</w:t></w:p>`).join("")}</w:body></w:document>`,
      }),
  ],
  [
    "notes in text boxes in notes",
    "n.odt",
    () =>
      createOdf("text", {
        "content.xml": `<o><office:body>${"<text:p>a<text:note><text:note-body>".repeat(900)}${varied(50_000, (word) => `<text:p>${word}</text:p>`)}${"</text:note-body></text:note></text:p>".repeat(900)}</office:body></o>`,
      }),
  ],
  [
    "a number format with many open brackets",
    "f.xlsx",
    () =>
      sheet(
        `<styleSheet><numFmts><numFmt numFmtId="200" formatCode="${"[".repeat(900_000)}"/></numFmts></styleSheet>`,
      ),
  ],
  [
    "a sheet with many overlapping merged cells",
    "m.xlsx",
    () =>
      workbook(
        `${sheetRows(50_000, (text) => `<row>${text}</row>`)}${varied(50_000, (word) => `<mergeCell n="${word}" ref="A1:XFD1048576"/>`)}`,
      ),
  ],
  [
    "a sheet with many small tables",
    "t.xlsx",
    () => {
      let row = 1
      const nextRow = (text: string): string => {
        row += 2
        return `<row r="${row}">${text}${text}${text}</row>`
      }
      return workbook(sheetRows(50_000, nextRow))
    },
  ],
  [
    "a sheet with cells in the last column",
    "w.xlsx",
    () =>
      workbook(
        sheetRows(20_000, (text) => `<row>${text}${text.replace("<c ", '<c r="XFD1" ')}</row>`),
      ),
  ],
  [
    "many tables with cells in the last column",
    "l.xlsx",
    () => {
      let row = 0
      const nextRow = (text: string): string => {
        row += row % 3 === 2 ? 2 : 1
        return `<row r="${row}">${text}${text.replace("<c ", `<c r="XFD${row}" `)}</row>`
      }
      return workbook(sheetRows(20_000, nextRow))
    },
  ],
  [
    "a row with gaps between many columns",
    "g.xlsx",
    () => {
      const references = Array.from({ length: 650 }, (_, at) =>
        [String.fromCharCode(65 + Math.floor(at / 26)), String.fromCharCode(65 + (at % 26))].join(
          "",
        ),
      )
      const cells = references.filter((_reference, at) => at % 2 === 0)
      return workbook(
        sheetRows(
          500,
          (text) =>
            `<row>${cells.map((name) => text.replace("<c ", `<c r="${name}1" `)).join("")}</row>`,
        ),
      )
    },
  ],
  [
    "a workbook with many tables in the same place",
    "k.xlsx",
    () => {
      const links = Array.from(
        { length: 5000 },
        (_, at) => `<Relationship Id="t${at}" Type="x/table" Target="../tables/t.xml"/>`,
      )
      return workbook(
        sheetRows(20_000, (text) => `<row>${text}</row>`),
        {
          "xl/worksheets/_rels/sheet1.xml.rels": `<Relationships>${links.join("")}</Relationships>`,
          "xl/tables/t.xml": `<table ref="A1:XFD1048576"/>`,
        },
      )
    },
  ],
  [
    "a table with many rows",
    "r.ods",
    () =>
      createOdf("spreadsheet", {
        "content.xml": `<o><table:table>${varied(150_000, (word) => `<table:table-row><table:table-cell><text:p>${word}</text:p></table:table-cell></table:table-row>`)}</table:table></o>`,
      }),
  ],
  [
    "a slide with many shapes at the same place",
    "s.pptx",
    () => createDeck([{ shapes: varied(30_000, (word) => textShape(word, { at: [0, 0] })) }]),
  ],
  [
    "a slide with groups in groups",
    "g.pptx",
    () =>
      createDeck([
        { shapes: `${"<p:grpSp>".repeat(2500)}${textShape("x")}${"</p:grpSp>".repeat(2500)}` },
      ]),
  ],
  [
    "a chart with many series over other categories",
    "c.pptx",
    () =>
      slideWithGraphic(
        `<c:chart r:id="g"/>`,
        `<c:chartSpace><c:chart><c:plotArea><c:scatterChart>${varied(20_000, (word) => `<c:ser><c:tx><c:v>${word}</c:v></c:tx><c:xVal><c:numLit><c:pt idx="${word.length * 1e9}"><c:v>7</c:v></c:pt></c:numLit></c:xVal><c:yVal><c:numLit><c:pt idx="0"><c:v>${word}</c:v></c:pt></c:numLit></c:yVal></c:ser>`)}</c:scatterChart></c:plotArea></c:chart></c:chartSpace>`,
      ),
  ],
  [
    "a diagram of points in a circle",
    "d.pptx",
    () =>
      slideWithGraphic(
        `<dgm:relIds r:dm="g"/>`,
        `<dgm:dataModel><dgm:ptLst>${numbered(30_000, (at) => `<dgm:pt modelId="${at}"><dgm:t><a:p><a:r><a:t>Point ${at * 7919}</a:t></a:r></a:p></dgm:t></dgm:pt>`)}</dgm:ptLst><dgm:cxnLst>${numbered(30_000, (at) => `<dgm:cxn srcId="${at}" destId="${(at + 1) % 30_000}" srcOrd="${at}"/>`)}</dgm:cxnLst></dgm:dataModel>`,
      ),
  ],
]
