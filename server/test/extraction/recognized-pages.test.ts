import { expect, it } from "vitest"
import { extractBlocks } from "../../../packages/extract/src/extract-blocks.ts"
import { createFormPdf, type FormPage } from "./make-form-pdf.ts"

const limits = { characters: 1e6, passages: 1000, unpacked: 1e7, pages: 1000 }
const image = `q 600 0 0 800 0 0 cm BI /W 8 /H 8 /CS /G /BPC 8 ID ${"A".repeat(64)} EI Q`
const stamp = "Received on 4 May 2026 by the building authority, file 63/4711-2026, sheet 1 of 12"
const scan: FormPage = { content: image, text: [[50, 780, stamp]] }

const read = async (recognize: () => Promise<string>, pages: readonly FormPage[] = [scan]) => {
  const source = { bytes: createFormPdf({ pages }), filename: "a.pdf", contentType: "" }
  const resources = { limits, recognizer: { recognize }, extendTime: () => undefined }
  const { blocks, warnings } = await extractBlocks(source, resources)
  return { texts: blocks.map(({ text }) => text), warnings: warnings.map(({ id }) => id) }
}

it("adds what is recognized on a page with a stamp", async () => {
  expect(await read(async () => "The roof is to be covered with slate.")).toEqual({
    texts: [stamp, "The roof is to be covered with slate."],
    warnings: ["document_pages_recognized"],
  })
})

it("does not repeat the text layer", async () => {
  const recognized = stamp.replace("building", "buiIding")
  expect(await read(async () => recognized)).toEqual({ texts: [stamp], warnings: [] })
})

it("reads the other pages if recognition fails", async () => {
  const fail = (): Promise<string> => Promise.reject(new Error("out of memory"))
  expect(await read(fail, [scan, { text: [[50, 700, "The second page."]] }])).toEqual({
    texts: [stamp, "The second page."],
    warnings: ["document_pages_without_text"],
  })
})
