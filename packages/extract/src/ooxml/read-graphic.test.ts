import { expect, it } from "vitest"
import type { Zip } from "../zip/zip.ts"
import { readReferencedGraphic } from "./read-graphic.ts"

const linesOf = (name: string, partsByName: Record<string, string>): string[] => {
  const zip: Zip = {
    names: Object.keys(partsByName),
    has: (part) => part in partsByName,
    read: (part) => Buffer.from(partsByName[part] ?? ""),
    readText: (part) => partsByName[part] ?? "",
  }
  const relationships = new Map([["r1", { target: "g.xml" }]])
  const attributes = name === "dgm:relIds" ? { "r:dm": "r1" } : { "r:id": "r1" }
  return readReferencedGraphic(zip, relationships, { name, attributes }, {}).map(({ text }) => text)
}

const points = (texts: (string | undefined)[]): string =>
  texts
    .map((text, index) =>
      text === undefined ? "" : `<c:pt idx="${index}"><c:v>${text}</c:v></c:pt>`,
    )
    .join("")
const strings = (...texts: (string | undefined)[]): string =>
  `<c:strRef><c:f>Sheet1!A1</c:f><c:strCache><c:ptCount val="9"/>${points(texts)}</c:strCache></c:strRef>`
const numbers = (formatCode: string, ...texts: (string | undefined)[]): string =>
  `<c:numRef><c:f>Sheet1!B1</c:f><c:numCache><c:formatCode>${formatCode}</c:formatCode>${points(texts)}</c:numCache></c:numRef>`
const series = (name: string, data: string): string =>
  `<c:ser><c:tx>${strings(name)}</c:tx>${data}</c:ser>`
const title = (text: string): string =>
  `<c:title><c:tx><c:rich><a:p><a:r><a:t>${text}</a:t></a:r></a:p></c:rich></c:tx></c:title>`
const chart = (plots: string, { heading = "", axes = "", after = "" } = {}): string =>
  `<c:chartSpace><c:chart>${heading}<c:plotArea>${plots}${axes}</c:plotArea></c:chart>${after}</c:chartSpace>`

const months = `<c:cat>${strings("May", "June")}</c:cat>`

it.each<[what: string, part: string, lines: string[]]>([
  [
    "titles, and a row for each category",
    chart(
      `<c:barChart>${series("North", `${months}<c:val>${numbers("General", "7", "19.989999999999998")}</c:val>`)}${series("South", `${months}<c:val>${numbers("0.0%", "0.09", "0.125")}</c:val>`)}</c:barChart>`,
      {
        heading: title("Honey"),
        axes: `<c:catAx>${title("Month")}</c:catAx><c:valAx>${title("kg")}</c:valAx>`,
      },
    ),
    [
      "Chart: Honey",
      "Axes: Month, kg",
      "May | North: 7 | South: 9.0%",
      "June | North: 19.99 | South: 12.5%",
    ],
  ],
  [
    "numbers and dates as a sheet shows them",
    chart(
      `<c:lineChart>${series("Price", `<c:cat>${numbers("yyyy\\-mm\\-dd", "45000")}</c:cat><c:val>${numbers("#,##0.00", "12345.678")}</c:val>`)}</c:lineChart>`,
    ),
    ["Chart", "2023-03-15 | Price: 12,345.68"],
  ],
  [
    "series of several plots over the same categories",
    chart(
      `<c:barChart>${series("Yield", `${months}<c:val>${numbers("General", "7", "8")}</c:val>`)}</c:barChart><c:lineChart>${series("Rain", `${months}<c:val>${numbers("General", "30", undefined)}</c:val>`)}</c:lineChart>`,
    ),
    ["Chart", "May | Yield: 7 | Rain: 30", "June | Yield: 8"],
  ],
  [
    "categories in groups",
    chart(
      `<c:barChart>${series("Yield", `<c:cat><c:multiLvlStrRef><c:multiLvlStrCache><c:lvl>${points(["May", "June", "May"])}</c:lvl><c:lvl>${points(["2030", undefined, "2031"])}</c:lvl></c:multiLvlStrCache></c:multiLvlStrRef></c:cat><c:val>${numbers("General", "1", "2", "3")}</c:val>`)}</c:barChart>`,
    ),
    ["Chart", "2030, May | Yield: 1", "2030, June | Yield: 2", "2031, May | Yield: 3"],
  ],
  [
    "points with sizes, each series over its own",
    chart(
      `<c:bubbleChart>${series("A", `<c:xVal>${numbers("General", "1.5")}</c:xVal><c:yVal>${numbers("General", "2")}</c:yVal><c:bubbleSize>${numbers("General", "30")}</c:bubbleSize>`)}${series("B", `<c:xVal>${numbers("General", "4")}</c:xVal><c:yVal>${numbers("General", "5")}</c:yVal>`)}</c:bubbleChart>`,
    ),
    ["Chart", "1.5 | A: 2 (30)", "4 | B: 5"],
  ],
  [
    "labels written by hand",
    chart(
      `<c:pieChart>${series("Share", `<c:dLbls><c:dLbl><c:idx val="1"/><c:tx><c:rich><a:p><a:r><a:t>estimated</a:t></a:r></a:p></c:rich></c:tx></c:dLbl></c:dLbls>${months}<c:val>${numbers("General", "1", "2")}</c:val>`)}</c:pieChart>`,
    ),
    ["Chart", "May | Share: 1", "June | Share: 2 (estimated)"],
  ],
])("reads a chart with %s", (_what, part, lines) => {
  expect(linesOf("c:chart", { "g.xml": part })).toEqual(lines)
})

it("reads texts drawn over a chart", () => {
  const parts = {
    "g.xml": chart("", { after: `<c:userShapes r:id="u"/>` }),
    "_rels/g.xml.rels": `<Relationships><Relationship Id="u" Type="x/chartUserShapes" Target="drawing.xml"/></Relationships>`,
    "drawing.xml":
      "<c:userShapes><cdr:sp><cdr:txBody><a:p><a:r><a:t>New hives</a:t></a:r></a:p></cdr:txBody></cdr:sp></c:userShapes>",
  }
  expect(linesOf("c:chart", parts)).toEqual(["Chart", "New hives"])
})

it("reads a funnel, treemap and other charts of 2016", () => {
  const part = `<cx:chartSpace><cx:chartData><cx:data id="0">
      <cx:strDim type="cat"><cx:lvl ptCount="2"><cx:pt idx="0">Visitors</cx:pt><cx:pt idx="1">Buyers</cx:pt></cx:lvl></cx:strDim>
      <cx:numDim type="val"><cx:lvl ptCount="2" formatCode="General"><cx:pt idx="0">500</cx:pt><cx:pt idx="1">20</cx:pt></cx:lvl></cx:numDim>
    </cx:data></cx:chartData>
    <cx:chart><cx:title><cx:tx><cx:txData><cx:v>Fair</cx:v></cx:txData></cx:tx></cx:title><cx:plotArea><cx:plotAreaRegion>
      <cx:series layoutId="funnel"><cx:tx><cx:txData><cx:f>B1</cx:f><cx:v>People</cx:v></cx:txData></cx:tx><cx:dataId val="0"/></cx:series>
    </cx:plotAreaRegion></cx:plotArea></cx:chart></cx:chartSpace>`
  expect(linesOf("cx:chart", { "g.xml": part })).toEqual([
    "Chart: Fair",
    "Visitors | People: 500",
    "Buyers | People: 20",
  ])
})

it("reads a diagram in the order of its tree, and what is not connected after it", () => {
  const point = (id: string, text: string, type = "node") =>
    `<dgm:pt modelId="${id}" type="${type}"><dgm:t><a:p><a:r><a:t>${text}</a:t></a:r></a:p></dgm:t></dgm:pt>`
  const connection = (from: string, to: string, order: number) =>
    `<dgm:cxn srcId="${from}" destId="${to}" srcOrd="${order}" destOrd="0"/>`
  const part = `<dgm:dataModel><dgm:ptLst>
      ${point("w", "Workers")}${point("d", "", "doc")}${point("q", "Queen")}${point("n", "Nurses")}${point("p", "Queen", "pres")}${point("s", "lays eggs", "sibTrans")}
    </dgm:ptLst><dgm:cxnLst>
      ${connection("q", "w", 1)}${connection("d", "q", 0)}${connection("q", "n", 0)}${connection("n", "q", 0)}
      <dgm:cxn type="presOf" srcId="q" destId="p"/>
    </dgm:cxnLst></dgm:dataModel>`
  expect(linesOf("dgm:relIds", { "g.xml": part })).toEqual([
    "Queen",
    "  Nurses",
    "  Workers",
    "lays eggs",
  ])
})

it("reads nothing for other elements", () => {
  expect(linesOf("a:tbl", { "g.xml": "" })).toEqual([])
})
