import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type FakeOpenAI, startFakeOpenAI } from "../fakes/openai.ts"
import { chooseDatabases, type TestDatabase } from "../harness/databases.ts"
import { startGateway, type TestGateway } from "../harness/gateway.ts"
import { createChatClient } from "./chat-client.ts"

describe.each(chooseDatabases())("a shared chat on $name", ({ createDatabase }) => {
  let database: TestDatabase
  let upstream: FakeOpenAI
  let gateway: TestGateway
  let grace: ReturnType<typeof createChatClient>
  let linus: ReturnType<typeof createChatClient>

  beforeAll(async () => {
    database = await createDatabase()
    upstream = await startFakeOpenAI({ apiKey: "up-key" })
    gateway = await startGateway({
      ...database.env,
      OPENAI_API_BASE_URLS: upstream.url,
      OPENAI_API_KEYS: "up-key",
    })
    grace = createChatClient(gateway, (await gateway.createUser("Grace")).key)
    linus = createChatClient(gateway, (await gateway.createUser("Linus")).key)
  })
  afterAll(async () => {
    await gateway.stop()
    await upstream.close()
    await database.remove()
  })

  it("tells readers its owner's name, and nothing else about the owner", async () => {
    const id = await grace.createChat()
    await grace.sendMessage(id, { content: "Hello" })
    await grace.call("POST", `/${id}/share`, { shared: true })
    const { body } = await linus.call("GET", `/${id}`)
    expect(body).toMatchObject({ owner_name: "Grace", writable: false })
    expect(JSON.stringify(body)).not.toContain("grace@example.com")
    expect((await grace.call("GET", `/${id}`)).body).not.toHaveProperty("owner_name")
  })
})
