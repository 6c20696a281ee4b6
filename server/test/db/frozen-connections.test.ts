import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  inject,
  it,
  vi,
} from "vitest"
import { createChatClient } from "../conversations/chat-client.ts"
import { type FakeOpenAI, startFakeOpenAI } from "../fakes/openai.ts"
import { createDatabaseProxy, type DatabaseProxy } from "../harness/database-server.ts"
import { hasPostgres } from "../harness/databases.ts"
import { startGateway, type TestGateway } from "../harness/gateway.ts"
import { startStreamedCompletion } from "../harness/streamed-completion.ts"
import { waitForModels } from "../models/wait-for-models.ts"
import { createPostgresDatabase } from "../setup/postgres.ts"

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

/** Silence is noticed later by the pool than by the bus, as with the default. */
const statementTimeoutMs = 5000
/** Long enough for silence to be noticed on the bus, and then by what is read again. */
const recovery = { timeout: 40_000 }
const model = "gpt-fake"

describe.runIf(hasPostgres)("database connections that go silent without being closed", () => {
  let upstream: FakeOpenAI
  let database: { url: string; drop: () => Promise<void> }
  let proxy: DatabaseProxy
  /** Reaches the database through the proxy. */
  let here: TestGateway
  let there: TestGateway

  beforeAll(async () => {
    upstream = await startFakeOpenAI({ models: [model] })
  })
  afterAll(() => upstream.close())
  beforeEach(async () => {
    database = await createPostgresDatabase(inject("databaseUrl"))
    proxy = await createDatabaseProxy(database.url)
    const env = { OPENAI_API_BASE_URLS: upstream.url }
    here = await startGateway({ ...env, DATABASE_URL: proxy.url }, { statementTimeoutMs })
    there = await startGateway({ ...env, DATABASE_URL: database.url })
  })
  afterEach(async () => {
    await Promise.all([here.stop(), there.stop()])
    proxy.close()
    await database.drop()
  })

  const setSignUp = async (enable_signup: boolean): Promise<void> => {
    const changed = await there.call("POST", "/api/v1/settings", { enable_signup })
    expect(changed.status).toBe(200)
  }
  const signUpIsOpen = async (): Promise<boolean> => {
    const email = `${Math.random()}@example.com`
    const body = { name: "New", email, password: "New has a password" }
    const { status } = await here.call("POST", "/api/v1/auths/signup", body, { key: null })
    return status === 200
  }
  const modelIds = async (): Promise<string[]> => {
    const { body } = await here.call("GET", "/v1/models")
    return body.data.map(({ id }: { id: string }) => id)
  }

  it("do not keep a gateway from learning what others changed meanwhile", async () => {
    await expect.poll(modelIds).toEqual([model])
    await setSignUp(true)
    await expect.poll(signUpIsOpen).toBe(true)
    const user = await here.createUser("Max")
    const stream = await startStreamedCompletion(here, { key: user.key, seconds: 60 })

    proxy.freezeOpenConnections()
    await setSignUp(false)
    const own = { id: "own", name: "Own", base_model_id: model }
    expect((await there.call("POST", "/api/v1/models/create", own)).status).toBe(200)
    const connection = { kind: "openai", name: "More", base_url: upstream.url, id_prefix: "more" }
    expect((await there.call("POST", "/api/v1/connections/create", connection)).status).toBe(200)
    const revoked = await there.call("POST", `/api/v1/users/${user.id}/update`, { active: false })
    expect(revoked.status).toBe(200)

    expect(await stream.body).not.toContain("[DONE]")
    await expect
      .poll(async () => (await modelIds()).sort(), recovery)
      .toEqual([model, `more.${model}`, "own"].sort())
    await expect.poll(signUpIsOpen, recovery).toBe(false)
  })

  describe("during answers in chats", () => {
    const secondsOfAnswer = 45
    let user: { id: string; key: string }

    const startAnswer = async (): Promise<string> => {
      const { call, createChat } = createChatClient(here, user.key)
      const chat = await createChat({
        models: [model],
        params: { metadata: { fake_chunks: secondsOfAnswer * 20, fake_delay_ms: 50 } },
      })
      const sent = await call("POST", `/${chat}/messages`, { content: "Count" })
      expect(sent.status).toBe(200)
      return chat
    }
    const generations = (): string[] =>
      here.logLines.flatMap(({ msg, state }) => (msg === "answer" ? [String(state)] : []))

    beforeEach(async () => {
      await waitForModels(here, [model])
      user = await here.createUser("Max")
    })

    it("do not keep answers running that were stopped meanwhile", async () => {
      const [stopped, deleted] = [await startAnswer(), await startAnswer()]
      const kept = await startAnswer()
      proxy.freezeOpenConnections()
      const elsewhere = createChatClient(there, user.key)
      expect((await elsewhere.call("POST", `/${stopped}/stop`, {})).status).toBe(200)
      expect((await elsewhere.call("DELETE", `/${deleted}`)).status).toBe(200)
      await expect.poll(generations, recovery).toEqual(["stopped", "stopped"])
      const { body } = await elsewhere.call("GET", `/${kept}`)
      expect(body.messages.at(-1).state).not.toBe("stopped")
    })
  })
})
