import { deflateRawSync } from "node:zlib"

type PartsByPath = Record<string, string | Buffer>

/** Creates a ZIP archive (APPNOTE 6.3.3) with all parts deflated. */
export const createZip = (parts: PartsByPath, { encrypted = false } = {}): Buffer => {
  const bodies: Buffer[] = []
  const list: Buffer[] = []
  let offset = 0
  for (const [name, content] of Object.entries(parts)) {
    const raw = Buffer.from(content)
    const packed = deflateRawSync(raw)
    const title = Buffer.from(name)
    const head = Buffer.alloc(30)
    head.writeUInt32LE(0x04034b50, 0)
    head.writeUInt16LE(8, 8)
    head.writeUInt16LE(title.length, 26)
    const entry = Buffer.alloc(46)
    entry.writeUInt32LE(0x02014b50, 0)
    entry.writeUInt16LE(encrypted ? 1 : 0, 8)
    entry.writeUInt16LE(8, 10)
    entry.writeUInt32LE(packed.length, 20)
    entry.writeUInt32LE(raw.length, 24)
    entry.writeUInt16LE(title.length, 28)
    entry.writeUInt32LE(offset, 42)
    bodies.push(head, title, packed)
    list.push(entry, title)
    offset += 30 + title.length + packed.length
  }
  const directory = Buffer.concat(list)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(Object.keys(parts).length, 10)
  end.writeUInt32LE(directory.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...bodies, directory, end])
}

const relationships = (targets: Record<string, [type: string, target: string]>): string =>
  `<Relationships>${Object.entries(targets)
    .map(([id, [type, target]]) => `<Relationship Id="${id}" Type="x/${type}" Target="${target}"/>`)
    .join("")}</Relationships>`

const paragraph = (text: string, style = ""): string =>
  `<w:p>${style && `<w:pPr><w:pStyle w:val="${style}"/></w:pPr>`}<w:r><w:t>${text}</w:t></w:r></w:p>`

export const createDocx = (extra: PartsByPath = {}): Buffer => {
  const cell = (text: string) => `<w:tc>${paragraph(text)}</w:tc>`
  const body = [
    paragraph("Bees", "Heading1"),
    paragraph("Bees &amp; wasps sting."),
    `<w:tbl><w:tr>${cell("Kind")}${cell("Legs")}</w:tr><w:tr>${cell("Bee")}${cell("6")}</w:tr></w:tbl>`,
  ]
  return createZip({
    "word/document.xml": `<w:document><w:body>${body.join("")}</w:body></w:document>`,
    "word/footnotes.xml": `<w:footnotes>${paragraph("A note at the foot.")}</w:footnotes>`,
    ...extra,
  })
}

export const createPptx = (): Buffer => {
  const shape = (text: string, type: string) =>
    `<p:sp><p:nvSpPr><p:nvPr><p:ph type="${type}"/></p:nvPr></p:nvSpPr><p:txBody><a:p><a:r><a:t>${text}</a:t></a:r></a:p></p:txBody></p:sp>`
  const slide = (name: string, shapes: string) =>
    `<p:${name}><p:cSld><p:spTree>${shapes}</p:spTree></p:cSld></p:${name}>`
  return createZip({
    "ppt/presentation.xml": `<p:presentation><p:sldIdLst><p:sldId r:id="r2"/><p:sldId r:id="r1"/></p:sldIdLst></p:presentation>`,
    "ppt/_rels/presentation.xml.rels": relationships({
      r1: ["slide", "slides/slide1.xml"],
      r2: ["slide", "slides/slide2.xml"],
    }),
    "ppt/slides/slide1.xml": slide(
      "sld",
      shape("Second", "title") + shape("Honey is sweet.", "body"),
    ),
    "ppt/slides/slide2.xml": slide("sld", shape("First", "title") + shape("Wax is soft.", "body")),
    "ppt/slides/_rels/slide1.xml.rels": relationships({
      n: ["notesSlide", "../notesSlides/notesSlide1.xml"],
    }),
    "ppt/notesSlides/notesSlide1.xml": slide("notes", shape("Say it slowly.", "body")),
  })
}

export const createXlsx = (): Buffer =>
  createZip({
    "xl/workbook.xml": `<workbook><sheets><sheet name="Hives" r:id="r1"/></sheets></workbook>`,
    "xl/_rels/workbook.xml.rels": relationships({ r1: ["worksheet", "worksheets/sheet1.xml"] }),
    "xl/sharedStrings.xml": "<sst><si><t>Place</t></si><si><t>Garden</t></si></sst>",
    "xl/styles.xml": `<styleSheet><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>`,
    "xl/worksheets/sheet1.xml": `<worksheet><sheetData>
      <row r="1"><c r="A1" t="s"><v>0</v></c><c r="C1" t="inlineStr"><is><t>Since</t></is></c></row>
      <row r="2"><c r="A2" t="s"><v>1</v></c><c r="C2" s="1"><v>45000</v></c></row>
    </sheetData></worksheet>`,
  })

export const createOdf = (
  kind: "text" | "presentation" | "spreadsheet",
  extra: PartsByPath = {},
): Buffer => {
  const body = {
    text: `<text:h text:outline-level="1">Ants</text:h><text:p>Ants carry<text:s text:c="1"/>leaves.</text:p>`,
    presentation: `<draw:page><text:p>Slide words.</text:p><presentation:notes><text:p>Note words.</text:p></presentation:notes></draw:page>`,
    spreadsheet: `<table:table table:name="Nests">
      <table:table-row><table:table-cell><text:p>Tree</text:p></table:table-cell><table:table-cell><text:p>Nests</text:p></table:table-cell></table:table-row>
      <table:table-row><table:table-cell><text:p>Oak</text:p></table:table-cell><table:table-cell><text:p>3</text:p></table:table-cell></table:table-row>
    </table:table>`,
  }[kind]
  return createZip({
    mimetype: `application/vnd.oasis.opendocument.${kind}`,
    "content.xml": `<office:document-content><office:body>${body}</office:body></office:document-content>`,
    ...extra,
  })
}

export const createEpub = (): Buffer =>
  createZip({
    mimetype: "application/epub+zip",
    "META-INF/container.xml": `<container><rootfiles><rootfile full-path="o/b.opf"/></rootfiles></container>`,
    "o/b.opf": `<package><manifest><item id="a" href="1.xhtml"/><item id="b" href="2.xhtml"/></manifest><spine><itemref idref="b"/><itemref idref="a"/></spine></package>`,
    "o/1.xhtml": "<html><body><h1>Later</h1><p>It ended well.</p></body></html>",
    "o/2.xhtml": "<html><body><h1>Before</h1><p>It began badly.</p></body></html>",
  })

/** Creates a PDF with one line of text per page; an empty line creates a page without text. `info` is its information dictionary. */
export const createPdf = (
  lines: readonly string[],
  { encrypted = false, info = "" } = {},
): Buffer => {
  const objects: string[] = []
  const pages = lines.map((_line, index) => `${4 + index * 2} 0 R`)
  objects[1] = "<</Type/Catalog/Pages 2 0 R>>"
  objects[2] = `<</Type/Pages/Kids[${pages.join(" ")}]/Count ${lines.length}>>`
  objects[3] = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"
  for (const [index, line] of lines.entries()) {
    const stream = line === "" ? "0 0 10 10 re f" : `BT /F1 12 Tf 50 700 Td (${line}) Tj ET`
    objects[4 + index * 2] =
      `<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Resources<</Font<</F1 3 0 R>>>>/Contents ${5 + index * 2} 0 R>>`
    objects[5 + index * 2] = `<</Length ${stream.length}>>\nstream\n${stream}\nendstream`
  }
  let text = "%PDF-1.4\n"
  const offsets: number[] = []
  for (const [number, object] of objects.entries()) {
    if (!object) continue
    offsets[number] = text.length
    text += `${number} 0 obj\n${object}\nendobj\n`
  }
  const start = text.length
  const rows = objects.map((_object, number) =>
    number === 0
      ? "0000000000 65535 f \n"
      : `${String(offsets[number]).padStart(10, "0")} 00000 n \n`,
  )
  const key = "0".repeat(64)
  const lock = `/Encrypt<</Filter/Standard/V 1/R 2/O<${key}>/U<${key}>/P -4>>/ID[<00><00>]`
  text += `xref\n0 ${objects.length}\n0000000000 65535 f \n${rows.slice(1).join("")}`
  text += `trailer\n<</Size ${objects.length}/Root 1 0 R${info && `/Info<<${info}>>`}${encrypted ? lock : ""}>>\nstartxref\n${start}\n%%EOF`
  return Buffer.from(text, "latin1")
}
