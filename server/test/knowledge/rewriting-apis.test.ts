import { afterAll, beforeAll, beforeEach, expect, it } from "vitest"
import { createChatClient } from "../conversations/chat-client.ts"
import { jsonResponse } from "../fakes/responses.ts"
import { type FakeUpstream, startFakeUpstream } from "../fakes/upstream.ts"
import { saveFunction } from "../functions/function-client.ts"
import { adminKey, startGateway, type TestGateway } from "../harness/gateway.ts"
import { waitForModels } from "../models/wait-for-models.ts"
import { createCollection, upload } from "./collections.ts"
import { isRewriting, manual, streamed, whole } from "./rewriting-upstream.ts"

const standalone = "What is the code of the tillers?"
const rewritten = JSON.stringify({ standalone })

/** Answers both kinds of requests, and says which sources it got. */
const code = `export const name = "Agent"
export async function* reply({ messages }) {
  const prompt = JSON.stringify(messages)
  if (prompt.includes("You rewrite questions")) yield ${JSON.stringify(rewritten)}
  else yield prompt.includes("TILLERS-197") ? "Found." : "Not found."
}
`

let gateway: TestGateway
let upstream: FakeUpstream
let collection: string

beforeAll(async () => {
  upstream = await startFakeUpstream({
    respond: (request) => {
      if (request.path === "/v1/models") return jsonResponse(200, { data: [{ id: "writer" }] })
      const found = request.body.includes("TILLERS-197") ? "Found." : "Not found."
      const text = isRewriting(request) ? rewritten : found
      return request.body.includes('"stream":true') ? streamed(text) : whole(text)
    },
  })
  const defaultSettings = { chat_titles: "words" as const, query_rewriting_timeout_ms: 20_000 }
  gateway = await startGateway(
    { OPENAI_API_BASE_URLS: `${upstream.origin}/v1` },
    { defaultSettings },
  )
  await waitForModels(gateway, ["writer"])
  const query = "?process_in_background=false"
  const { body } = await upload(gateway, "manual.md", manual, { query })
  collection = await createCollection(gateway, "Manual", [body.id])
  await saveFunction(gateway, "agent", code)
  for (const [id, base_model_id, query_rewriting] of [
    ["sailor", "writer", "automatic"],
    ["asked-agent", "agent", "on"],
    ["agent-with-files", "agent", "automatic"],
  ]) {
    const meta = { description: "", tags: [], knowledge: [{ id: collection }], query_rewriting }
    const model = { id, name: id, base_model_id, meta }
    expect((await gateway.call("POST", "/api/v1/models/create", model)).status).toBe(200)
  }
})
afterAll(async () => {
  await gateway.stop()
  await upstream.close()
})
beforeEach(() => gateway.call("POST", "/api/v1/settings", { query_rewriting_model: "" }))

const conversation = [
  { role: "user", content: "Which one is near the end?" },
  { role: "assistant", content: "The chapter about tillers." },
  { role: "user", content: "And its number?" },
]

it.each([
  ["/v1/chat/completions", { messages: conversation }],
  ["/api/chat/completions", { messages: conversation }],
  ["/v1/messages", { messages: conversation, max_tokens: 100 }],
  ["/v1/responses", { input: conversation }],
])("rewrites questions to a model with a collection at %s", async (path, fields) => {
  const count = upstream.requests.filter(isRewriting).length
  const { status, body } = await gateway.call("POST", path, { model: "sailor", ...fields })
  expect(status, JSON.stringify(body)).toBe(200)
  expect(JSON.stringify(body)).toContain("Found.")
  // The first one is cached for the others.
  expect(upstream.requests.filter(isRewriting).length - count).toBeLessThan(2)
})

const ask = async (model: string): Promise<string> => {
  const json = { model, messages: conversation }
  const { body } = await gateway.call("POST", "/v1/chat/completions", json)
  return body.choices[0].message.content
}

it("asks a function only if its workspace model or an administrator wants that", async () => {
  expect(await ask("agent-with-files")).toBe("Not found.")
  expect(await ask("asked-agent")).toBe("Found.")
  await gateway.call("POST", "/api/v1/settings", { query_rewriting_model: "writer" })
  expect(await ask("agent-with-files")).toBe("Found.")
  await gateway.call("POST", "/api/v1/settings", { query_rewriting_model: "agent" })
  expect(await ask("sailor")).toBe("Found.")
})

it("rewrites the second question of a chat, also if the collection is attached to it", async () => {
  const ada = createChatClient(gateway, adminKey)
  for (const [model, files] of [
    ["sailor", []],
    ["writer", [{ type: "collection", id: collection, name: "Manual" }]],
  ] as const) {
    const id = await ada.createChat({ models: [model] })
    const send = async (content: string): Promise<string> =>
      (await ada.sendMessage(id, { content, files })).at(-1).content
    expect(await send("Which of them is the one that stands near the end?")).toBe("Not found.")
    expect(await send("And its number?")).toBe("Found.")
  }
})
