import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createExtractor } from "@portico/extract"
import { afterAll, expect, it } from "vitest"
import { comment, createFormPdf, type FormPage, widget } from "./make-form-pdf.ts"

const folder = mkdtempSync(join(tmpdir(), "portico-"))
const extractor = createExtractor({ seconds: 60, memory: 600e6, recognition: null })
const limits = { characters: 1e6, passages: 1000, unpacked: 1e7, pages: 1000 }

afterAll(() => {
  extractor.close()
  rmSync(folder, { recursive: true })
})

const read = (pages: readonly FormPage[], objects: readonly string[] = []) => {
  const path = join(folder, "a.pdf")
  writeFileSync(path, createFormPdf({ pages, objects }))
  const task = { path, filename: "a.pdf", contentType: "application/pdf", limits }
  return extractor.read(task, new AbortController().signal)
}

const image = `BI /W 8 /H 8 /CS /G /BPC 8 ID ${"A".repeat(64)} EI`
const sentence = "Bees dance to tell the others where flowers are, how far, and in which direction."
const written: FormPage = { text: [[50, 700, sentence]] }
const fullPageImage = `q 600 0 0 800 0 0 cm ${image} Q`
const scan: FormPage = { content: fullPageImage }
const stamped: FormPage = { content: fullPageImage, text: [[50, 50, "Scanned 2026-03-04 page 4"]] }
const receiptStamp =
  "Eingegangen am 04.05.2026 Poststelle Bauordnungsamt Koeln, Az. 63/4711-2026, Blatt 1 von 12"
const received: FormPage = { content: fullPageImage, text: [[50, 780, receiptStamp]] }
const blank: FormPage = {}

/** Hundreds of curves, as letters that were turned into outlines. */
const outlines: FormPage = {
  content: Array.from({ length: 900 }, (_, at) => `${at % 600} 100 m 5 5 9 9 7 ${at} c f`).join(
    "\n",
  ),
}

it.each([
  ["scans, with and without a stamp", [written, scan, scan, stamped, written], 3, "2–4"],
  ["scans with a receipt stamp", [written, received], 1, "2"],
  ["letters as outlines", [written, outlines], 1, "2"],
  ["several stretches", [scan, written, scan, written, scan, scan], 4, "1, 3, 5–6"],
  [
    "many stretches",
    Array.from({ length: 60 }, (_, at) => (at % 2 === 0 ? scan : written)),
    30,
    `${Array.from({ length: 20 }, (_, at) => 2 * at + 1).join(", ")}, …`,
  ],
])("names pages without text: %s", async (_what, pages, count, listed) => {
  expect(await read(pages)).toMatchObject({
    read: { warnings: [{ id: "document_pages_without_text", values: { count, pages: listed } }] },
  })
})

it.each([
  ["blank pages", [written, blank]],
  [
    "a title over a small picture",
    [
      {
        text: [[50, 700, "Annual report"]],
        content: `q 90 0 0 90 50 50 cm ${image} Q`,
      },
    ],
  ],
  [
    "text recognized below a scan",
    [{ content: `${fullPageImage}\nBT /F1 12 Tf 3 Tr 50 700 Td (${sentence}) Tj ET` }],
  ],
  ["a page with a ruled frame", [written, { content: "50 50 500 700 re S 50 400 500 0 l S" }]],
] satisfies [string, FormPage[]][])("does not count %s", async (_what, pages) => {
  expect(await read(pages)).toMatchObject({ read: { warnings: [] } })
})

it("keeps the text over an image that covers the page", async () => {
  expect(await read([received])).toMatchObject({ read: { text: receiptStamp } })
})

it("does not take glyphs without characters for text", async () => {
  const unmapped: FormPage = { content: `BT /F1 12 Tf 50 700 Td <${"030105".repeat(30)}> Tj ET` }
  const outcome = await read([written, unmapped])
  expect(outcome).toMatchObject({
    read: { text: sentence, warnings: [{ values: { pages: "2" } }] },
  })
})

it("reports a document of such pages only as scanned, unless it has values or comments", async () => {
  const scanned = { unreadable: { code: "scanned" } }
  expect(await read([scan, blank, stamped])).toMatchObject(scanned)
  const field = widget("50 700 250 720", "city", "/FT/Tx/V(Linz)")
  expect(await read([{ ...scan, annotations: [field] }])).toMatchObject({
    read: { text: "city: Linz" },
  })
  const note = comment("Text", "50 700 70 720", "Signed on Monday")
  expect(await read([{ ...scan, annotations: [note] }])).toMatchObject({
    read: { text: "Comment: Signed on Monday", warnings: [{ values: { count: 1 } }] },
  })
})

it("reads the pages before a damaged one", async () => {
  const path = join(folder, "damaged.pdf")
  const pdf = createFormPdf({ pages: [written, written] }).toString("latin1")
  writeFileSync(path, pdf.replace("/Kids[2000 0 R 2002 0 R", "/Kids[2000 0 R 2 0 R"), "latin1")
  const task = { path, filename: "damaged.pdf", contentType: "application/pdf", limits }
  expect(await extractor.read(task, new AbortController().signal)).toMatchObject({
    read: { text: sentence, warnings: [{ values: { pages: "2" } }] },
  })
})
