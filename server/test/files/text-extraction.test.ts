import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { startGateway, type TestGateway } from "../harness/gateway.ts"
import { upload } from "../knowledge/collections.ts"
import {
  createDocx,
  createEpub,
  createOdf,
  createPdf,
  createPptx,
  createXlsx,
} from "./make-documents.ts"
import { createDeckWithSections } from "./make-pptx.ts"
import { malformedDocuments } from "./malformed-documents.ts"

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startGateway({ EXTRACTION_TIMEOUT: "20s", EXTRACTION_MEMORY: "500MB" })
})
afterAll(() => gateway.stop())

const read = async (filename: string, content: string | Uint8Array) => {
  const query = "?process_in_background=false"
  const { status, body } = await upload(gateway, filename, content, { query })
  const text = await gateway.call("GET", `/api/v1/files/${body.id}/data/content`)
  return { status, id: body.id, ...body.data, format: body.meta?.format, text: text.body.content }
}

const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from("Größe: 5", "utf16le")])
const cyrillic = Buffer.from([
  ...[0xcf, 0xf7, 0xe5, 0xeb, 0xfb, 0x20, 0xf1, 0xee, 0xe1, 0xe8, 0xf0, 0xe0, 0xfe, 0xf2, 0x20],
  ...[0xec, 0xb8, 0xe4, 0x2e],
])
const mail = `From: Ada <ada@example.com>
To: Bob <bob@example.com>
Subject: =?utf-8?Q?The_h=C3=A4ives?=
MIME-Version: 1.0
Message-ID: <1@example.com>
Content-Type: text/plain; charset=utf-8

Please feed the bees.
`
const notebook = JSON.stringify({
  cells: [
    { cell_type: "markdown", source: ["# Honey\n", "About honey."] },
    { cell_type: "code", source: "print(6)", outputs: [{ text: ["6\n"] }] },
  ],
})
const rtf = String.raw`{\rtf1\ansi\ansicpg1252{\fonttbl{\f0 Arial;}}\f0 Caf\'e9 and na\u239?ve {\b bold}.\par Next.}`

describe("reads", () => {
  it.each([
    ["a.pdf", createPdf(["Page one says hello.", "Page two says bye."]), "pdf", ["hello.", "bye."]],
    [
      "a.docx",
      createDocx(),
      "docx",
      ["Bees & wasps sting.", "Kind: Bee | Legs: 6", "A note at the foot."],
    ],
    ["a.pptx", createPptx(), "pptx", ["First", "Wax is soft.", "Second", "Say it slowly."]],
    ["a.xlsx", createXlsx(), "xlsx", ["Place: Garden | Since: 2023-03-15"]],
    ["a.odt", createOdf("text"), "odt", ["Ants carry leaves."]],
    ["a.odp", createOdf("presentation"), "odp", ["Slide words.", "Note words."]],
    ["a.ods", createOdf("spreadsheet"), "ods", ["Tree: Oak | Nests: 3"]],
    ["a.epub", createEpub(), "epub", ["Before", "It began badly.", "Later"]],
    [
      "a.html",
      "<title>T</title><h1>Hi</h1><p>One<br>two<script>bad()</script>",
      "html",
      ["Hi", "One", "two"],
    ],
    ["a.csv", 'name;age\n"Ada; L.";36\nBob;5\n', "csv", ["name: Ada; L. | age: 36", "name: Bob"]],
    ["a.tsv", "name\tage\nAda\t36\n", "tsv", ["name: Ada | age: 36"]],
    ["a.json", '[{"name":"Ada"},{"name":"Bob"}]', "json", ["name: Ada", "name: Bob"]],
    ["a.jsonl", '{"a":1}\n{"a":2}\n', "jsonl", ["a: 1", "a: 2"]],
    ["a.yaml", "bees:\n  - honey\n", "code", ["bees:\n  - honey"]],
    [
      "a.xml",
      '<?xml version="1.0"?><r><i>One</i><i k="v">Two</i></r>',
      "xml",
      ["One", "k: v", "Two"],
    ],
    ["a.rtf", rtf, "rtf", ["Café and naïve bold.", "Next."]],
    ["a.eml", mail, "eml", ["Subject: The häives", "From: Ada <ada@example.com>", "feed the bees"]],
    ["a.ipynb", notebook, "ipynb", ["# Honey", "print(6)", "6"]],
    ["a.py", "def f():\n    return 1\n", "code", ["return 1"]],
    ["utf16.txt", utf16, "text", ["Größe: 5"]],
    ["legacy.txt", cyrillic, "text", ["Пчелы собирают мёд."]],
    ["latin.txt", Buffer.from("Caf\xe9 cr\xe8me", "latin1"), "text", ["Café crème"]],
    ["bom.md", "\ufeff# Title\n\nWords.", "markdown", ["# Title"]],
    ["really-a-pdf.docx", createPdf(["Never trust a name."]), "pdf", ["Never trust a name."]],
    ["really-a-docx.txt", createDocx(), "docx", ["Bees & wasps sting."]],
  ])("%s", async (name, content, format, pieces) => {
    const { status, error, format: found, text, ...rest } = await read(name, content)
    expect({ error, status: rest.status ?? status, format: found }).toMatchObject({
      error: null,
      format,
    })
    let at = 0
    for (const piece of pieces) {
      const next = text.indexOf(piece, at)
      expect(next, `${piece} in ${text}`).toBeGreaterThanOrEqual(at)
      at = next
    }
    expect(text).not.toContain("bad()")
  })
})

describe("reports what is wrong with", () => {
  it.each(malformedDocuments)(
    "$what, and continues with other files",
    async ({ name, content, says, code }) => {
      const { error, error_code, ...rest } = await read(name, content())
      expect(error ?? rest).toMatch(says)
      expect(error_code).toBe(code)
      expect((await gateway.call("GET", "/health")).status).toBe(200)
    },
  )
})

describe("a passage", () => {
  it.each([
    [
      "page",
      "p.pdf",
      createPdf(["The zebra has stripes.", "The lion has a mane."]),
      "lion mane",
      { page: 2 },
    ],
    ["slide", "p.pptx", createPptx(), "honey sweet", { slide: 2, heading: ["Second"] }],
    [
      "section",
      "s.pptx",
      createDeckWithSections(),
      "feeding bees",
      { slide: 2, heading: ["Winter", "Feeding the bees"] },
    ],
    ["sheet and row", "p.xlsx", createXlsx(), "garden", { sheet: "Hives", row: 2 }],
    ["headings", "p.docx", createDocx(), "wasps sting", { heading: ["Bees"] }],
  ])("has the location: %s", async (_what, name, content, query, place) => {
    const { id } = await read(name, content)
    const created = await gateway.call("POST", "/api/v1/knowledge/create", { name })
    await gateway.call("POST", `/api/v1/knowledge/${created.body.id}/file/add`, { file_id: id })
    const { body } = await gateway.call("POST", `/api/v1/knowledge/${created.body.id}/query`, {
      query,
    })
    expect(body.passages[0]).toMatchObject(place)
  })

  it("is a verbatim part of the text, wherever it was split", async () => {
    const sentences = Array.from(
      { length: 300 },
      (_, n) => `Sentence ${n} speaks of ${n * 7} bees 🐝.`,
    )
    const { id, text, progress } = await read("long.txt", sentences.join(" "))
    expect(progress.passages).toBeGreaterThan(8)
    const created = await gateway.call("POST", "/api/v1/knowledge/create", { name: "long" })
    await gateway.call("POST", `/api/v1/knowledge/${created.body.id}/file/add`, { file_id: id })
    const requested = { query: "sentence speaks", k: 100 }
    const { body } = await gateway.call(
      "POST",
      `/api/v1/knowledge/${created.body.id}/query`,
      requested,
    )
    expect(body.passages).toHaveLength(progress.passages)
    for (const passage of body.passages) {
      expect(text.slice(passage.start, passage.end)).toBe(passage.text)
      expect(passage.text.length).toBeLessThanOrEqual(1300)
    }
  })
})
