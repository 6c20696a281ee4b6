import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { useDocumentReader } from "./document-reader.ts"

/** A page with text, a scan (CCITT fax), a scan that is upside down (JPEG), and a photograph. */
const scan = readFileSync(join(import.meta.dirname, "scan.pdf"))

describe("text recognition", () => {
  const read = useDocumentReader()

  it("reads the pages of a PDF that are scans", async () => {
    const { text, data } = await read("lease.pdf", scan)
    expect(data.status).toBe("completed")
    expect(text).toContain("Lease agreement for the flat")
    expect(text).toMatch(/1,250 euros on the third of each month/)
    expect(text).toContain("forty days after the keys were handed over")
    expect(text).toContain("Die Schlüssel für Keller und Dachboden")
    expect(text).toContain("48317 Kilowattstunden")
  }, 120_000)
})

describe("without languages", () => {
  const read = useDocumentReader({ OCR_LANGUAGES: "none" })

  it("reads the text layer alone", async () => {
    const { text, data } = await read("lease.pdf", scan)
    expect(data.status).toBe("completed")
    expect(text.trim()).toBe("Lease agreement for the flat in the second floor, signed in March.")
  })
})
