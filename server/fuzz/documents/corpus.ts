import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { extname, join } from "node:path"
import {
  comment,
  createFormPdf,
  streamObject,
  widget,
} from "../../test/extraction/make-form-pdf.ts"
import { makePdf } from "../../test/extraction/make-pdf.ts"
import { createWorkbook, styled } from "../../test/extraction/make-workbook.ts"
import {
  createDocx,
  createEpub,
  createOdf,
  createPdf,
  createPptx,
  createXlsx,
} from "../../test/files/make-documents.ts"
import { createOutlookItem, wrapRtf } from "../../test/files/make-outlook-item.ts"
import {
  createDeck,
  graphicFrame,
  notesXml,
  slideTable,
  textShape,
} from "../../test/files/make-pptx.ts"

export interface SampleDocument {
  name: string
  bytes: Buffer
}

/** Larger documents are slow to mutate and find nothing that smaller ones do not. */
const maxBytes = 400_000
const maxPerEnding = 60
const endings = new Set(
  `.pdf .docx .pptx .xlsx .odt .ods .odp .epub .html .htm .xhtml .xml .md .txt .csv .tsv .json .jsonl
   .ipynb .eml .emlx .mbox .mht .msg .ics .vcf .rtf .rst .py .yaml .yml .zip .doc .xls`.split(
    /\s+/,
  ),
)

const mail = `Message-ID: <a@example.com>
MIME-Version: 1.0
From: Ada <ada@example.com>
To: Eve <eve@example.com>
Subject: =?utf-8?q?Bees_=E2=9C=93?=
Content-Type: multipart/mixed; boundary="b"

--b
Content-Type: text/plain; charset=utf-8; format=flowed

Bees dance.
--b
Content-Type: text/html
Content-Transfer-Encoding: base64

PGgxPkJlZXM8L2gxPg==
--b--
`
const outlookItem = {
  properties: {
    subject: "Bees",
    submitTime: new Date("2026-05-04T09:30:00Z"),
    compressedRtf: wrapRtf("{\\rtf1\\fromhtml1{\\*\\htmltag <p>}Bees dance.{\\f1\\'82\\'a0}}"),
  },
  attachments: [
    { attachmentLongFilename: "a.txt", attachmentData: Buffer.from("Ants.") },
    { displayName: "Inner", item: { properties: { subject: "Inner", body: "Wasps." } } },
  ],
}
const rtf = `{\\rtf1\\ansi\\ansicpg1252{\\fonttbl{\\f0 Arial;}}\\uc1 Bees \\u8211? dance.\\par\\'e9\\cell x\\row}`
const notebook = JSON.stringify({
  cells: [
    { cell_type: "markdown", source: ["# Bees\n", "dance"] },
    { cell_type: "code", source: "print(1)", outputs: [{ text: ["1"] }] },
  ],
})
const richDocument = createDocx({
  "word/numbering.xml": `<w:numbering><w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="lowerRoman"/><w:lvlText w:val="%1."/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="1"/></w:num></w:numbering>`,
  "word/comments.xml": `<w:comments><w:comment w:id="1" w:author="Ada"><w:p><w:r><w:t>Really?</w:t></w:r></w:p></w:comment></w:comments>`,
  "word/header1.xml": `<w:hdr><w:p><w:r><w:t>Draft</w:t></w:r></w:p></w:hdr>`,
  "word/_rels/document.xml.rels": `<Relationships><Relationship Id="h" Type="x/header" Target="header1.xml"/></Relationships>`,
  "word/document.xml": `<w:document><w:body><w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:t>Bees</w:t></w:r><w:r><w:fldChar w:fldCharType="begin"/><w:instrText>DATE</w:instrText><w:fldChar w:fldCharType="separate"/><w:t>May</w:t><w:fldChar w:fldCharType="end"/><w:commentReference w:id="1"/></w:r><m:oMath><m:f><m:num><m:r><m:t>1</m:t></m:r></m:num><m:den><m:r><m:t>2</m:t></m:r></m:den></m:f></m:oMath></w:p><w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val="2"/><w:vMerge w:val="restart"/></w:tcPr><w:p><w:r><w:t>Kind</w:t></w:r></w:p></w:tc><w:tc/></w:tr><w:tr><w:tc><w:tcPr><w:vMerge/></w:tcPr><w:p/></w:tc></w:tr></w:tbl><w:sectPr><w:headerReference w:type="default" r:id="h"/></w:sectPr></w:body></w:document>`,
})
const flatDocument = `<?xml version="1.0"?><office:document office:mimetype="application/vnd.oasis.opendocument.text"><office:automatic-styles><text:list-style style:name="L"><text:list-level-style-number text:level="1" style:num-format="1"/></text:list-style></office:automatic-styles><office:body><office:text><text:list text:style-name="L"><text:list-item text:start-value="3"><text:p>Bees<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>dance</text:p></text:note-body></text:note></text:p></text:list-item></text:list><table:table><table:table-row><table:table-cell table:number-rows-spanned="2" table:number-columns-repeated="3"><text:p>x</text:p></table:table-cell></table:table-row></table:table></office:text></office:body></office:document>`
const page = `<html><head><title>Bees</title></head><body><h1>Bees</h1><p>They <b>dance</b>.</p>
<table><tr><th>Kind<th>Legs<tr><td>Bee<td>6</table><pre>code</pre><script>no()</script></body></html>`

const deck = createDeck(
  [
    {
      shapes:
        textShape("Bees", { placeholder: "title" }) +
        textShape("They dance.", { at: [10, 20] }) +
        slideTable([
          ["Kind", "Legs"],
          [["Bee", 'rowSpan="2"'], "6"],
          [["", 'vMerge="1"'], "7"],
        ]) +
        graphicFrame(`<c:chart r:id="c"/>`) +
        graphicFrame(`<dgm:relIds r:dm="d"/>`),
      relationships: {
        c: ["chart", "../chart.xml"],
        d: ["diagramData", "../diagram.xml"],
        k: ["comments", "../comments.xml"],
        n: ["notesSlide", "../notes.xml"],
      },
    },
  ],
  {
    extra: {
      "ppt/chart.xml": `<c:chartSpace><c:chart><c:title><c:tx><c:rich><a:p><a:r><a:t>Honey</a:t></a:r></a:p></c:rich></c:tx></c:title><c:plotArea><c:barChart><c:ser><c:cat><c:strLit><c:pt idx="0"><c:v>May</c:v></c:pt></c:strLit></c:cat><c:val><c:numLit><c:formatCode>0%</c:formatCode><c:pt idx="0"><c:v>0.7</c:v></c:pt></c:numLit></c:val></c:ser></c:barChart></c:plotArea></c:chart></c:chartSpace>`,
      "ppt/diagram.xml": `<dgm:dataModel><dgm:ptLst><dgm:pt modelId="1" type="doc"/><dgm:pt modelId="2"><dgm:t><a:p><a:r><a:t>Queen</a:t></a:r></a:p></dgm:t></dgm:pt></dgm:ptLst><dgm:cxnLst><dgm:cxn srcId="1" destId="2" srcOrd="0"/></dgm:cxnLst></dgm:dataModel>`,
      "ppt/comments.xml": `<p:cmLst><p:cm authorId="0"><p:text>Which year?</p:text></p:cm></p:cmLst>`,
      "ppt/notes.xml": notesXml(textShape("Say it slowly.", { placeholder: "body" })),
    },
  },
)

/** One document of each supported and each rejected format. */
const own = (): SampleDocument[] =>
  Object.entries({
    "a.pdf": createPdf(["Bees dance.", "", "Ants carry leaves."]),
    "placed.pdf": makePdf([
      [
        ...["Bee", "Six legs", "2 mg"].map((text, at) => ({ text, x: 50 + 100 * at, y: 700 })),
        ...["Ant", "Six legs", "1 mg"].map((text, at) => ({ text, x: 50 + 100 * at, y: 688 })),
        { text: "\u05D3\u05D1\u05D5\u05E8\u05D4", x: 50, y: 500, font: "unicode" },
        { text: "\u8702", x: 500, y: 500, font: "vertical" },
      ],
    ]),
    "form.pdf": createFormPdf({
      pages: [
        {
          text: [[50, 700, "Name:"]],
          annotations: [
            widget("120 695 250 715", "name", "/FT/Tx/V(Ada)"),
            comment("Text", "50 600 70 620", "Paid", "/T(Bob)"),
          ],
        },
      ],
      catalog: "/Names<</EmbeddedFiles<</Names[(a) 1000 0 R]>>>>",
      objects: ["<</Type/Filespec/F(a.txt)/EF<</F 1001 0 R>>>>", streamObject("Bees dance.")],
    }),
    "locked.pdf": createPdf(["x"], { encrypted: true }),
    "a.docx": createDocx(),
    "rich.docx": richDocument,
    "flat.fodt": flatDocument,
    "a.pptx": createPptx(),
    "graphics.pptx": deck,
    "a.xlsx": createXlsx(),
    "tables.xlsx": createWorkbook(
      {
        One: {
          rows: [
            ["Rates"],
            ["Code", "Sales", null, "City"],
            ["M1", styled(7, 1)],
            [],
            ["a", "b"],
            [1, 2],
          ],
          merged: ["A1:D1", "B3:B5"],
          after: `<autoFilter ref="A2:B3"/>`,
          state: "hidden",
        },
      },
      { codes: ["[Red]#,##0.0%;@", "d/m/yy"] },
    ),
    "a.odt": createOdf("text"),
    "a.odp": createOdf("presentation"),
    "a.ods": createOdf("spreadsheet"),
    "a.epub": createEpub(),
    "a.html": page,
    "a.xml": `<?xml version="1.0"?><bees><bee legs="6">Maya</bee><!-- none --></bees>`,
    "a.md": "---\ntitle: x\n---\n# Bees\n\nThey dance.\n\nAnts\n====\n\n```js\nrun()\n```\n",
    "a.txt": "Bees dance. They also sting!\n\nAnts do not.",
    "koi8.txt": Buffer.from("\xf0\xde\xc5\xcc\xd9 \xd4\xc1\xce\xc3\xd5\xc0\xd4.", "latin1"),
    "utf16.txt": Buffer.from("Пчёлы танцуют. 蜜蜂跳舞。", "utf16le"),
    "mail-jp.txt": "\x1b$B$_$D$P$A\x1b(B dance.",
    "a.csv": 'Kind,Legs\nBee,6\n"Spider, big",8\n',
    "a.tsv": "Kind\tLegs\nBee\t6\n",
    "a.json": `[{"kind":"bee","legs":6},{"kind":"spider","legs":[8,{"a":null}]}]`,
    "a.jsonl": `{"kind":"bee"}\n{"kind":"ant"}\n`,
    "a.ipynb": notebook,
    "a.eml": mail,
    "a.mbox": `From - 11:30\n${mail}\nFrom - 11:31\n${mail}`,
    "a.emlx": `${mail.length}\n${mail}`,
    "a.msg": createOutlookItem(outlookItem),
    "a.ics":
      'BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY;X="a:b":Bees\nDTSTART:20260601T090000Z\nEND:VEVENT',
    "a.vcf": "BEGIN:VCARD\nFN;ENCODING=QUOTED-PRINTABLE:B=C3=\n=A4\nADR:;;a;b\nEND:VCARD",
    "a.rtf": rtf,
    "a.py": "def bee():\n    return 6\n\n\ndef ant():\n    return 6\n",
  }).map(([name, content]) => ({ name, bytes: Buffer.from(content) }))

/** Reads documents below a folder, in a stable order. */
const below = (folder: string): SampleDocument[] => {
  const countByEnding = new Map<string, number>()
  const found: SampleDocument[] = []
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" }).sort()) {
    const ending = extname(name).toLowerCase()
    const count = countByEnding.get(ending) ?? 0
    if (!endings.has(ending) || count >= maxPerEnding) continue
    const path = join(folder, name)
    const state = statSync(path, { throwIfNoEntry: false })
    if (!state?.isFile() || state.size === 0 || state.size > maxBytes) continue
    countByEnding.set(ending, count + 1)
    // Test data of mail parsers has the extension .txt.
    const isMail = /test_email|mail\/.*\.txt$/.test(path)
    found.push({ name: isMail ? `${name}.eml` : name, bytes: readFileSync(path) })
  }
  return found
}

/** @param folders missing folders are ignored */
export const readCorpus = (folders: readonly string[]): SampleDocument[] => [
  ...own(),
  ...folders.filter((folder) => existsSync(folder)).flatMap(below),
]
