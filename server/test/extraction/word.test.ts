import { describe, expect, it } from "vitest"
import { createZip } from "../files/make-documents.ts"
import { useDocumentReader } from "./document-reader.ts"

const read = useDocumentReader()

const run = (text: string, properties = ""): string =>
  `<w:r>${properties && `<w:rPr>${properties}</w:rPr>`}<w:t xml:space="preserve">${text}</w:t></w:r>`
const paragraph = (content: string, properties = ""): string =>
  `<w:p>${properties && `<w:pPr>${properties}</w:pPr>`}${content}</w:p>`
const style = (id: string): string => `<w:pStyle w:val="${id}"/>`
const listItem = (text: string, list: number, level = 0): string =>
  paragraph(run(text), `<w:numPr><w:ilvl w:val="${level}"/><w:numId w:val="${list}"/></w:numPr>`)
const cell = (text: string, properties = ""): string =>
  `<w:tc><w:tcPr>${properties}</w:tcPr>${paragraph(run(text))}</w:tc>`
const row = (cells: string, properties = ""): string =>
  `<w:tr><w:trPr>${properties}</w:trPr>${cells}</w:tr>`
const field = (type: string, data = ""): string =>
  `<w:r><w:fldChar w:fldCharType="${type}">${data}</w:fldChar></w:r>`

interface Parts {
  [name: string]: string
}

const createDocument = (body: string, parts: Parts = {}): Buffer => {
  const relationships = Object.keys(parts)
    .map(
      (name) =>
        `<Relationship Id="${name}" Type="x/${name.replace(/\d/, "")}" Target="${name}.xml"/>`,
    )
    .join("")
  return createZip({
    "word/document.xml": `<w:document><w:body>${body}</w:body></w:document>`,
    "word/_rels/document.xml.rels": `<Relationships>${relationships}</Relationships>`,
    ...Object.fromEntries(Object.entries(parts).map(([name, xml]) => [`word/${name}.xml`, xml])),
  })
}

const readLines = async (body: string, parts?: Parts): Promise<string[]> => {
  const { text } = await read("a.docx", createDocument(body, parts))
  return text.split(/\n+/)
}

const level = (index: number, format: string, text: string, more = ""): string =>
  `<w:lvl w:ilvl="${index}"><w:start w:val="1"/><w:numFmt w:val="${format}"/><w:lvlText w:val="${text}"/>${more}</w:lvl>`

describe("automatic numbers", () => {
  const numbering = `<w:numbering>
    <w:abstractNum w:abstractNumId="7">${level(0, "decimal", "%1.")}${level(1, "lowerLetter", "(%2)")}${level(2, "lowerRoman", "%1.%2.%3")}</w:abstractNum>
    <w:abstractNum w:abstractNumId="8">${level(0, "upperRoman", "Article %1", `<w:pStyle w:val="Heading1"/>`)}${level(1, "decimal", "%1.%2", `<w:isLgl/><w:pStyle w:val="Heading2"/>`)}</w:abstractNum>
    <w:abstractNum w:abstractNumId="9">${level(0, "bullet", "•")}${level(1, "bullet", "o")}</w:abstractNum>
    <w:num w:numId="1"><w:abstractNumId w:val="7"/></w:num>
    <w:num w:numId="2"><w:abstractNumId w:val="7"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="5"/></w:lvlOverride></w:num>
    <w:num w:numId="3"><w:abstractNumId w:val="8"/></w:num>
    <w:num w:numId="4"><w:abstractNumId w:val="9"/></w:num>
  </w:numbering>`
  const styles = `<w:styles>
    <w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/><w:pPr><w:numPr><w:numId w:val="3"/></w:numPr></w:pPr></w:style>
    <w:style w:type="paragraph" w:styleId="Heading2"><w:name w:val="heading 2"/><w:basedOn w:val="Heading1"/></w:style>
    <w:style w:type="paragraph" w:styleId="Own"><w:name w:val="Own"/><w:basedOn w:val="Heading2"/></w:style>
  </w:styles>`

  it("count levels, resume after other text, and restart where a list says so", async () => {
    const lines = await readLines(
      [
        listItem("one", 1),
        listItem("one a", 1, 1),
        listItem("one b", 1, 1),
        listItem("one b i", 1, 2),
        paragraph(run("between")),
        listItem("two", 1),
        listItem("two a", 1, 1),
        listItem("restarted", 2),
        listItem("next", 2),
        listItem("unnumbered", 0),
      ].join(""),
      { numbering, styles },
    )
    expect(lines).toEqual([
      "1. one",
      "(a) one a",
      "(b) one b",
      "1.b.i one b i",
      "between",
      "2. two",
      "(a) two a",
      "5. restarted",
      "6. next",
      "unnumbered",
    ])
  })

  it("of headings come from their styles and belong to the heading", async () => {
    const body = [
      paragraph(run("Scope"), style("Heading1")),
      paragraph(run("Duties"), style("Heading1")),
      paragraph(run("Payment"), style("Heading2")),
      paragraph(run("Delivery"), style("Own")),
      paragraph(run("Annex"), `${style("Heading1")}<w:numPr><w:numId w:val="0"/></w:numPr>`),
    ].join("")
    expect(await readLines(body, { numbering, styles })).toEqual([
      "Article I Scope",
      "Article II Duties",
      "2.1 Payment",
      "2.2 Delivery",
      "Annex",
    ])
  })

  it("are bullets with their indentation", async () => {
    expect(await readLines(listItem("a", 4) + listItem("b", 4, 1), { numbering })).toEqual([
      "- a",
      "  - b",
    ])
  })

  it("are not counted for paragraphs whose mark was deleted", async () => {
    const numberedBy = `<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>`
    const deleted = paragraph(run("One and "), `${numberedBy}<w:rPr><w:del w:id="1"/></w:rPr>`)
    const body = deleted + listItem("the same", 1) + listItem("another", 1)
    expect(await readLines(body, { numbering })).toEqual(["1. One and the same", "2. another"])
  })
})

describe("what stands outside of the text", () => {
  it("headers and footers are read once at their section, without page numbers", async () => {
    const references = (id: string) =>
      `<w:sectPr><w:headerReference w:type="default" r:id="header${id}"/><w:footerReference w:type="default" r:id="footer1"/></w:sectPr>`
    const lines = await readLines(
      paragraph(run("First section.")) +
        paragraph("", references("1")) +
        paragraph(run("Second section.")) +
        references("2"),
      {
        header1: `<w:hdr>${paragraph(run("Contract 4711"))}</w:hdr>`,
        header2: `<w:hdr>${paragraph(run("Contract 4711"))}${paragraph(run("2026/0815"))}</w:hdr>`,
        footer1: `<w:ftr>${paragraph(run("Page 2 of 9"))}${paragraph(run("Confidential"))}</w:ftr>`,
      },
    )
    expect(lines).toEqual([
      "Contract 4711",
      "First section.",
      "Confidential",
      "2026/0815",
      "Second section.",
    ])
  })

  it("a watermark is text", async () => {
    const watermark = `<w:hdr>${paragraph(`<w:r><w:pict><v:shape><v:textpath string="DRAFT"/></v:shape></w:pict></w:r>`)}</w:hdr>`
    const body = `${paragraph(run("Text."))}<w:sectPr><w:headerReference w:type="first" r:id="header1"/></w:sectPr>`
    expect(await readLines(body, { header1: watermark })).toEqual(["DRAFT", "Text."])
  })

  it("notes and comments follow their paragraph", async () => {
    const body = [
      paragraph(
        `${run("The fee")}<w:r><w:footnoteReference w:id="2"/></w:r>${run(" is due.")}<w:r><w:commentReference w:id="5"/></w:r>`,
      ),
      paragraph(`${run("Next")}<w:r><w:endnoteReference w:id="3"/></w:r>`),
    ].join("")
    const lines = await readLines(body, {
      footnotes: `<w:footnotes><w:footnote w:type="separator" w:id="0">${paragraph(run("-"))}</w:footnote><w:footnote w:id="2">${paragraph(run("Without tax."))}</w:footnote></w:footnotes>`,
      endnotes: `<w:endnotes><w:endnote w:id="3">${paragraph(run("At the end."))}</w:endnote></w:endnotes>`,
      comments: `<w:comments><w:comment w:id="5" w:author="Ada">${paragraph(run("Check this."))}</w:comment></w:comments>`,
    })
    expect(lines).toEqual([
      "The fee[^1] is due.",
      "[^1]: Without tax.",
      "Comment (Ada): Check this.",
      "Next[^i]",
      "[^i]: At the end.",
    ])
  })

  it("a text box is read once, whichever alternative holds it", async () => {
    const box = `<w:txbxContent>${paragraph(run("In the box."))}</w:txbxContent>`
    const drawing = `<mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><wps:txbx>${box}</wps:txbx></w:drawing></mc:Choice><mc:Fallback><w:pict><v:textbox>${box}</v:textbox></w:pict></mc:Fallback></mc:AlternateContent>`
    expect(await readLines(paragraph(`<w:r>${drawing}</w:r>${run("Around it.")}`))).toEqual([
      "Around it.",
      "In the box.",
    ])
  })

  it("alternative texts are read if they describe a picture", async () => {
    const picture = (text: string) =>
      `<w:r><w:drawing><wp:docPr descr="${text}"/></w:drawing></w:r>`
    const body = paragraph(picture("A bee on a yellow flower") + picture("C:\\x\\a b c.png"))
    expect(await readLines(body)).toEqual(["Picture: A bee on a yellow flower"])
  })
})

describe("inside of a paragraph", () => {
  it.each([
    [
      "deletions and moves",
      `<w:del>${run("old")}</w:del><w:ins>${run("new")}</w:ins><w:moveFrom>${run("there")}</w:moveFrom><w:moveTo>${run(" here")}</w:moveTo>`,
      "new here",
    ],
    [
      "hidden text",
      run("seen") + run("hidden", "<w:vanish/>") + run(" too", `<w:vanish w:val="0"/>`),
      "seen too",
    ],
    [
      "field codes",
      `${field("begin")}<w:r><w:instrText>DATE</w:instrText></w:r>${field("separate")}${run("1 May")}${field("end")}`,
      "1 May",
    ],
    [
      "nested field codes",
      `${field("begin")}<w:r><w:instrText>IF</w:instrText></w:r>${field("begin")}${field("separate")}${run("x")}${field("end")}${field("separate")}${run("yes")}${field("end")}`,
      "yes",
    ],
    [
      "legacy check boxes",
      `${field("begin", "<w:ffData><w:checkBox><w:checked/></w:checkBox></w:ffData>")}${field("end")}${run(" A ")}${field("begin", `<w:ffData><w:checkBox><w:default w:val="0"/></w:checkBox></w:ffData>`)}${field("end")}${run(" B")}`,
      "☒ A ☐ B",
    ],
    [
      "legacy drop-down lists",
      `${field("begin", `<w:ffData><w:ddList><w:result w:val="1"/><w:listEntry w:val="red"/><w:listEntry w:val="blue"/></w:ddList></w:ffData>`)}${field("end")}`,
      "blue",
    ],
    [
      "check box controls",
      `<w:sdt><w:sdtPr><w14:checkbox><w14:checked w14:val="1"/></w14:checkbox></w:sdtPr><w:sdtContent>${run("þ")}</w:sdtContent></w:sdt>${run(" done")}`,
      "☒ done",
    ],
    [
      "symbols",
      `<w:r><w:sym w:font="Symbol" w:char="F061"/></w:r><w:r><w:sym w:font="Wingdings" w:char="F0FC"/></w:r>`,
      "α✓",
    ],
    [
      "hyphens",
      `<w:r><w:t>co</w:t><w:softHyphen/><w:t>op</w:t><w:noBreakHyphen/><w:t>eration</w:t></w:r>`,
      "coop-eration",
    ],
    [
      "equations",
      `<m:oMath><m:f><m:num><m:r><m:t>a</m:t></m:r></m:num><m:den><m:sSup><m:e><m:r><m:t>b</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup></m:den></m:f><m:r><m:t>=</m:t></m:r><m:rad><m:radPr><m:degHide m:val="1"/></m:radPr><m:deg/><m:e><m:r><m:t>x</m:t></m:r></m:e></m:rad></m:oMath>`,
      "$\\frac{a}{b^{2}}=\\sqrt{x}$",
    ],
    [
      "sums",
      `<m:oMath><m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr><m:sub><m:r><m:t>i=1</m:t></m:r></m:sub><m:sup><m:r><m:t>n</m:t></m:r></m:sup><m:e><m:r><m:t>i</m:t></m:r></m:e></m:nary></m:oMath>`,
      "$\\sum_{i=1}^{n} i$",
    ],
  ])("%s are read as Word shows them", async (_what, content, expected) => {
    expect(await readLines(paragraph(content))).toEqual([expected])
  })
})

describe("tables", () => {
  it("have named columns, and merged cells in each row", async () => {
    const table = `<w:tbl>${[
      row(cell("Region") + cell("Quarter") + cell("2025"), "<w:tblHeader/>"),
      row(cell("North", `<w:vMerge w:val="restart"/>`) + cell("Q1") + cell("5")),
      row(cell("", "<w:vMerge/>") + cell("Q2") + cell("6")),
      row(cell("Total", `<w:gridSpan w:val="2"/>`) + cell("11")),
      row(cell("gone"), "<w:del/>"),
    ].join("")}</w:tbl>`
    expect(await readLines(table)).toEqual([
      "Region: North | Quarter: Q1 | 2025: 5",
      "Region: North | Quarter: Q2 | 2025: 6",
      "Region: Total | 2025: 11",
    ])
  })

  it("for layout are read as paragraphs", async () => {
    const title = `<w:tc>${paragraph(run("Title"), style("Heading1"))}${paragraph(run("Text."))}</w:tc>`
    expect(await readLines(`<w:tbl>${row(title)}</w:tbl>`)).toEqual(["Title", "Text."])
  })

  it("go on after a table in their title", async () => {
    const inner = `<w:tbl>${row(cell("Unit") + cell("Tons"))}</w:tbl>`
    const rows = row(`<w:tc>${inner}</w:tc>`) + row(cell("Hive") + cell("5"))
    expect(await readLines(`<w:tbl>${rows}</w:tbl>`)).toEqual(["Unit: Tons", "Hive: 5"])
  })
})

it("reads inserted documents in their place", async () => {
  const document = createZip({
    "word/document.xml": `<w:document><w:body>${paragraph(run("Before."))}<w:altChunk r:id="c"/>${paragraph(run("After."))}</w:body></w:document>`,
    "word/_rels/document.xml.rels": `<Relationships><Relationship Id="c" Type="x/aFChunk" Target="chunk.html"/></Relationships>`,
    "word/chunk.html": "<html><body><p>Inserted.</p></body></html>",
  })
  expect((await read("a.docx", document)).text.split(/\n+/)).toEqual([
    "Before.",
    "Inserted.",
    "After.",
  ])
})

it("reads documents with other namespace prefixes and names of parts", async () => {
  const namespace = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
  const document = createZip({
    "_rels/.rels": `<Relationships><Relationship Id="r1" Type="x/officeDocument" Target="/word/document2.xml"/></Relationships>`,
    "word/document2.xml": `<x:document xmlns:x="${namespace}"><x:body><x:p><x:pPr><x:outlineLvl x:val="0"/></x:pPr><x:r><x:t>Title</x:t></x:r></x:p><x:p><x:r><x:t>Text.</x:t></x:r></x:p></x:body></x:document>`,
  })
  const { format, text } = await read("a.docx", document)
  expect({ format, text }).toEqual({ format: "docx", text: "Title\n\nText." })
})
