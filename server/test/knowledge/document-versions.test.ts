import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type FakeOpenAI, startFakeOpenAI } from "../fakes/openai.ts"
import { createDocx } from "../files/make-documents.ts"
import { chooseDatabases, type TestDatabase } from "../harness/databases.ts"
import { startGateway, type TestGateway } from "../harness/gateway.ts"
import { waitForModels } from "../models/wait-for-models.ts"
import { createCollection, upload } from "./collections.ts"

interface Passage {
  filename: string
  text: string
  date: number
  date_of: string
  owner: string | null
  used: boolean
  left_out: string | null
  version: { position: number; total: number; newest: { filename: string } } | null
}

const chapters = ["Travel", "Leave", "Remote work", "Laptops", "Training", "Parking"]

/** "babeda", the same for each number. */
const wordOf = (n: number): string =>
  [n * 7919, n * 104_729, n * 1_299_709]
    .map((code) => `${"bdfgklmnprstvz"[code % 14]}${"aeiou"[code % 5]}`)
    .join("")

/** Chapters with rules that differ between the versions in their numbers. */
const handbook = (limit: number, words = 240): string =>
  chapters
    .map((chapter, at) => {
      const filler = Array.from({ length: words }, (_, n) => wordOf(at * words + n)).join(" ")
      return `# ${chapter}\n\nThe limit of ${chapter.toLowerCase()} is ${limit + at} units a year for each employee of the company. Requests go to the office. ${filler}.`
    })
    .join("\n\n")

const invoice = (number: number, customer: string, item: string): string =>
  `Nordwind Supplies Ltd, 12 Harbour Street, Bristol. Invoice No. ${number}. Bill to: ${customer}. Description: ${item}. Amount due: ${number}.50 EUR. Please transfer the amount within 14 days. Thank you for your order. Goods remain our property until they are paid.`

const docx = (text: string, modified: string): Buffer =>
  createDocx({
    "word/document.xml": `<w:document><w:body><w:p><w:r><w:t>${text}</w:t></w:r></w:p></w:body></w:document>`,
    "word/footnotes.xml": "<w:footnotes/>",
    "docProps/core.xml": `<cp:coreProperties xmlns:dcterms="t"><dcterms:modified>${modified}</dcterms:modified></cp:coreProperties>`,
  })

describe.each(chooseDatabases())("versions of a document on $name", ({ createDatabase }) => {
  let database: TestDatabase
  let gateway: TestGateway
  let upstream: FakeOpenAI
  beforeAll(async () => {
    database = await createDatabase()
    upstream = await startFakeOpenAI({ models: ["gpt-fake"] })
    gateway = await startGateway({ ...database.env, OPENAI_API_BASE_URLS: upstream.url })
    await waitForModels(gateway, ["gpt-fake"])
  })
  afterAll(async () => {
    await gateway.stop()
    await upstream.close()
    await database.remove()
  })

  const collect = async (...files: readonly (readonly [string, string | Buffer])[]) => {
    const ids: string[] = []
    for (const [name, content] of files) {
      const query = "?process_in_background=false"
      const { body } = await upload(gateway, name, content, { query })
      ids.push(body.id)
    }
    return { collection: await createCollection(gateway, "Office", ids), ids }
  }
  const setDate = (id: string, day: string) =>
    gateway.gateway.db.transact(async (tx) => {
      const created_at = Date.parse(`${day}T12:00:00Z`) / 1000
      await tx.updateTable("files").set({ created_at }).where("id", "=", id).execute()
    })
  const search = async (id: string, query: string): Promise<Passage[]> =>
    (await gateway.call("POST", `/api/v1/knowledge/${id}/query`, { query, k: 100 })).body.passages
  const ask = async (question: string, collection: string) => {
    const messages = [{ role: "user", content: question }]
    const files = [{ type: "collection", id: collection }]
    const json = { model: "gpt-fake", messages, files }
    const { body } = await gateway.call("POST", "/v1/chat/completions", json)
    const sent = upstream.requests.filter(({ path }) => path.endsWith("/chat/completions")).at(-1)
    const prompt: string = JSON.parse(sent?.body.toString() ?? "{}").messages[0].content
    const tags = [...prompt.matchAll(/<source-\w+ number[^>]*>/g)].map(([tag]) => tag)
    return { prompt, tags, sources: body.sources }
  }
  const setBudget = async (tokens: number): Promise<void> => {
    const { status } = await gateway.call("POST", "/api/v1/settings", { rag_token_budget: tokens })
    expect(status).toBe(200)
  }

  it("are marked with their dates, the newest first, when they are sent whole", async () => {
    const text = (days: number) =>
      `Leave rules. Every employee has ${days} days of paid leave in a year. Leave is requested in the portal two weeks in advance. Sick days do not count.`
    const { collection } = await collect(
      ["Leave policy.docx", docx(text(24), "2021-03-01T10:00:00Z")],
      ["Cafeteria.txt", "The cafeteria opens at eleven and serves soup."],
      ["Leave policy.docx", docx(text(28), "2025-06-01T10:00:00Z")],
      ["Leave policy.docx", docx(text(26), "2023-02-01T10:00:00Z")],
    )
    const { prompt, tags, sources } = await ask("How many days of leave do I have?", collection)
    expect(tags.map((tag) => tag.replace(/<source-\w+ /, ""))).toEqual([
      'number="1" name="Leave policy.docx" date="2025-06-01" version="newest of 3">',
      expect.stringMatching(/^number="2" name="Cafeteria.txt" date="uploaded 20\d\d-\d\d-\d\d">$/),
      'number="3" name="Leave policy.docx" date="2023-02-01" version="older; the newest is Leave policy.docx of 2025-06-01">',
      'number="4" name="Leave policy.docx" date="2021-03-01" version="older; the newest is Leave policy.docx of 2025-06-01">',
    ])
    expect(prompt).toContain('whose version is "older" is from an outdated version')
    expect(sources[0].metadata[0]).toMatchObject({
      date: Date.parse("2025-06-01T10:00:00Z") / 1000,
      date_of: "document",
      owner: "Portico Administrator",
    })
    expect(sources[1].metadata[0]).toMatchObject({
      date_of: "upload",
      owner: "Portico Administrator",
    })
    const found = await search(collection, "How many days of leave do I have?")
    const leave = found.filter(({ filename }) => filename === "Leave policy.docx")
    expect(leave.map(({ version }) => version?.position)).toEqual([1, 2, 3])
  })

  it("take little space from other documents when they are searched", async () => {
    const { collection } = await collect(
      ["Handbook 2021.md", handbook(20)],
      ["Handbook 2023.md", handbook(30)],
      ["Handbook 2025.md", handbook(40)],
      ["Works agreement.md", handbook(70).replaceAll("The limit of", "By agreement, the limit of")],
    )
    await setBudget(2500)
    const found = await search(collection, "What is the limit of leave?")
    const used = found.filter((passage) => passage.used)
    const positions = used.flatMap(({ version }) => version?.position ?? [])
    const leave = used.filter(({ version, text }) => version && text.startsWith("# Leave"))
    expect(leave.map(({ version }) => version?.position)).toEqual([1, 2])
    expect(used.find(({ filename }) => filename.startsWith("Handbook"))?.text).toContain(
      "limit of leave is 41",
    )
    expect(used.some(({ filename }) => filename.startsWith("Works"))).toBe(true)
    expect(positions.filter((position) => position === 1).length).toBeGreaterThan(1)
    expect(positions.filter((position) => position > 1).length).toBeLessThan(positions.length / 2)
    expect(new Set(found.map(({ left_out }) => left_out))).toContain("older")

    const older = await search(collection, "What was the limit of leave in the 2021 handbook?")
    const outdated = older.filter(({ used, filename }) => used && filename.includes("2021"))
    expect(outdated.map(({ text }) => text).join()).toContain("limit of leave is 21")
    expect(outdated[0]?.version).toMatchObject({
      position: 3,
      total: 3,
      newest: { filename: "Handbook 2025.md" },
    })
    await setBudget(4000)
  })

  it("are put in the order of their upload if nothing else states one", async () => {
    const { collection, ids } = await collect(
      ["Rules.md", handbook(30, 20)],
      ["Rules.md", handbook(20, 20)],
    )
    await setDate(ids[0] ?? "", "2026-02-01")
    await setDate(ids[1] ?? "", "2024-02-01")
    const { tags } = await ask("limit of leave", collection)
    expect(tags[0]).toContain('date="uploaded 2026-02-01" version="newest of 2"')
    expect(tags.at(-1)).toContain('version="older; the newest is Rules.md of 2026-02-01"')
  })

  it("are not invoices from the same template, or copies of a file", async () => {
    const { collection } = await collect(
      ["invoice.txt", invoice(1041, "Acme Ltd, Leeds", "Cleaning in March")],
      ["invoice.txt", invoice(1042, "Acme Ltd, Leeds", "Cleaning in April")],
      ["invoice.txt", invoice(1043, "Beta Foods plc, York", "Repair of a pump")],
      ["Rules.md", handbook(20, 10)],
      ["Rules - Copy.md", handbook(20, 10)],
      ["Rules (in another format).txt", handbook(20, 10)],
    )
    const { tags } = await ask("Which invoices are there?", collection)
    expect(tags.filter((tag) => tag.includes("version="))).toEqual([])
    expect(tags.filter((tag) => tag.includes("invoice.txt"))).toHaveLength(3)
    expect(
      new Set(
        tags.filter((tag) => tag.includes("Rules")).map((tag) => /name="([^"]+)"/.exec(tag)?.[1]),
      ).size,
    ).toBe(1)
    const found = await search(collection, "invoice")
    const copies = found.filter(({ filename }) => filename === "Rules - Copy.md")
    expect(copies.map(({ used, left_out }) => [used, left_out])).toEqual(
      copies.map(() => [false, "duplicate"]),
    )
  })
})
