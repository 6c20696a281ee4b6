import { createServer } from "node:http"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type FakeOpenAI, startFakeOpenAI } from "../fakes/openai.ts"
import { createPdf } from "../files/make-documents.ts"
import { chooseDatabases } from "../harness/databases.ts"
import { adminKey, startGateway, type TestGateway } from "../harness/gateway.ts"
import { listenOnLoopback } from "../harness/ports.ts"
import { createCollection, upload } from "../knowledge/collections.ts"
import { createChatClient, type FollowedStream } from "./chat-client.ts"
import { startChatTestbed } from "./chat-testbed.ts"

const wait = "?process_in_background=false"
const bees = `# Bees

## Dance

A honey bee tells her sisters where the nectar is by the waggle dance.
`
const question = "How do bees tell each other where the nectar is?"

interface Source {
  file_id: string
  name: string
  start: number
  end: number
}

describe.each(chooseDatabases())("chats with sources on $name", ({ name, createDatabase }) => {
  let upstream: FakeOpenAI
  let gateway: TestGateway
  let stop: () => Promise<void>
  let ada: ReturnType<typeof createChatClient>
  let eve: ReturnType<typeof createChatClient>
  let eveId: string
  let file: { id: string }
  let collection: string

  beforeAll(async () => {
    ;({ gateway, upstream, stop } = await startChatTestbed(createDatabase))
    ada = createChatClient(gateway, adminKey)
    const other = await gateway.createUser("Eve")
    eveId = other.id
    eve = createChatClient(gateway, other.key)
    file = (await upload(gateway, "bees.md", bees, { query: wait })).body
    const tax = await upload(gateway, "tax.txt", "Value added tax is due.", { query: wait })
    collection = await createCollection(gateway, `Zoo ${name}`, [file.id, tax.body.id])
  })
  afterAll(() => stop())

  const zoo = () => [{ type: "collection", id: collection }]
  const askZoo = async (fields: Record<string, unknown> = {}) => {
    const id = await ada.createChat(fields)
    const [user, answer] = await ada.sendMessage(id, { content: question, files: zoo() })
    return { id, user, answer }
  }
  const passagesOf = (who: typeof ada, id: string, messageId: string) =>
    who.call("GET", `/${id}/messages/${messageId}/passages`)
  const sentLast = () => JSON.stringify(upstream.requests.at(-1)?.json)

  it("store an answer's source passages verbatim, with their locations", async () => {
    const { id, user, answer } = await askZoo()
    expect(user.files).toEqual([{ type: "collection", id: collection, name: `Zoo ${name}` }])
    expect(user.sources).toBe(null)
    const [first]: Source[] = answer.sources
    expect(first).toMatchObject({ file_id: file.id, name: "bees.md", heading: ["Bees", "Dance"] })
    const { created_at } = (await gateway.call("GET", `/api/v1/files/${file.id}`)).body
    const origin = { date: created_at, date_of: "upload", owner: "Portico Administrator" }
    expect(first).toMatchObject({ ...origin, version: null })
    const { body } = await passagesOf(ada, id, answer.id)
    expect(body.items[0]).toMatchObject(origin)
    const { content } = (await gateway.call("GET", `/api/v1/files/${file.id}/data/content`)).body
    expect(body.items).toHaveLength(answer.sources.length)
    expect(body.items[0].text).toBe(content.slice(first?.start, first?.end))
    expect(body.items[0].text).toContain("waggle dance")
    expect(sentLast()).toContain("waggle dance")
    expect((await passagesOf(ada, id, user.id)).status).toBe(404)
  })

  it("send the sources before the answer, as numbered events", async () => {
    const id = await ada.createChat()
    const started = await ada.call("POST", `/${id}/messages`, { content: question, files: zoo() })
    const answerId = started.body.messages[1].id
    const following = await ada.follow(id, started.body.seq)
    const reported = await following.waitFor(
      ({ name: event, data }) => event === "message" && data.id === answerId && data.sources,
    )
    expect(reported.data).toMatchObject({ content: "", sources: [{ name: "bees.md" }, {}] })
    expect(reported.data.sources[0].cited).toBeUndefined()
    const isDone = await following.waitFor(
      ({ data }) => data.id === answerId && data.state === "completed",
    )
    const finished = reported.data.sources.map((source: Source) => ({ ...source, cited: false }))
    expect(isDone.data.sources).toEqual(finished)
    following.leave()
  })

  it("search the same files when an answer is regenerated, and none for a question without files", async () => {
    const { id, user } = await askZoo()
    const [again] = await ada.sendMessage(id, { parent_id: user.id })
    expect(again.sources[0].name).toBe("bees.md")
    const [, plain] = await ada.sendMessage(id, { content: "And what do ants do?" })
    expect(plain).toMatchObject({ sources: null, sources_skipped: [] })
  })

  it("mark the sources that the finished answer cites", async () => {
    const id = await ada.createChat()
    // The fake model repeats the question.
    const [, answer] = await ada.sendMessage(id, { content: `${question} [1]`, files: zoo() })
    const cited = answer.sources.map((source: { cited: boolean }) => source.cited)
    expect(cited).toEqual([true, ...Array(cited.length - 1).fill(false)])
    const { messages } = (await ada.call("GET", `/${id}`)).body
    expect(messages[1].sources).toEqual(answer.sources)
  })

  it("report an empty list if nothing was found, and name files that could not be read", async () => {
    const blank = await upload(gateway, "blank.txt", "\n \n", { query: wait })
    const mixed = await createCollection(gateway, "Mixed", [blank.body.id])
    const id = await ada.createChat()
    const files = [{ type: "collection", id: mixed }]
    const [, answer] = await ada.sendMessage(id, { content: "Which interest rate was set?", files })
    expect(answer.sources).toEqual([])
    expect(answer.sources_skipped).toMatchObject([{ name: "blank.txt", status: "failed" }])
    expect((await passagesOf(ada, id, answer.id)).body).toEqual({ items: [] })
  })

  it("reject missing and inaccessible files before storing anything", async () => {
    const id = await eve.createChat()
    for (const [files, code] of [
      [[{ type: "file", id: "nothing" }], "file_not_found"],
      [[{ type: "file", id: file.id }], "file_not_found"],
      [zoo(), "collection_not_found"],
    ]) {
      const refused = await eve.call("POST", `/${id}/messages`, { content: question, files })
      expect(refused).toMatchObject({ status: 404, body: { code } })
    }
    expect((await eve.call("GET", `/${id}`)).body.messages).toEqual([])
  })

  it("use a model's collections without attaching them", async () => {
    const model = "bee-expert"
    await gateway.call("POST", "/api/v1/models/create", {
      id: model,
      name: "Bee expert",
      base_model_id: "gpt-fake",
      meta: { knowledge: [{ type: "collection", id: collection }] },
    })
    const id = await ada.createChat({ models: [model] })
    const [, answer] = await ada.sendMessage(id, { content: question })
    expect(answer.sources[0].name).toBe("bees.md")
  })

  it("keep the numbers of sources already cited when an answer is continued", async () => {
    const text = Array.from({ length: 40 }, (_, index) => `word${index}`).join(" ")
    const own = await upload(gateway, "gone.txt", `Cicadas sing ${text}`, { query: wait })
    const id = await ada.createChat()
    upstream.injectFault({ kind: "break", after: 4, by: "close" }, { on: /chat/ })
    const files = [{ type: "file", id: own.body.id }]
    const [, broken] = await ada.sendMessage(id, { content: `Do cicadas sing ${text}?`, files })
    expect(broken.state).toBe("failed")
    await gateway.call("DELETE", `/api/v1/files/${own.body.id}`)
    const [whole] = await ada.sendMessage(id, { continue_id: broken.id })
    expect(whole).toMatchObject({ state: "completed", sources: broken.sources })
    expect(sentLast()).toContain("Cicadas sing")
    expect(sentLast()).toMatch(/name=.{0,2}gone\.txt.{0,2} date=.{0,2}uploaded 20\d\d-/)
  })

  it("accept sources reported by functions and other gateways", async () => {
    const sources = [
      {
        source: { id: "manual/1", name: "manual.md", type: "file" },
        document: ["Turn it off and on."],
        metadata: [
          {
            ...{ heading: "Faults › Power", page: 3, start: 5, end: 24, score: 0.5 },
            ...{ date: "yesterday", owner: "Ada" },
          },
        ],
      },
      "none",
      {
        source: { id: "manual/2", name: "later.md", type: "file" },
        document: ["Reported in microseconds."],
        metadata: [{ date: 1_700_000_000_000_000, start: 0, end: 25 }],
      },
    ]
    const choices = [{ index: 0, delta: {}, finish_reason: "stop" }]
    const frame = `data: ${JSON.stringify({ choices, sources })}\n\n`
    upstream.injectFault({ kind: "last_words", after: 3, frame }, { on: /chat/ })
    const id = await ada.createChat()
    const [, answer] = await ada.sendMessage(id, { content: "What helps [1]?" })
    upstream.clearFaults()
    const heading = ["Faults", "Power"]
    const createDatabase = {
      file_id: "manual/1",
      page: 3,
      start: 5,
      end: 24,
      score: 0.5,
      cited: false,
      owner: "Ada",
    }
    const later = { file_id: "manual/2", name: "later.md", start: 0, end: 25, score: 0 }
    expect(answer.sources).toEqual([
      { ...createDatabase, name: "manual.md", heading },
      null,
      { ...later, cited: false },
    ])
    const { body } = await passagesOf(ada, id, answer.id)
    expect(body.items[0].text).toBe("Turn it off and on.")
  })

  it("can be exported as JSON and Markdown and imported again, with their sources", async () => {
    const { id, user, answer } = await askZoo({ title: "Bees" })
    const { items } = (await passagesOf(ada, id, answer.id)).body
    const json = (await ada.call("GET", `/${id}/export`)).body
    const { body: markdown } = await ada.call("GET", `/${id}/export?format=markdown`)
    expect(markdown).toContain("1. bees.md, Bees › Dance")
    for (const input of [{ chats: [json] }, { markdown }]) {
      const { body } = await ada.call("POST", "/import", input)
      const copy = (await ada.call("GET", `/${body.ids[0]}`)).body
      expect(copy.messages).toMatchObject([
        { content: user.content, files: user.files, sources: null },
        { content: answer.content, sources: answer.sources },
      ])
      const kept = await passagesOf(ada, copy.id, copy.messages[1].id)
      expect(kept.body.items).toEqual(items)
    }
  })

  it("are not imported with a date that no calendar has", async () => {
    const { id } = await askZoo({ title: "Bees" })
    const chat = (await ada.call("GET", `/${id}/export`)).body
    chat.messages[1].sources[0].date = 1_700_000_000_000_000
    const { status, body } = await ada.call("POST", "/import", { chats: [chat] })
    expect(status).toBe(422)
    const path = "chats.0.messages.1.sources.0.date"
    expect(body.errors).toMatchObject([{ path, id: "field_too_large" }])
  })

  it("share messages but not files: file names are hidden from users without access", async () => {
    const { id, answer } = await askZoo()
    await ada.call("POST", `/${id}/share`, {})
    const secrets = /bees\.md|waggle|Zoo/
    const seen = (await eve.call("GET", `/${id}`)).body
    expect(seen.messages[0].files).toEqual([])
    expect(seen.messages[1].sources).toEqual(answer.sources.map(() => null))
    const passages = await passagesOf(eve, id, answer.id)
    expect(passages.body.items).toEqual(answer.sources.map(() => null))
    const exports = await Promise.all([
      eve.call("GET", `/${id}/export`),
      eve.call("GET", `/${id}/export?format=markdown`),
    ])
    const following: FollowedStream = await eve.follow(id)
    await following.waitFor(({ name: event }) => event === "snapshot")
    const [again] = await ada.sendMessage(id, { content: question, files: zoo() })
    await following.waitFor(({ data }) => data.parent_id === again.id && data.state === "completed")
    following.leave()
    const reported = JSON.stringify([seen, passages.body, exports, following.events])
    expect(reported.replaceAll(question, "")).not.toMatch(secrets)

    const access_grants = [{ principal_type: "user", principal_id: eveId, permission: "read" }]
    await gateway.call("POST", `/api/v1/knowledge/${collection}/update`, { access_grants })
    expect((await eve.call("GET", `/${id}`)).body.messages[1].sources).toEqual(answer.sources)
    await gateway.call("POST", `/api/v1/knowledge/${collection}/update`, { access_grants: [] })
  })
})

it("can stop an answer that is still waiting for a file to be processed", async () => {
  const silent = createServer(() => {})
  const port = await listenOnLoopback(silent)
  const upstream = await startFakeOpenAI({ apiKey: "up-key" })
  const gateway = await startGateway({
    EXTRACTION_URL: `http://127.0.0.1:${port}`,
    OPENAI_API_BASE_URLS: upstream.url,
    OPENAI_API_KEYS: "up-key",
  })
  try {
    const ada = createChatClient(gateway, adminKey)
    const { body } = await upload(gateway, "scan.pdf", createPdf([""]))
    const id = await ada.createChat()
    const files = [{ type: "file", id: body.id }]
    await ada.call("POST", `/${id}/messages`, { content: "What does it say?", files })
    const requested = performance.now()
    await ada.call("POST", `/${id}/stop`, {})
    expect(performance.now() - requested).toBeLessThan(5000)
    const { messages } = (await ada.call("GET", `/${id}`)).body
    expect(messages[1]).toMatchObject({ state: "stopped", content: "", error: null })
    expect(upstream.requests.filter(({ path }) => path.includes("chat"))).toEqual([])
  } finally {
    silent.closeAllConnections()
    silent.close()
    await gateway.stop()
    await upstream.close()
  }
})
