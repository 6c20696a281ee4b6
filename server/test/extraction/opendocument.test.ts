import { describe, expect, it } from "vitest"
import { createZip } from "../files/make-documents.ts"
import { useDocumentReader } from "./document-reader.ts"

const read = useDocumentReader()

const createDocument = (
  kind: string,
  body: string,
  { automaticStyles = "", ...parts }: Record<string, string> = {},
): Buffer =>
  createZip({
    mimetype: `application/vnd.oasis.opendocument.${kind}`,
    "content.xml": `<office:document-content>${automaticStyles}<office:body><office:${kind}>${body}</office:${kind}></office:body></office:document-content>`,
    ...parts,
  })

const readLines = async (body: string, parts?: Record<string, string>): Promise<string[]> => {
  const { text } = await read("a.odt", createDocument("text", body, parts))
  return text.split(/\n+/)
}

describe("texts", () => {
  it("show notes, comments and text boxes after their paragraph", async () => {
    const note = `<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>Without tax.</text:p></text:note-body></text:note>`
    const comment = `<office:annotation><dc:creator>Ada</dc:creator><dc:date>2026-01-01</dc:date><text:p>Check this.</text:p></office:annotation>`
    const box = `<draw:frame><draw:text-box><text:p>In the box.</text:p></draw:text-box></draw:frame>`
    const lines = await readLines(`<text:p>The fee${note} is${comment} due.${box}</text:p>`)
    expect(lines).toEqual([
      "The fee[^1] is due.",
      "[^1]: Without tax.",
      "Comment (Ada): Check this.",
      "In the box.",
    ])
  })

  it("show the values of form controls in their place", async () => {
    const controls = [
      `<form:text xml:id="a" form:id="a" form:value="old" form:current-value="Linz"/>`,
      `<form:checkbox form:id="b" form:label="Paid" form:current-state="checked"/>`,
      `<form:radio form:id="c" form:label="By post"/>`,
      `<form:listbox form:id="d"><form:option form:label="North"/><form:option form:label="South" form:current-selected="true"/></form:listbox>`,
      `<form:password form:id="e" form:current-value="secret"/>`,
    ]
    const forms = `<office:forms><form:form>${controls.join("")}</form:form></office:forms>`
    const [city, paid, byPost, region, password] = Array.from(
      "abcde",
      (id) => `<draw:control draw:control="${id}"/>`,
    )
    const lines = await readLines(
      `${forms}${byPost}<text:p>City: ${city}</text:p><text:p>${paid}${password}</text:p><text:p>Region: ${region}</text:p>`,
    )
    expect(lines).toEqual(["[ ] By post", "City: Linz", "[x] Paid", "Region: South"])
  })

  it("show neither deleted nor hidden text", async () => {
    const deleted = `<text:tracked-changes><text:changed-region><text:deletion><text:p>Deleted.</text:p></text:deletion></text:changed-region></text:tracked-changes>`
    const styles = `<office:automatic-styles><style:style style:name="T1" style:family="text"><style:text-properties text:display="none"/></style:style></office:automatic-styles>`
    const body = `${deleted}<text:p>Seen<text:span text:style-name="T1"> hidden</text:span>.</text:p>`
    expect(await readLines(body, { automaticStyles: styles })).toEqual(["Seen."])
  })

  it("show headers before and footers after the text, each once, without page numbers", async () => {
    const page = (name: string) =>
      `<style:master-page style:name="${name}"><style:header><text:p>Contract 4711</text:p></style:header><style:footer><text:p>Confidential</text:p><text:p>Page <text:page-number>1</text:page-number></text:p></style:footer></style:master-page>`
    const styles = `<office:document-styles><office:master-styles>${page("A")}${page("B")}</office:master-styles></office:document-styles>`
    expect(await readLines("<text:p>Text.</text:p>", { "styles.xml": styles })).toEqual([
      "Contract 4711",
      "Text.",
      "Confidential",
    ])
  })

  it("show the numbers of headings and lists", async () => {
    const outline = `<text:outline-style style:name="Outline"><text:outline-level-style text:level="1" style:num-format="1" style:num-suffix="."/><text:outline-level-style text:level="2" style:num-format="1" text:display-levels="2"/></text:outline-style>`
    const list = `<text:list-style style:name="L1"><text:list-level-style-number text:level="1" style:num-format="a" style:num-prefix="(" style:num-suffix=")"/><text:list-level-style-bullet text:level="2" text:bullet-char="•"/></text:list-style>`
    const styles = `<office:document-styles><office:styles>${outline}${list}</office:styles></office:document-styles>`
    const heading = (level: number, text: string) =>
      `<text:h text:outline-level="${level}">${text}</text:h>`
    const item = (content: string) => `<text:list-item>${content}</text:list-item>`
    const body = [
      heading(1, "Scope"),
      heading(1, "Duties"),
      heading(2, "Payment"),
      `<text:list text:style-name="L1">${item(`<text:p>one</text:p><text:p>more</text:p><text:list>${item("<text:p>below</text:p>")}</text:list>`)}${item("<text:p>two</text:p>")}</text:list>`,
      "<text:p>between</text:p>",
      `<text:list text:style-name="L1" text:continue-numbering="true">${item("<text:p>three</text:p>")}</text:list>`,
    ].join("")
    expect(await readLines(body, { "styles.xml": styles })).toEqual([
      "1. Scope",
      "2. Duties",
      "2.1 Payment",
      "(a) one",
      "more",
      "  - below",
      "(b) two",
      "between",
      "(c) three",
    ])
  })

  it("show charts and formulas in objects of their own", async () => {
    const object = (number: number) =>
      `<draw:frame><draw:object xlink:href="./Object ${number}"/></draw:frame>`
    const lines = await readLines(
      `<text:p>Energy: ${object(1)}</text:p><text:p>${object(2)}</text:p>`,
      {
        "Object 1/content.xml": `<math><semantics><mi>E</mi><annotation>E = m c^2</annotation></semantics></math>`,
        "Object 2/content.xml": `<office:document-content><office:body><office:chart><chart:title><text:p>Honey in 2025</text:p></chart:title></office:chart></office:body></office:document-content>`,
      },
    )
    expect(lines).toEqual(["Energy: E = m c^2", "Honey in 2025"])
  })

  it("are read from flat files", async () => {
    const flat = `<?xml version="1.0"?><office:document xmlns:office="o" office:mimetype="application/vnd.oasis.opendocument.text"><office:meta><dc:title>No text</dc:title></office:meta><office:body><office:text><text:p>Flat text.</text:p></office:text></office:body></office:document>`
    const { format, text } = await read("a.fodt", flat)
    expect({ format, text }).toEqual({ format: "odt", text: "Flat text." })
  })
})

it("tells forms of two columns from tables with an emphasized header", async () => {
  const tableOf = (rows: string[][], headerStyle = "") => {
    const rowsXml = rows.map(
      (cells, at) =>
        `<table:table-row>${cells.map((text) => `<table:table-cell><text:p text:style-name="${at === 0 ? headerStyle : ""}">${text}</text:p></table:table-cell>`).join("")}</table:table-row>`,
    )
    return `<table:table>${rowsXml.join("")}</table:table>`
  }
  const styles = `<office:document-styles><office:styles><style:style style:name="Heading" style:family="paragraph"><style:text-properties fo:font-weight="bold"/></style:style></office:styles></office:document-styles>`
  const automaticStyles = `<office:automatic-styles><style:style style:name="P1" style:family="paragraph" style:parent-style-name="Heading"/></office:automatic-styles>`
  const form = tableOf([
    ["Name", "Ada Sommer"],
    ["Wohnort", "Köln"],
  ])
  const table = tableOf(
    [
      ["City", "River"],
      ["Köln", "Rhein"],
    ],
    "P1",
  )
  const lines = await readLines(form + table, { automaticStyles, "styles.xml": styles })
  expect(lines).toEqual(["Name: Ada Sommer", "Wohnort: Köln", "City: Köln | River: Rhein"])
})

describe("spreadsheets", () => {
  const cell = (text: string, attributes = "") =>
    `<table:table-cell ${attributes}><text:p>${text}</text:p></table:table-cell>`
  const row = (cells: string, attributes = "") =>
    `<table:table-row ${attributes}>${cells}</table:table-row>`

  it("show merged cells in each row, and comments with their cell", async () => {
    const comment = `<office:annotation><dc:creator>Ada</dc:creator><text:p>Estimated.</text:p></office:annotation>`
    const rows = [
      row(cell("Region") + cell("Quarter") + cell("Amount")),
      row(cell("North", `table:number-rows-spanned="2"`) + cell("Q1") + cell("5")),
      row(
        `<table:covered-table-cell/>${cell("Q2")}<table:table-cell>${comment}<text:p>6</text:p></table:table-cell>`,
      ),
    ].join("")
    const body = `<table:table table:name="Sales">${rows}</table:table>`
    const { text } = await read("a.ods", createDocument("spreadsheet", body))
    expect(text.split(/\n+/)).toEqual([
      "Region: North | Quarter: Q1 | Amount: 5",
      "Region: North | Quarter: Q2 | Amount: 6",
      "Comment on C3 by Ada: Estimated.",
    ])
  })

  it("keep the columns of cells after many empty ones", async () => {
    const days = Array.from({ length: 100 }, (_, at) => cell(`Tag${at + 1}`)).join("")
    const empty = (count: number) => `<table:table-cell table:number-columns-repeated="${count}"/>`
    const rows = [
      row(cell("Name") + days + empty(16_283)),
      row(cell("Ada") + empty(79) + cell("7") + cell("8", `table:number-columns-repeated="2"`)),
    ].join("")
    const body = `<table:table table:name="Days">${rows}</table:table>`
    const { text } = await read("a.ods", createDocument("spreadsheet", body))
    expect(text.split(/\n+/).at(-1)).toBe("Name: Ada | Tag80: 7 | Tag81: 8 | Tag82: 8")
  })

  it("do not show the placeholders of headers", async () => {
    const styles = `<office:document-styles><office:master-styles><style:master-page style:name="Default"><style:header><text:p><text:sheet-name>???</text:sheet-name></text:p></style:header><style:footer><text:p>Page <text:page-number>1</text:page-number></text:p></style:footer></style:master-page></office:master-styles></office:document-styles>`
    const body = `<table:table table:name="One">${row(cell("Honey"))}</table:table>`
    const { text } = await read(
      "a.ods",
      createDocument("spreadsheet", body, { "styles.xml": styles }),
    )
    expect(text).toBe("Honey")
  })
})

it("reads presentations with titles as headings, notes, and what stands on every slide", async () => {
  const styles = `<office:document-styles><office:master-styles><style:master-page><draw:frame presentation:class="title" presentation:placeholder="true"><draw:text-box><text:p>Click to edit</text:p></draw:text-box></draw:frame><draw:frame presentation:class="footer"><draw:text-box><text:p>Internal use</text:p></draw:text-box></draw:frame></style:master-page></office:master-styles></office:document-styles>`
  const body = `<draw:page><draw:frame presentation:class="title"><draw:text-box><text:p>Bees</text:p></draw:text-box></draw:frame><draw:frame><draw:text-box><text:p>They dance.</text:p></draw:text-box></draw:frame><presentation:notes><draw:frame><draw:text-box><text:p>Say it slowly.</text:p></draw:text-box></draw:frame></presentation:notes></draw:page>`
  const { text } = await read(
    "a.odp",
    createDocument("presentation", body, { "styles.xml": styles }),
  )
  expect(text.split(/\n+/)).toEqual(["Internal use", "Bees", "They dance.", "Say it slowly."])
})
