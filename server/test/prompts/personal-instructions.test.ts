import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { z } from "zod"
import { createChatClient } from "../conversations/chat-client.ts"
import { type FakeOpenAI, startFakeOpenAI } from "../fakes/openai.ts"
import { chooseDatabases, type TestDatabase } from "../harness/databases.ts"
import { startGateway, type TestGateway } from "../harness/gateway.ts"
import { waitForModels } from "../models/wait-for-models.ts"

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

const Sent = z.object({
  messages: z.array(z.object({ role: z.string(), content: z.string() })),
})

const personal = "I am a pilot; answer briefly."

describe.each(chooseDatabases())("personal instructions on $name", ({ createDatabase }) => {
  let database: TestDatabase
  let upstream: FakeOpenAI
  let gateway: TestGateway

  beforeAll(async () => {
    database = await createDatabase()
    upstream = await startFakeOpenAI()
    gateway = await startGateway({ ...database.env, OPENAI_API_BASE_URLS: upstream.url })
    await waitForModels(gateway, ["gpt-fake"])
    const model = { id: "guide", name: "Guide", base_model_id: "gpt-fake" }
    const everyone = { principal_type: "user", principal_id: "*", permission: "read" }
    await gateway.call("POST", "/api/v1/models/create", {
      ...model,
      params: { system: "You are a guide." },
      access_grants: [everyone],
    })
  })
  afterAll(async () => {
    await gateway.stop()
    await upstream.close()
    await database.remove()
  })

  const createPerson = async (name: string) => {
    const { id, key } = await gateway.createUser(name)
    const call = (method: string, path: string, body?: unknown) =>
      gateway.call(method, `/api/v1${path}`, body, { key })
    return {
      id,
      key,
      call,
      set: (instructions: string) => call("POST", "/auths/update/instructions", { instructions }),
      read: async () => (await call("GET", "/auths/instructions")).body.instructions,
      /** Sends a message in a new chat. @returns the system prompt that the provider received */
      ask: async (chat: object = {}): Promise<string | undefined> => {
        const client = createChatClient(gateway, key)
        const chatId = await client.createChat({ models: ["guide"], ...chat })
        await client.sendMessage(chatId, { content: "Hello" })
        return lastSystemPrompt()
      },
    }
  }

  const lastSystemPrompt = (): string | undefined => {
    const request = upstream.requests.findLast(({ path }) => path.includes("/chat/completions"))
    const { messages } = Sent.parse(request?.json)
    return messages.find(({ role }) => role === "system")?.content
  }

  it("are added to a user's own chats, between the model's prompt and the chat's", async () => {
    const ada = await createPerson("Ada")
    expect(await ada.read()).toBe("")
    expect(await ada.ask()).toBe("You are a guide.")
    expect(await ada.set(` ${personal} `)).toMatchObject({
      status: 200,
      body: { instructions: personal },
    })
    expect(await ada.read()).toBe(personal)
    expect(await ada.ask()).toBe(`You are a guide.\n\n${personal}`)
    expect(await ada.ask({ system: "In French." })).toBe(
      `You are a guide.\n\n${personal}\n\nIn French.`,
    )
    await ada.set("")
    expect(await ada.ask()).toBe("You are a guide.")
  })

  it("are neither added to API requests nor to the chats of others", async () => {
    const grace = await createPerson("Grace")
    const eve = await createPerson("Eve")
    await grace.set(personal)
    expect(await eve.ask()).toBe("You are a guide.")
    expect(await eve.read()).toBe("")
    const body = { model: "guide", messages: [{ role: "user", content: "Hello" }] }
    await gateway.call("POST", "/v1/chat/completions", body, { key: grace.key })
    expect(lastSystemPrompt()).toBe("You are a guide.")
    const { body: seen } = await gateway.call("GET", `/api/v1/users/${grace.id}`)
    expect(JSON.stringify(seen)).not.toContain("pilot")
  })

  it("are limited in length, count toward storage, and are audited without their text", async () => {
    const dora = await createPerson("Dora")
    expect(await dora.set("x".repeat(8001))).toMatchObject({
      status: 422,
      body: { errors: [{ path: "instructions" }] },
    })
    await dora.set("x".repeat(8000))
    expect((await dora.call("GET", "/storage")).body.breakdown.prompts).toBe(8000)
    await dora.set(personal)
    const { body } = await gateway.call(
      "GET",
      `/api/v1/audit?target=${dora.id}&action=user.updated`,
    )
    expect(body.items[0]).toMatchObject({ actor_id: dora.id, changed: ["instructions"] })
    expect(JSON.stringify(body)).not.toContain("pilot")
  })

  it("are deleted with the account", async () => {
    const zoe = await createPerson("Zoe")
    await zoe.set(personal)
    await gateway.call("DELETE", `/api/v1/users/${zoe.id}`)
    const row = await gateway.gateway.db.read
      .selectFrom("personal_instructions")
      .select("user_id")
      .where("user_id", "=", zoe.id)
      .executeTakeFirst()
    expect(row).toBeUndefined()
  })
})
