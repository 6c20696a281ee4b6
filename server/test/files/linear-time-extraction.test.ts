import { afterAll, beforeAll, expect, it } from "vitest"
import { comment, createFormPdf, widget } from "../extraction/make-form-pdf.ts"
import { makePdf } from "../extraction/make-pdf.ts"
import { startGateway, type TestGateway } from "../harness/gateway.ts"
import { upload } from "../knowledge/collections.ts"
import { createDocx, createOdf, createZip } from "./make-documents.ts"
import { createOutlookItem, wrapRtf } from "./make-outlook-item.ts"
import { createDeck, graphicFrame, textShape } from "./make-pptx.ts"

/** Ten times what each takes on an idle machine; with quadratic time, it would be hours. */
const seconds = 60

let gateway: TestGateway

beforeAll(async () => {
  gateway = await startGateway({
    EXTRACTION_TIMEOUT: `${seconds}s`,
    EXTRACTION_MEMORY: "1GB",
    EXTRACTION_CONCURRENCY: "2",
  })
})
afterAll(() => gateway.stop())

const mail = (head: string, body: string): string =>
  `Message-ID: <a@b>\nMIME-Version: 1.0\n${head}\n\n${body}`

/** Words without a pattern, so that an archive of them does not look like a ZIP bomb. */
const varied = (count: number, of: (word: string) => string): string =>
  Array.from({ length: count }, (_, at) => of(((at * at * 7919) % 1009).toString(36))).join("")

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

/** Lets all streams of this name begin where the first one does, with its size. */
const shareStreams = (file: Buffer, name: string): Buffer => {
  const encoded = Buffer.from(name, "utf16le")
  const first = file.indexOf(encoded)
  for (let at = first; at >= 0; at = file.indexOf(encoded, at + 128))
    file.copy(file, at + 116, first + 116, first + 128)
  return file
}

/** A slide with `reference` to a chart or diagram. */
const slideWithGraphic = (reference: string, graphic: string): Buffer =>
  createDeck(
    [{ shapes: graphicFrame(reference), relationships: { g: ["graphic", "../graphic.xml"] } }],
    { extra: { "ppt/graphic.xml": graphic } },
  )

const manyTexts = Array.from({ length: 20_000 }, (_, at): [x: number, y: number, text: string] => [
  at % 500,
  700,
  `x${at}`,
])

const documents: [what: string, name: string, content: () => string | Uint8Array][] = [
  [
    "a heading with spaces before a line separator",
    "h.md",
    () => `# ${" ".repeat(20)}a${" ".repeat(200_000)}\u2028b`,
  ],
  ["spaces within a paragraph", "s.txt", () => `a${" ".repeat(1_000_000)}b`],
  ["text without spaces", "n.txt", () => "x".repeat(9_000_000)],
  [
    "a line in an unknown code page",
    "u.txt",
    () => Buffer.from("\xfc\xe9 \x81\x40;\xb3A".repeat(500_000), "latin1"),
  ],
  [
    "fonts of many code pages",
    "f.rtf",
    () => `{\\rtf1${"{\\f1\\fcharset128 \\'93\\f2\\'fa}".repeat(150_000)}`,
  ],
  ["a row of unclosed cells", "c.html", () => `<table><tr>${"<td>x".repeat(300_000)}`],
  [
    "a PDF page with one line of many words in two directions",
    "l.pdf",
    () => {
      const words = Array.from({ length: 60_000 }, (_, at) => ({
        text: at % 2 === 0 ? "\u05D0\u05D1" : "ab",
        x: 20 * at,
        y: 700,
        font: "unicode" as const,
      }))
      return makePdf([words], { width: 2_000_000 })
    },
  ],
  [
    "PDF pages with many hyphenated lines, cells and columns",
    "p.pdf",
    () => {
      const line = { text: "ab cd ef gh-", x: 20 }
      const pages = [
        Array.from({ length: 60_000 }, (_, at) => ({ ...line, y: 700_000 - 11 * at })),
        Array.from({ length: 60_000 }, (_, at) => ({
          ...line,
          x: 300 * (at % 2),
          y: 700_000 - 6 * at + (at % 3),
        })),
      ]
      return makePdf(pages, { height: 800_000 })
    },
  ],
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
        sheetRows(2000, (text) => `<row>${text}${text.replace("<c ", '<c r="XFD1" ')}</row>`),
      ),
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
    "separated values with many quotes",
    "q.csv",
    () => varied(300_000, (word) => `${word},"${word}\n`),
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
  [
    "a form with many fields on the same line of many texts",
    "f.pdf",
    () =>
      createFormPdf({
        pages: [
          {
            text: manyTexts,
            annotations: manyTexts.map(([x], at) =>
              widget(`${x} 690 ${x + 50} 710`, `f${at}`, `/FT/Tx/V(value ${at})`),
            ),
          },
        ],
      }),
  ],
  [
    "comments that each answer the one before",
    "a.pdf",
    () =>
      createFormPdf({
        pages: [
          {
            text: manyTexts,
            annotations: manyTexts.map((_text, at) =>
              comment("Text", "50 690 400 710", `note number ${at}`, `/IRT ${19 + at} 0 R`),
            ),
          },
        ],
      }),
  ],
  [
    "an email with many recipients",
    "t.eml",
    () => mail(`To: ${"a <a@b.c>, ".repeat(60_000)}`, "Hello."),
  ],
  [
    "a mailbox with many lines that begin with From",
    "f.mbox",
    () => `From - 11:30\nSubject: a\n\n${"From a 1:00\n".repeat(150_000)}`,
  ],
  [
    "a mailbox with many empty messages",
    "e.mbox",
    () => "From - 11:30\nSubject: a\n\n".repeat(300_000),
  ],
  [
    "an Outlook message with RTF of many groups",
    "r.msg",
    () =>
      createOutlookItem({
        properties: {
          subject: "a",
          compressedRtf: wrapRtf(
            `{\\rtf1\\fromhtml1 ${"{\\*\\htmltag <p>}{\\f1 x}".repeat(300_000)}}`,
          ),
        },
      }),
  ],
  [
    "a calendar with many folded lines",
    "f.ics",
    () => `BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:a${"\n b".repeat(1_500_000)}\nEND:VEVENT`,
  ],
  [
    "an email with many parts",
    "p.eml",
    () => mail("Content-Type: multipart/mixed; boundary=b", "--b\n\nx\n".repeat(20_000)),
  ],
]

it.each(documents)(
  "reads %s in linear time",
  async (_what, name, content) => {
    const query = "?process_in_background=false"
    const { body } = await upload(gateway, name, content(), { query })
    expect(body.data).toMatchObject({ status: "completed", error: null })
  },
  2 * seconds * 1000,
)

const deep: [what: string, name: string, content: () => string | Uint8Array][] = [
  ["JSON", "d.json", () => `${"[".repeat(1_000_000)}${"]".repeat(1_000_000)}`],
  ["XML", "d.xml", () => `<?xml version="1.0"?>${"<a>".repeat(1_000_000)}`],
  ["HTML", "d.html", () => `<html>${"<b>".repeat(1_000_000)}`],
  ["RTF", "d.rtf", () => `{\\rtf1 ${"{".repeat(1_000_000)}`],
  [
    "an email",
    "d.eml",
    () =>
      mail("Subject: x", "").trimEnd() +
      Array.from(
        { length: 3000 },
        (_, at) => `\nContent-Type: multipart/mixed; boundary="b${at}"\n\n--b${at}`,
      ).join(""),
  ],
]

it.each(deep)(
  "rejects %s as nested too deeply",
  async (_what, name, content) => {
    const query = "?process_in_background=false"
    const { body } = await upload(gateway, name, content(), { query })
    expect(body.data).toMatchObject({ status: "failed" })
    expect(body.data.error).toMatch(/nested too deeply/)
    expect(body.data.error).not.toMatch(/RangeError/)
  },
  2 * seconds * 1000,
)

it("reads no sector of an Outlook message again and again", async () => {
  const attachmentData = Buffer.from(varied(500_000, (word) => word))
  const attachments = Array.from({ length: 3000 }, () => ({ attachmentData: Buffer.alloc(8) }))
  const message = createOutlookItem({
    properties: { subject: "a", body: "b" },
    attachments: [{ attachmentData }, ...attachments],
  })
  const hostile = shareStreams(message, "__substg1.0_37010102")
  const query = "?process_in_background=false"
  const { body } = await upload(gateway, "a.msg", hostile, { query })
  expect(body.data).toMatchObject({ status: "failed", error_code: "damaged" })
})
