import { describe, expect, it } from "vitest"
import { createZip } from "../files/make-documents.ts"
import { useDocumentReader } from "./document-reader.ts"
import { createWorkbook, styled } from "./make-workbook.ts"

const read = useDocumentReader()

const linesOf = async (workbook: Buffer): Promise<string[]> => {
  const { text } = await read("book.xlsx", workbook)
  return text.split("\n").filter(Boolean)
}

describe("values", () => {
  it("reads numbers, dates and times as the sheet shows them", async () => {
    const codes = ["0.0%", '#,##0.00 "€"', "h:mm", "dd.mm.yyyy", "[h]:mm"]
    const rows = [
      ["Region", "Growth", "Sales", "Opens", "Since", "Total"],
      [
        "North",
        styled(0.072, 1),
        styled(-1234.5, 2),
        styled(8.5 / 24, 3),
        styled(45_000, 4),
        styled(1.5, 5),
      ],
    ]
    expect(await linesOf(createWorkbook({ One: { rows } }, { codes }))).toEqual([
      "Region: North | Growth: 7.2% | Sales: -1,234.50 € | Opens: 8:30 | Since: 15.03.2023 | Total: 36:00",
    ])
  })

  it("reads dates of the 1904 date system", async () => {
    const rows = [
      ["Name", "Since"],
      ["Ada", styled(43_538, 1)],
    ]
    const properties = `<workbookPr date1904="1"/>`
    const workbook = createWorkbook({ One: { rows } }, { codes: ["yyyy-mm-dd"], properties })
    expect(await linesOf(workbook)).toEqual(["Name: Ada | Since: 2023-03-15"])
  })

  it("reads errors, truth values, escapes, and formulas that were never calculated", async () => {
    const rows = [
      ["A", "B", "C", "D"],
      [
        { xml: `<c t="e"><f>1/0</f><v>#DIV/0!</v></c>` },
        { xml: `<c t="b"><v>1</v></c>` },
        {
          xml: `<c t="inlineStr"><is><r><t>two_x000D_ </t></r><r><t>runs</t></r><rPh><t>x</t></rPh></is></c>`,
        },
        { xml: "<c ><f>SUM(A1:A9)</f><v></v></c>" },
      ],
    ]
    expect(await linesOf(createWorkbook({ One: { rows } }))).toEqual([
      "A: #DIV/0! | B: TRUE | C: two runs | D: =SUM(A1:A9)",
    ])
  })

  it("reads workbooks whose elements have a namespace prefix", async () => {
    const workbook = createZip({
      "xl/workbook.xml": `<x:workbook><x:sheets><x:sheet name="One" r:id="a"/></x:sheets></x:workbook>`,
      "xl/_rels/workbook.xml.rels": `<Relationships><Relationship Id="a" Type="x/worksheet" Target="/xl/worksheets/s.xml"/><Relationship Id="b" Type="x/sharedStrings" Target="strings.xml"/></Relationships>`,
      "xl/strings.xml": "<x:sst><x:si><x:t>Ada</x:t></x:si></x:sst>",
      "xl/worksheets/s.xml": `<x:worksheet><x:sheetData><x:row><x:c t="s"><x:v>0</x:v></x:c></x:row></x:sheetData></x:worksheet>`,
    })
    expect(await linesOf(workbook)).toEqual(["Ada"])
  })
})

describe("headers", () => {
  it.each([
    [
      "under a title and a note",
      {
        rows: [
          ["Rates 2024"],
          ["All values in euros."],
          ["Code", "Name", "Amount"],
          ["M317", "Abel", 12_692],
          ["M318", "Berta", 7],
        ],
        merged: ["A1:C1"],
      },
      [
        "Rates 2024",
        "All values in euros.",
        "Code: M317 | Name: Abel | Amount: 12692",
        "Code: M318 | Name: Berta | Amount: 7",
      ],
    ],
    [
      "of two rows",
      {
        rows: [
          ["Region", 2023, null, 2024, null],
          [null, "Q1", "Q2", "Q1", "Q2"],
          ["North", 1, 2, 3, 4],
        ],
        merged: ["A1:A2", "B1:C1", "D1:E1"],
      },
      ["Region: North | 2023 / Q1: 1 | 2023 / Q2: 2 | 2024 / Q1: 3 | 2024 / Q2: 4"],
    ],
    [
      "of years",
      {
        rows: [
          ["Country", 2022, 2023],
          ["France", 1, 2],
          ["Spain", 3, 4],
        ],
      },
      ["Country: France | 2022: 1 | 2023: 2", "Country: Spain | 2022: 3 | 2023: 4"],
    ],
    [
      "with units below",
      {
        rows: [
          ["Item", "Speed", "Weight"],
          [null, "km/h", "kg"],
          ["Car", 120, 900],
          ["Bike", 25, 12],
        ],
      },
      [
        "Item: Car | Speed / km/h: 120 | Weight / kg: 900",
        "Item: Bike | Speed / km/h: 25 | Weight / kg: 12",
      ],
    ],
    [
      "of tables side by side and one below the other",
      {
        rows: [
          ["Name", "Age", null, "City", "People"],
          ["Ada", 36, null, "Paris", 2],
          ["Bob", 40, null, null, null],
          [],
          ["Product", "Price"],
          ["Apple", 1.2],
        ],
      },
      [
        "Name: Ada | Age: 36",
        "Name: Bob | Age: 40",
        "City: Paris | People: 2",
        "Product: Apple | Price: 1.2",
      ],
    ],
    [
      "of rows after an empty row",
      { rows: [["Region", "Sales"], ["North", 1], ["South", 2], [], ["Total", 3]] },
      ["Region: North | Sales: 1", "Region: South | Sales: 2", "Region: Total | Sales: 3"],
    ],
    [
      "that an automatic filter marks",
      {
        rows: [
          ["M1", "X"],
          ["a", "b"],
          ["c", "d"],
        ],
        after: `<autoFilter ref="A2:B3"/>`,
      },
      ["M1: X", "a: c | b: d"],
    ],
    [
      "with columns that have no values",
      {
        rows: [
          ["Name", "Age", "City"],
          ["Ada", 36, null],
        ],
      },
      ["Name | Age | City", "Name: Ada | Age: 36"],
    ],
  ])("finds those %s", async (_what, sheet, lines) => {
    expect(await linesOf(createWorkbook({ One: sheet }))).toEqual(lines)
  })

  it("reads a form as labels and values", async () => {
    const rows = [
      ["Name", "Ada"],
      ["Street:", "High Street 1"],
      ["Born", 1990],
      ["Salary", 5000],
    ]
    expect(await linesOf(createWorkbook({ One: { rows } }))).toEqual([
      "Name: Ada",
      "Street: High Street 1",
      "Born: 1990",
      "Salary: 5000",
    ])
  })

  it("takes those of tables from the workbook", async () => {
    const rows = [
      ["x", "y", "z"],
      ["1", "2", "3"],
      ["4", "5", "6"],
    ]
    const workbook = createWorkbook(
      { One: { rows, related: { table: "../tables/t.xml" } } },
      { parts: { "xl/tables/t.xml": `<table ref="B2:C3"/>` } },
    )
    expect(await linesOf(workbook)).toEqual(["x | y | z", "x: 1", "x: 4", "2: 5 | 3: 6"])
  })
})

it("ignores tables that overlap an earlier one", async () => {
  const rows = [
    ["x", "y"],
    ["1", "2"],
  ]
  const tables = {
    "xl/tables/t.xml": `<table ref="A1:B2"/>`,
    "xl/tables/u.xml": `<table ref="A2:B2" headerRowCount="0"/>`,
  }
  const workbook = createWorkbook(
    { One: { rows, related: { table: "../tables/t.xml" } } },
    {
      parts: {
        ...tables,
        "xl/worksheets/_rels/sheet0.xml.rels": `<Relationships><Relationship Id="a" Type="x/table" Target="../tables/t.xml"/><Relationship Id="b" Type="x/table" Target="../tables/u.xml"/></Relationships>`,
      },
    },
  )
  expect(await linesOf(workbook)).toEqual(["x: 1 | y: 2"])
})

it("takes no more than three rows of a table for its header", async () => {
  const rows = [
    ["x", "y"],
    ["1", "2"],
    ["3", "4"],
    ["5", "6"],
  ]
  const workbook = createWorkbook(
    { One: { rows, related: { table: "../tables/t.xml" } } },
    { parts: { "xl/tables/t.xml": `<table ref="A1:B4" headerRowCount="9"/>` } },
  )
  expect(await linesOf(workbook)).toEqual(["x / 1 / 3: 5 | y / 2 / 4: 6"])
})

it("repeats a cell that is merged over several rows", async () => {
  const rows = [
    ["Region", "City", "Sales"],
    ["North", "Kiel", 1],
    [null, "Bremen", 2],
    ["South", "Ulm", 3],
  ]
  expect(await linesOf(createWorkbook({ One: { rows, merged: ["A2:A3"] } }))).toEqual([
    "Region: North | City: Kiel | Sales: 1",
    "Region: North | City: Bremen | Sales: 2",
    "Region: South | City: Ulm | Sales: 3",
  ])
})

it("reads comments at their rows, text boxes, and charts", async () => {
  const workbook = createWorkbook(
    {
      One: {
        rows: [
          ["Region", "Sales"],
          ["North", 1],
          ["South", 2],
        ],
        related: {
          comments: "../comments1.xml",
          threadedComment: "../threadedComments/t.xml",
          drawing: "../drawings/d.xml",
        },
      },
    },
    {
      parts: {
        "xl/comments1.xml": `<comments><authors><author>Ada</author><author>tc={1}</author></authors><commentList>
          <comment ref="B2" authorId="0"><text><r><t>Ada:</t></r><r><t>
            Too low?</t></r></text></comment>
          <comment ref="B3" authorId="1"><text><t>[Threaded comment]</t></text></comment></commentList></comments>`,
        "xl/threadedComments/t.xml": `<ThreadedComments><threadedComment ref="B3" personId="p"><text>Check this.</text></threadedComment></ThreadedComments>`,
        "xl/persons/person.xml": `<personList><person displayName="Eve" id="p"/></personList>`,
        "xl/drawings/d.xml": `<xdr:wsDr><xdr:twoCellAnchor><xdr:from><xdr:row>4</xdr:row></xdr:from><xdr:sp><xdr:txBody><a:p><a:r><a:t>Draft only</a:t></a:r></a:p></xdr:txBody></xdr:sp></xdr:twoCellAnchor>
          <xdr:oneCellAnchor><xdr:graphicFrame><c:chart r:id="r0"/></xdr:graphicFrame></xdr:oneCellAnchor></xdr:wsDr>`,
        "xl/drawings/_rels/d.xml.rels": `<Relationships><Relationship Id="r0" Type="x/chart" Target="../charts/c.xml"/></Relationships>`,
        "xl/charts/c.xml": `<c:chartSpace><c:chart><c:title><c:tx><c:rich><a:p><a:r><a:t>Sales by region</a:t></a:r></a:p></c:rich></c:tx></c:title></c:chart></c:chartSpace>`,
      },
    },
  )
  expect(await linesOf(workbook)).toEqual([
    "Region: North | Sales: 1",
    "Comment on B2 by Ada: Too low?",
    "Region: South | Sales: 2",
    "Comment on B3 by Eve: Check this.",
    "Draft only",
    expect.stringContaining("Sales by region"),
  ])
})

it("says how to upload a binary workbook", async () => {
  const { data } = await read("book.xlsb", createZip({ "xl/workbook.bin": "x" }))
  expect(data).toMatchObject({ status: "failed", error: expect.stringContaining("(.xlsb)") })
})
