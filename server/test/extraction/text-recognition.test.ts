import { readFileSync } from "node:fs"
import { join } from "node:path"
import { createExtractor } from "@portico/extract"
import { describe, expect, it } from "vitest"
import { useDocumentReader } from "./document-reader.ts"

/** A page with text, a scan (CCITT fax), a scan that is upside down (JPEG), and a photograph. */
const scanPath = join(import.meta.dirname, "scan.pdf")
const scan = readFileSync(scanPath)

describe("text recognition", () => {
  const read = useDocumentReader()

  it("reads the pages of a PDF that are scans", async () => {
    const { text, data } = await read("lease.pdf", scan)
    expect(data.status).toBe("completed")
    expect(data.warnings).toMatchObject([
      { code: "pages_without_text", message: expect.stringContaining("Page 4 has no text") },
      { code: "pages_recognized", message: expect.stringContaining("2 pages are scans (2–3)") },
    ])
    expect(text).toContain("Lease agreement for the flat")
    expect(text).toMatch(/1,250 euros on the third of each month/)
    expect(text).toContain("forty days after the keys were handed over")
    expect(text).toContain("Die Schlüssel für Keller und Dachboden")
    expect(text).toContain("48317 Kilowattstunden")
  }, 120_000)
})

it("reads the rest of a PDF whose images need too much memory", async () => {
  const extractor = createExtractor({
    seconds: 60,
    memory: 190e6,
    recognition: { codes: ["eng", "deu"], folder: "" },
  })
  try {
    const limits = { characters: 1e6, passages: 1000, unpacked: 1e8, pages: 10 }
    const task = { path: scanPath, filename: "lease.pdf", contentType: "", limits }
    const outcome = await extractor.read(task, new AbortController().signal)
    expect(outcome).toMatchObject({
      read: {
        text: "Lease agreement for the flat in the second floor, signed in March.",
        warnings: [{ id: "document_pages_without_text", values: { count: 3, pages: "2–4" } }],
      },
    })
  } finally {
    extractor.close()
  }
}, 120_000)

describe("without languages", () => {
  const read = useDocumentReader({ OCR_LANGUAGES: "none" })

  it("reads the text layer alone", async () => {
    const { text, data } = await read("lease.pdf", scan)
    expect(data.status).toBe("completed")
    expect(text.trim()).toBe("Lease agreement for the flat in the second floor, signed in March.")
  })
})
