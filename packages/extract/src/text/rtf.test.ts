import { expect, it } from "vitest"
import { readRtf } from "./rtf.ts"

const read = (content: string): string[] =>
  readRtf(`{\\rtf1\\ansi ${content}}`).map(({ text }) => text)

it("reads headers and footers once, apart from the text", () => {
  const stories = String.raw`{\headerr Contract 4711\par}{\headerl Contract 4711}{\footerf Page {\field{\*\fldinst PAGE}{\fldrslt 3}}}{\footer Confidential}`
  expect(read(String.raw`${stories}First.\par Second.`)).toEqual([
    "Contract 4711",
    "First.",
    "Second.",
    "Confidential",
  ])
})

it("reads notes after their paragraph", () => {
  expect(
    read(String.raw`The fee{\footnote\pard\plain Without tax.\par} is due.\par Next.`),
  ).toEqual(["The fee[^1] is due.", "[^1]: Without tax.", "Next."])
})

it.each([
  [String.raw`Seen{\v hidden} and\v  hidden\v0  too.`, "Seen and too."],
  [String.raw`Seen{\deleted gone}.`, "Seen."],
  [String.raw`{\v {\footnote\plain Hidden.}}Seen.`, "Seen."],
  [
    String.raw`\pard\intbl\itap2 a\nestcell b\nestcell{\*\nesttableprops\trowd\nestrow}{\nonesttables\par}c\cell d\cell\row`,
    "a, b, ; c | d |",
  ],
])("reads %s", (content, expected) => {
  expect(read(content)).toEqual([expected])
})
