import { expect, it } from "vitest"
import { useDocumentReader } from "./document-reader.ts"
import { comment, createFormPdf } from "./make-form-pdf.ts"

const read = useDocumentReader()

/** Corners of marked text: upper left, upper right, lower left, lower right. */
const quad = (left: number, bottom: number, right: number, top: number) =>
  `/QuadPoints[${left} ${top} ${right} ${top} ${left} ${bottom} ${right} ${bottom}]`

it("reads comments with their authors at the end of their page, replies after what they answer", async () => {
  const pdf = createFormPdf({
    pages: [
      {
        text: [[50, 700, "The fee is 90 euros."]],
        annotations: [
          comment("Text", "500 300 520 320", "Ask the board.", "/T(Cleo)"),
          comment("Highlight", "50 695 170 712", "Too low?", `/T(Ada)${quad(50, 695, 170, 712)}`),
          comment("Text", "50 695 70 715", "No, as agreed.", "/T(Bob)/IRT 21 0 R"),
          comment("Popup", "300 600 500 700", "Too low?", "/Parent 21 0 R"),
          comment("FreeText", "50 600 200 620", "Paid in March", "/T(Bob)/DA(/Helv 12 Tf)"),
          comment("Stamp", "50 500 200 540", "Void after 2027"),
          comment(
            "Text",
            "50 695 70 715",
            "Accepted set by Bob",
            "/IRT 20 0 R/StateModel(Review)/State(Accepted)",
          ),
          comment("Text", "50 100 70 120", "Never shown", "/F 2"),
        ],
      },
      { text: [[50, 700, "Second page."]] },
    ],
  })
  const { text } = await read("comments.pdf", pdf)
  expect(text.split(/\n+/)).toEqual([
    "The fee is 90 euros.",
    "Comment (Ada): Too low?",
    "Reply (Bob): No, as agreed.",
    "Comment (Bob): Paid in March",
    "Comment: Void after 2027",
    "Comment (Cleo): Ask the board.",
    "Second page.",
  ])
})

it("does not repeat text of the page that a comment copies", async () => {
  const pdf = createFormPdf({
    pages: [
      {
        text: [
          [50, 700, "Bees dance in the dark."],
          [50, 650, "Wax is soft."],
        ],
        annotations: [
          comment("Highlight", "50 695 200 712", "Bees dance", quad(50, 695, 200, 712)),
          comment("Highlight", "50 645 200 662", "Bees dance", quad(50, 645, 200, 662)),
        ],
      },
    ],
  })
  const { text } = await read("copied.pdf", pdf)
  expect(text.split(/\n+/)).toEqual([
    "Bees dance in the dark.",
    "Wax is soft.",
    "Comment: Bees dance",
  ])
})

it("reads text typed onto a form as part of the page", async () => {
  const pdf = createFormPdf({
    pages: [
      {
        text: [
          [50, 700, "Name:"],
          [50, 680, "Town:"],
        ],
        annotations: [
          comment("FreeText", "100 676 250 694", "Graz", "/IT/FreeTextTypeWriter/T(Ada)"),
          comment("FreeText", "100 696 250 714", "Ada Lovelace", "/IT/FreeTextTypeWriter/T(Ada)"),
        ],
      },
    ],
  })
  const { text } = await read("typed.pdf", pdf)
  expect(text).toContain("Name: Ada Lovelace")
  expect(text).toContain("Town: Graz")
})

it("reads comments that answer each other in a circle", async () => {
  const pdf = createFormPdf({
    pages: [
      {
        annotations: [
          comment("Text", "50 700 70 720", "First", "/IRT 21 0 R"),
          comment("Text", "50 700 70 720", "Second", "/IRT 20 0 R"),
        ],
      },
    ],
  })
  const { text } = await read("circle.pdf", pdf)
  expect(text).toContain("First")
  expect(text).toContain("Second")
})
