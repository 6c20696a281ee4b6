import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { createChatClient } from "../conversations/chat-client.ts"
import { type FakeOpenAI, startFakeOpenAI } from "../fakes/openai.ts"
import { createDocx } from "../files/make-documents.ts"
import { completionText, requestCompletion, saveFunction } from "../functions/function-client.ts"
import { chooseDatabases, type TestDatabase } from "../harness/databases.ts"
import { startGateway, type TestGateway } from "../harness/gateway.ts"
import { upload } from "../knowledge/collections.ts"
import { waitForModels } from "../models/wait-for-models.ts"

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

const limit = 20_000
const emptyBreakdown = {
  files: 0,
  text: 0,
  chats: 0,
  images: 0,
  models: 0,
  prompts: 0,
  responses: 0,
  functions: 0,
}
const createImage = (bytes: number): string => `data:image/png;base64,${"A".repeat(bytes)}`

const exportedChat = (content: string) => ({
  title: "Imported",
  created_at: 0,
  updated_at: 0,
  messages: [{ id: "1", role: "user", content, created_at: 0 }],
})

describe.each(chooseDatabases())("storage usage on $name", ({ createDatabase }) => {
  let database: TestDatabase
  let upstream: FakeOpenAI
  let gateway: TestGateway

  const start = async (maxStorage: string): Promise<void> => {
    gateway = await startGateway({
      ...database.env,
      OPENAI_API_BASE_URLS: upstream.url,
      MAX_STORAGE: maxStorage,
    })
    await waitForModels(gateway, ["gpt-fake"])
  }

  beforeAll(async () => {
    database = await createDatabase()
    upstream = await startFakeOpenAI()
    await start("20KB/1GB")
  })
  afterAll(async () => {
    await gateway.stop()
    await upstream.close()
    await database.remove()
  })

  const createPerson = async (name: string) => {
    const { key } = await gateway.createUser(name)
    const call = (method: string, path: string, body?: unknown) =>
      gateway.call(method, `/api/v1${path}`, body, { key })
    return {
      key,
      call,
      chats: createChatClient(gateway, key),
      usage: async () => (await call("GET", "/storage")).body,
    }
  }
  type Person = Awaited<ReturnType<typeof createPerson>>

  /** Expects a rejection that includes the current usage. */
  const expectRejected = async (
    { status, body }: { status: number; body: unknown },
    { usage }: Person,
  ): Promise<void> => {
    expect({ status, body }).toMatchObject({ status: 413, body: { code: "storage_limit" } })
    expect(body).toMatchObject({
      detail: expect.stringContaining("storage limit of 20 KB (MAX_STORAGE)"),
      storage: await usage(),
    })
  }

  it("starts at zero", async () => {
    const ada = await createPerson("Nobody")
    expect(await ada.usage()).toEqual({ limit, used: 0, breakdown: emptyBreakdown })
  })

  it("includes prompts and answers until they are deleted", async () => {
    const ada = await createPerson("Asker")
    const id = await ada.chats.createChat()
    await ada.chats.sendMessage(id, { content: "é".repeat(5000) })
    const { breakdown, used } = await ada.usage()
    // The fake model's answer repeats the prompt.
    expect(breakdown.chats).toBeGreaterThan(20_000)
    expect(breakdown.chats).toBeLessThan(23_000)
    expect(used).toBe(breakdown.chats)
    const messages = `/chats/${id}/messages`
    await expectRejected(await ada.call("POST", messages, { content: "more" }), ada)
    expect((await ada.call("GET", `/chats/${id}`)).body.messages).toHaveLength(2)
    expect((await ada.call("DELETE", `/chats/${id}`)).status).toBe(200)
    expect(await ada.usage()).toMatchObject({ used: 0 })
    const next = await ada.chats.createChat()
    expect(await ada.chats.sendMessage(next, { content: "more" })).toHaveLength(2)
  })

  it("prevents continuing an answer beyond the limit, but not renaming the conversation", async () => {
    const ada = await createPerson("Goer")
    const id = await ada.chats.createChat()
    const [, answer] = await ada.chats.sendMessage(id, { content: "x".repeat(10_000) })
    const more = await ada.call("POST", `/chats/${id}/messages`, { continue_id: answer.id })
    await expectRejected(more, ada)
    expect((await ada.call("POST", `/chats/${id}`, { title: "New" })).status).toBe(200)
    expect((await ada.call("POST", `/chats/${id}`, { pinned: true })).status).toBe(200)
  })

  it("follows changes of a conversation's system prompt and parameters", async () => {
    const ada = await createPerson("Prompter")
    const long = { system: "s".repeat(12_000) }
    const id = await ada.chats.createChat(long)
    const { used } = await ada.usage()
    expect(used).toBeGreaterThan(12_000)
    await expectRejected(await ada.call("POST", "/chats/new", long), ada)
    const params = { x: "p".repeat(9000) }
    await expectRejected(await ada.call("POST", `/chats/${id}`, { params }), ada)
    expect((await ada.call("POST", `/chats/${id}`, { system: "" })).status).toBe(200)
    expect((await ada.usage()).used).toBe(used - 12_000)
    expect((await ada.call("POST", `/chats/${id}`, { params })).status).toBe(200)
  })

  it("includes images", async () => {
    const ada = await createPerson("Painter")
    const id = await ada.chats.createChat()
    await ada.chats.sendMessage(id, { content: "What is it?", images: [createImage(12_000)] })
    expect((await ada.usage()).breakdown.images).toBe(12_000)
    const images = [createImage(12_000)]
    await expectRejected(await ada.call("POST", `/chats/${id}/messages`, { images }), ada)
    expect((await ada.call("DELETE", `/chats/${id}`)).status).toBe(200)
    expect((await ada.usage()).breakdown.images).toBe(0)
  })

  it("allows an import completely or not at all", async () => {
    const ada = await createPerson("Importer")
    const chats = [exportedChat("é".repeat(4000)), exportedChat("y".repeat(7000))]
    expect((await ada.call("POST", "/chats/import", { chats })).status).toBe(200)
    const { used } = await ada.usage()
    expect(used).toBeGreaterThan(15_000)
    expect(used).toBeLessThan(18_000)
    const small = exportedChat("small")
    const refused = await ada.call("POST", "/chats/import", { chats: [small, ...chats] })
    await expectRejected(refused, ada)
    const markdown = `# Chat\n\n## User\n\n${"z".repeat(7000)}\n`
    await expectRejected(await ada.call("POST", "/chats/import", { markdown }), ada)
    expect((await ada.call("GET", "/chats/")).body.total).toBe(2)
  })

  it("includes the passages that imported answers cite", async () => {
    const ada = await createPerson("Citer")
    const source = { file_id: "f", name: "f", start: 0, end: 6000, score: 1 }
    const [message] = exportedChat("cited").messages
    const sources = [{ ...source, text: "w".repeat(6000) }]
    const chats = [{ ...exportedChat(""), messages: [{ ...message, sources }] }]
    const { status, body } = await ada.call("POST", "/chats/import", { chats })
    expect(status, JSON.stringify(body)).toBe(200)
    expect((await ada.usage()).breakdown.chats).toBeGreaterThan(6000)
  })

  it("includes models, and is revealed to their owner only", async () => {
    const ada = await createPerson("Modeller")
    const params = { system: "m".repeat(12_000) }
    const model = (id: string) => ({ id, name: id, base_model_id: "gpt-fake", params })
    const bob = await gateway.createUser("Writer")
    const access_grants = [
      { principal_type: "user", principal_id: bob.id, permission: "write" },
      { principal_type: "user", principal_id: bob.id, permission: "read" },
    ]
    const made = await ada.call("POST", "/models/create", { ...model("first"), access_grants })
    expect(made.status, JSON.stringify(made.body)).toBe(200)
    expect((await ada.usage()).breakdown.models).toBeGreaterThan(12_000)
    await expectRejected(await ada.call("POST", "/models/create", model("second")), ada)
    const longer = { params: { system: "m".repeat(21_000) } }
    await expectRejected(await ada.call("POST", "/models/model/update?id=first", longer), ada)
    const path = "/api/v1/models/model/update?id=first"
    const byBob = await gateway.call("POST", path, longer, { key: bob.key })
    expect(byBob).toMatchObject({ status: 413, body: { code: "storage_limit" } })
    expect(byBob.body).not.toHaveProperty("storage")
    expect(byBob.body.detail).not.toMatch(/models|KB/)
    await ada.call("POST", "/models/model/delete", { id: "first" })
    expect((await ada.call("POST", "/models/create", model("second"))).status).toBe(200)
  })

  it("includes the extracted text of files", async () => {
    const ada = await createPerson("Reader")
    const send = (name: string) => {
      const text = Array.from({ length: 4000 }, () => name).join(" ")
      const body = `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`
      const document = `<w:document><w:body>${body}</w:body></w:document>`
      const file = createDocx({ "word/document.xml": document, "word/footnotes.xml": "" })
      const query = "?process_in_background=false"
      return upload(gateway, `${name}.docx`, file, { key: ada.key, query })
    }
    const first = await send("bee")
    expect(first.body.data, JSON.stringify(first.body)).toMatchObject({ status: "completed" })
    const { breakdown } = await ada.usage()
    expect(breakdown.text).toBeGreaterThan(15_000)
    expect(breakdown.files).toBeLessThan(1500)
    const second = await send("ant")
    expect(second.body.data).toMatchObject({
      status: "failed",
      error: expect.stringMatching(/MAX_STORAGE.*Delete/),
    })
  })

  it("includes the versions and stores of functions", async () => {
    const content = `// ${"f".repeat(3000)}
      export const reply = async (request, { store }) => {
        try {
          await store.set(request.messages.at(-1).content, "v".repeat(5000))
          return "stored"
        } catch (error) { return error.message }
      }`
    const admin = (method: string, path: string, body?: unknown) =>
      gateway.call(method, `/api/v1${path}`, body)
    const functionBytes = async () => (await admin("GET", "/storage")).body.breakdown.functions
    await saveFunction(gateway, "hoards", content)
    expect(await functionBytes()).toBeGreaterThan(3000)
    const { key } = await gateway.createUser("Caller")
    const ask = async (name: string) =>
      completionText(await requestCompletion(gateway, "hoards", { content: name, key }))
    expect(await ask("one")).toBe("stored")
    expect(await ask("one")).toBe("stored")
    expect(await ask("two")).toBe("stored")
    expect(await functionBytes()).toBeGreaterThan(13_000)
    expect(await ask("three")).toMatch(/Storage limit reached \(MAX_STORAGE\)/)
    expect(await ask("one")).toBe("stored")
    const longer = { content: `${content}// ${"g".repeat(2000)}` }
    const refused = await admin("POST", "/functions/id/hoards/update", longer)
    expect(refused).toMatchObject({ status: 413, body: { code: "storage_limit" } })
    expect((await admin("DELETE", "/functions/id/hoards/delete")).status).toBe(200)
    expect(await functionBytes()).toBe(0)
  })

  it("is enforced for concurrent prompts as for sequential ones", async () => {
    const ada = await createPerson("Hurried")
    const ids = await Promise.all(Array.from({ length: 10 }, () => ada.chats.createChat()))
    const before = (await ada.usage()).used
    const images = [createImage(6000)]
    const replies = await Promise.all(
      ids.map((id) => ada.call("POST", `/chats/${id}/messages`, { images })),
    )
    const accepted = replies.filter(({ status }) => status === 200).length
    expect(accepted).toBe(Math.floor((limit - before) / 7000))
    expect(replies.filter(({ status }) => status === 413)).toHaveLength(10 - accepted)
  })

  it("may exceed a lowered limit, but not grow", async () => {
    const ada = await createPerson("Keeper")
    const id = await ada.chats.createChat()
    await ada.chats.sendMessage(id, { content: "k".repeat(5000) })
    const { used } = await ada.usage()
    await gateway.stop()
    await start("10KB/1GB")
    try {
      expect(await ada.usage()).toMatchObject({ limit: 10_000, used })
      expect((await ada.call("GET", `/chats/${id}`)).body.messages).toHaveLength(2)
      const more = await ada.call("POST", `/chats/${id}/messages`, { content: "more" })
      expect(more).toMatchObject({ status: 413, body: { code: "storage_limit" } })
      expect((await ada.call("POST", `/chats/${id}`, { title: "Kept" })).status).toBe(200)
      expect((await ada.call("DELETE", `/chats/${id}`)).status).toBe(200)
      expect((await ada.call("POST", "/chats/new", {})).status).toBe(200)
    } finally {
      await gateway.stop()
      await start("20KB/1GB")
    }
  })
})
