import { expect, it } from "vitest"
import {
  createDeck,
  graphicFrame,
  notesXml,
  type SlideContent,
  slideTable,
  textShape,
} from "../files/make-pptx.ts"
import { useDocumentReader } from "./document-reader.ts"

const read = useDocumentReader()

/** The text of a deck. */
const textOf = async (...deck: Parameters<typeof createDeck>): Promise<string> =>
  (await read("deck.pptx", createDeck(...deck))).text

const slide = (...shapes: string[]): SlideContent => ({ shapes: shapes.join("") })

it.each(["sldNum", "dt", "ftr"])("reads a table after a placeholder of type %s", async (type) => {
  const shapes = [
    textShape("7", { placeholder: type }),
    slideTable([
      ["Name", "Hives", "Visits"],
      ["Zander", "410", "7"],
      ["Abel", "12", "3"],
    ]),
  ]
  const text = await textOf([slide(...shapes)])
  expect(text).toContain(
    "Name: Zander | Hives: 410 | Visits: 7\nName: Abel | Hives: 12 | Visits: 3",
  )
})

it("repeats merged cells in the rows that they cover", async () => {
  const table = slideTable([
    ["Region", "Quarter", "Honey"],
    [["North", 'rowSpan="2"'], "Q1", "5 kg"],
    [["", 'vMerge="1"'], "Q2", "9 kg"],
    [["None", 'gridSpan="2"'], ["", 'hMerge="1"'], "0 kg"],
  ])
  expect(await textOf([slide(table)])).toBe(
    [
      "Region: North | Quarter: Q1 | Honey: 5 kg",
      "Region: North | Quarter: Q2 | Honey: 9 kg",
      "Region: None | Honey: 0 kg",
    ].join("\n"),
  )
})

it("reads shapes from top to bottom and from left to right, groups together, the title first", async () => {
  const group = `<p:grpSp><p:grpSpPr><a:xfrm><a:off x="0" y="200"/><a:ext cx="99" cy="50"/></a:xfrm></p:grpSpPr>
    ${textShape("Workers", { at: [50, 900] })}${textShape("Queen", { at: [50, 800] })}</p:grpSp>`
  const shapes = [
    textShape("Summer", { at: [0, 300] }),
    group,
    textShape("Right", { at: [500, 95] }),
    textShape("Left", { at: [10, 100] }),
    textShape("Bees", { at: [0, 400], placeholder: "title" }),
  ]
  expect(await textOf([slide(...shapes)])).toBe("Bees\nLeft\nRight\nQueen\nWorkers\nSummer")
})

it("takes the positions of placeholders from their layout and its master", async () => {
  const body = `<p:sp><p:nvSpPr><p:nvPr><p:ph idx="1"/></p:nvPr></p:nvSpPr><p:txBody><a:p><a:r><a:t>Body</a:t></a:r></a:p></p:txBody></p:sp>`
  const subtitle = textShape("Subtitle", { placeholder: "subTitle" })
  const layout = `<p:sldLayout><p:sp><p:nvSpPr><p:nvPr><p:ph idx="1"/></p:nvPr></p:nvSpPr><p:spPr><a:xfrm><a:off x="0" y="700"/></a:xfrm></p:spPr></p:sp></p:sldLayout>`
  const text = await textOf(
    [
      {
        shapes: body + textShape("Middle", { at: [0, 300] }) + subtitle,
        relationships: { l: ["slideLayout", "../slideLayouts/slideLayout1.xml"] },
      },
    ],
    {
      extra: {
        "ppt/slideLayouts/slideLayout1.xml": layout,
        "ppt/slideLayouts/_rels/slideLayout1.xml.rels": `<Relationships><Relationship Id="m" Type="x/slideMaster" Target="../slideMasters/slideMaster1.xml"/></Relationships>`,
        "ppt/slideMasters/slideMaster1.xml": `<p:sldMaster>${textShape("Click to edit", { placeholder: "subTitle", at: [0, 500] })}</p:sldMaster>`,
      },
    },
  )
  expect(text).toBe("Middle\nSubtitle\nBody")
})

it("indents the levels of a list", async () => {
  const shapes = [textShape("Bees"), textShape("Drones", { level: 1 })]
  expect(await textOf([slide(...shapes)])).toBe("Bees\n  Drones")
})

it("reads footers once, and neither slide numbers nor the date of the presentation", async () => {
  const today = textShape("", { placeholder: "dt" }).replace(
    "<a:r><a:t></a:t></a:r>",
    `<a:fld type="datetime1"><a:t>27/11/2026</a:t></a:fld>`,
  )
  const furniture = [
    textShape("Confidential – Project X", { placeholder: "ftr" }),
    textShape("12", { placeholder: "sldNum" }),
    today,
  ]
  const text = await textOf([
    slide(textShape("One"), ...furniture),
    slide(textShape("Two"), ...furniture, textShape("May 2031", { placeholder: "dt" })),
  ])
  expect(text).toBe("One\nConfidential – Project X\nTwo\nMay 2031")
})

it("reads footers without their fields", async () => {
  const withField = (placeholder: string, text: string) =>
    textShape(text, { placeholder }).replace(
      "</a:p>",
      `<a:fld type="slidenum"><a:rPr/><a:t>3</a:t></a:fld></a:p>`,
    )
  const text = await textOf([
    slide(
      textShape("One"),
      withField("ftr", "Vertrag 4711, Seite "),
      withField("sldNum", "Streng vertraulich | "),
    ),
    slide(textShape("Two"), withField("ftr", "Seite "), withField("sldNum", "")),
  ])
  expect(text).toBe("One\nVertrag 4711, Seite\nStreng vertraulich |\nTwo")
})

it("reads forms and tables of two columns", async () => {
  const form = slideTable([
    ["Name", "Ada Sommer"],
    ["Wohnort", "Köln"],
  ])
  const bold = (text: string) => `<a:r><a:rPr b="1"/><a:t>${text}</a:t></a:r>`
  const table = slideTable([
    ["City", "River"],
    ["Köln", "Rhein"],
  ])
    .replace("<a:r><a:t>City</a:t></a:r>", bold("City"))
    .replace("<a:r><a:t>River</a:t></a:r>", bold("River"))
  expect(await textOf([slide(form), slide(table)])).toBe(
    "Name: Ada Sommer\nWohnort: Köln\nCity: Köln | River: Rhein",
  )
})

it("names columns by the merged cells above them", async () => {
  const table = slideTable([
    ["Region", ["2025", 'gridSpan="2"'], ["", 'hMerge="1"'], "Sum"],
    ["", "Q1", "Q2", ""],
    ["North", "1", "2", "3"],
    ["South", "4", "5", "9"],
  ])
  expect(await textOf([slide(table)])).toBe(
    "Region: North | 2025 / Q1: 1 | 2025 / Q2: 2 | Sum: 3\nRegion: South | 2025 / Q1: 4 | 2025 / Q2: 5 | Sum: 9",
  )
})

it("reads presentations with another prefix for relationships", async () => {
  const text = await textOf([slide(textShape("One"))], {
    extra: {
      "ppt/presentation.xml": `<p:presentation><p:sldIdLst><p:sldId id="256" rel:id="s1"/></p:sldIdLst></p:presentation>`,
    },
  })
  expect(text).toBe("One")
})

it("names hidden slides", async () => {
  const text = await textOf([
    { ...slide(textShape("Reserve", { placeholder: "title" })), attributes: `show="0"` },
  ])
  expect(text).toBe("Reserve\nHidden slide")
})

it("reads notes without their slide number, after the slide", async () => {
  const notes = [
    textShape("Say it slowly.", { placeholder: "body" }),
    textShape("3", { placeholder: "sldNum" }),
  ]
  const text = await textOf(
    [{ shapes: textShape("Honey"), relationships: { n: ["notesSlide", "../notesSlides/n.xml"] } }],
    { extra: { "ppt/notesSlides/n.xml": notesXml(notes.join("")) } },
  )
  expect(text).toBe("Honey\n\nSay it slowly.")
})

it("reads comments with their authors, and the replies in threads", async () => {
  const plain = `<p:cmLst><p:cm authorId="0"><p:text>Which year?</p:text></p:cm></p:cmLst>`
  const threaded = `<p188:cmLst><p188:cm authorId="{A}"><p188:replyLst><p188:reply authorId="{B}"><p188:txBody><a:p><a:r><a:t>Last one.</a:t></a:r></a:p></p188:txBody></p188:reply></p188:replyLst><p188:txBody><a:p><a:r><a:t>Which source?</a:t></a:r></a:p></p188:txBody></p188:cm></p188:cmLst>`
  const text = await textOf(
    [
      {
        shapes: textShape("Yield"),
        relationships: {
          a: ["comments", "../comments/comment1.xml"],
          b: ["comments", "../comments/modernComment_100.xml"],
        },
      },
    ],
    {
      relationships: {
        a: ["commentAuthors", "commentAuthors.xml"],
        b: ["authors", "authors.xml"],
      },
      extra: {
        "ppt/comments/comment1.xml": plain,
        "ppt/comments/modernComment_100.xml": threaded,
        "ppt/commentAuthors.xml": `<p:cmAuthorLst><p:cmAuthor id="0" name="Ada"/></p:cmAuthorLst>`,
        "ppt/authors.xml": `<p188:authorLst><p188:author id="{A}" name="Eve"/><p188:author id="{B}" name="Bob"/></p188:authorLst>`,
      },
    },
  )
  expect(text).toBe(
    "Yield\nComment (Ada): Which year?\nComment (Eve): Which source?\nComment (Bob): Last one.",
  )
})

it("reads equations as LaTeX", async () => {
  const equation = `<a14:m><m:oMathPara><m:oMath><m:f><m:num><m:r><m:t>a</m:t></m:r></m:num><m:den><m:r><m:t>2</m:t></m:r></m:den></m:f></m:oMath></m:oMathPara></a14:m>`
  const shape = textShape("Half: ").replace("</a:p>", `${equation}</a:p>`)
  expect(await textOf([slide(shape)])).toBe("Half: $\\frac{a}{2}$")
})

it("reads one of the alternatives for the same content", async () => {
  const text = await textOf([
    slide(
      `<mc:AlternateContent><mc:Choice Requires="a14">${textShape("E = mc²")}</mc:Choice><mc:Fallback>${textShape("E = mc²")}</mc:Fallback></mc:AlternateContent>`,
    ),
  ])
  expect(text).toBe("E = mc²")
})

it("reads descriptions of pictures if they are sentences that somebody wrote", async () => {
  const picture = (description: string) =>
    `<p:pic><p:nvPicPr><p:cNvPr id="4" name="Picture 3" descr="${description}"/></p:nvPicPr></p:pic>`
  const text = await textOf([
    slide(
      picture("A beekeeper opens the hive with smoke."),
      picture("logo"),
      picture("C:\\My Documents\\My Pictures\\hive 4.jpg"),
      picture("A close up of a bee Description automatically generated"),
    ),
  ])
  expect(text).toBe("Picture: A beekeeper opens the hive with smoke.")
})

it("reads a deck of charts only", async () => {
  const series = `<c:ser><c:tx><c:v>Honey</c:v></c:tx><c:cat><c:strLit><c:pt idx="0"><c:v>May</c:v></c:pt></c:strLit></c:cat><c:val><c:numLit><c:pt idx="0"><c:v>7</c:v></c:pt></c:numLit></c:val></c:ser>`
  const text = await textOf(
    [
      {
        shapes: graphicFrame(`<c:chart r:id="c"/>`),
        relationships: { c: ["chart", "../charts/chart1.xml"] },
      },
    ],
    {
      extra: {
        "ppt/charts/chart1.xml": `<c:chartSpace><c:chart><c:plotArea><c:barChart>${series}</c:barChart></c:plotArea></c:chart></c:chartSpace>`,
      },
    },
  )
  expect(text).toBe("Chart\nMay | Honey: 7")
})
