import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type FakeOpenAI, startFakeOpenAI } from "../fakes/openai.ts"
import { chooseDatabases } from "../harness/databases.ts"
import { startGateway, type TestGateway } from "../harness/gateway.ts"
import { waitForModels } from "../models/wait-for-models.ts"
import { createCollection, upload, uploadTexts } from "./collections.ts"

const topics = ["leave", "travel", "fire", "parking", "laptop", "canteen", "visits", "payroll"]
const kinds = ["plan.md", "form.txt", "faq.md", "list.csv", "rules.txt", "map.md"]
const names = topics.flatMap((topic) => kinds.map((kind) => `${topic} ${kind}`))

/** Too long for a collection of such files to be sent whole. */
const textOf = (name: string): string => `${name}\n\n${`All about ${name}, in detail. `.repeat(20)}`

describe.each(chooseDatabases())("the list of a collection's files on $name", (kind) => {
  let gateway: TestGateway
  let upstream: FakeOpenAI
  let remove: () => Promise<void>
  beforeAll(async () => {
    const database = await kind.createDatabase()
    remove = database.remove
    upstream = await startFakeOpenAI({ models: ["gpt-fake"] })
    gateway = await startGateway({ ...database.env, OPENAI_API_BASE_URLS: upstream.url })
    await waitForModels(gateway, ["gpt-fake"])
  })
  afterAll(async () => {
    await gateway.stop()
    await upstream.close()
    await remove()
  })

  const add = async (name: string, text: string): Promise<string> =>
    (await upload(gateway, name, text, { query: "?process_in_background=false" })).body.id

  /** The label and the lines of the list in the prompt that the model receives. */
  const listOf = async (collection: string) => {
    const messages = [{ role: "user", content: "What is in this collection?" }]
    const json = { model: "gpt-fake", messages, files: [{ type: "collection", id: collection }] }
    const { status } = await gateway.call("POST", "/v1/chat/completions", json)
    expect(status).toBe(200)
    const sent = upstream.requests.filter(({ path }) => path.endsWith("/chat/completions")).at(-1)
    const prompt: string = JSON.parse(sent?.body.toString() ?? "{}").messages[0].content
    const [, label = "", list = ""] =
      /<source-\w+ list="([^"]*)">\n([\s\S]*?)\n<\/source/.exec(prompt) ?? []
    return { label, lines: list.split("\n") }
  }

  it("has every name once, copies of files not, and first lines that say more", async () => {
    const ids = await uploadTexts(
      gateway,
      names.map((name) => [name, textOf(name)]),
    )
    ids.push(await add("copy of leave plan.md", textOf("leave plan.md")))
    ids.push(await add("leave plan.md", textOf("another leave plan")))
    const { label, lines } = await listOf(await createCollection(gateway, "Office", ids))
    expect(label).toBe(
      "files in the searched collections, not to be cited: 50; copies among them, not listed: 1",
    )
    expect(lines.toSorted()).toEqual(["leave plan.md (2 files)", ...names.slice(1)].toSorted())

    const few = [
      await add("hbk.md", `# Handbook of the harbour\n\n${"Moor with two lines. ".repeat(400)}`),
      await add("harbour fees.md", `# Harbour fees\n\n${"The fee is due at noon. ".repeat(400)}`),
    ]
    const small = await listOf(await createCollection(gateway, "Harbour", few))
    expect(small.lines).toEqual(["hbk.md: Handbook of the harbour", "harbour fees.md"])
    expect(small.label).toBe("files in the searched collections, not to be cited: 2")
  })

  it("has first lines beside a name that several files have", async () => {
    const other = await add(
      "hbk.md",
      `# Handbook of the harbour\n\n${"Moor with two lines. ".repeat(400)}`,
    )
    const repeated = [
      await add("notes.md", `# About the crane\n\n${"It lifts two tons. ".repeat(400)}`),
      await add("notes.md", `# About the ferry\n\n${"It leaves at ten. ".repeat(400)}`),
    ]
    const withRepeated = await createCollection(gateway, "Notes", [...repeated, other])
    expect((await listOf(withRepeated)).lines.toSorted()).toEqual([
      "hbk.md: Handbook of the harbour",
      "notes.md (2 files)",
    ])
  })

  it("groups the names of thousands of files with exact numbers", async () => {
    const id = await add("travel report.md", textOf("report").repeat(20))
    const collection = await createCollection(gateway, "Archive", [id])
    const { db } = gateway.gateway
    const files = db.read.selectFrom("files").selectAll().where("id", "=", id)
    const row = await files.executeTakeFirstOrThrow()
    await db.transact(async (tx) => {
      for (let n = 0; n < 2000; n++) {
        const name = `invoice-${2020 + (n % 4)}-${String(n).padStart(5, "0")}.pdf`
        const copy = { ...row, id: `copy-${n}`, hash: `hash-${n}`, filename: name }
        await tx.insertInto("files").values(copy).execute()
        const link = { collection_id: collection, file_id: `copy-${n}` }
        await tx.insertInto("collection_files").values(link).execute()
      }
    })
    const { label, lines } = await listOf(collection)
    expect(label).toBe(
      "files in the searched collections, not to be cited: 2001; similar names are grouped, * is where they differ",
    )
    expect(lines.toSorted()).toEqual([
      ...[2020, 2021, 2022, 2023].map((year) => `invoice-${year}-*.pdf (500 files)`),
      "travel report.md",
    ])
  })
})
