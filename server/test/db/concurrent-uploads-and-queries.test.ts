import OpenAI from "openai"
import { afterAll, beforeAll, expect, it } from "vitest"
import { type FakeOpenAI, startFakeOpenAI } from "../fakes/openai.ts"
import { adminKey, startGateway, type TestGateway } from "../harness/gateway.ts"
import { amount } from "../harness/short-and-long-form.ts"
import { upload } from "../knowledge/collections.ts"
import { waitForModels } from "../models/wait-for-models.ts"

const rounds = Number(process.env.AT_ONCE_ROUNDS ?? amount(60, 400))
const concurrency = 8

let upstream: FakeOpenAI
let gateway: TestGateway
let client: OpenAI

beforeAll(async () => {
  upstream = await startFakeOpenAI()
  gateway = await startGateway({ OPENAI_API_BASE_URLS: upstream.url, LOG_LEVEL: "error" })
  client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: adminKey, maxRetries: 0 })
  await waitForModels(gateway, ["gpt-fake"])
})
afterAll(async () => {
  await gateway.stop()
  await upstream.close()
})

const runRound = async (number: number): Promise<void> => {
  const fact = `The colour of animal ${number} is shade${number}.`
  const file = await upload(gateway, "fact.txt", fact)
  const created = await gateway.call("POST", "/api/v1/knowledge/create", {
    name: `Round ${number}`,
  })
  const { id } = created.body
  await gateway.call("POST", `/api/v1/knowledge/${id}/file/add`, { file_id: file.body.id })
  const requested = {
    model: "gpt-fake",
    messages: [{ role: "user" as const, content: `What is the colour of animal ${number}?` }],
    files: [{ type: "collection", id }],
  }
  const sources: unknown[] = []
  let text = ""
  if (number % 2 === 0) {
    const reply = await client.chat.completions.create(requested)
    sources.push(...(reply as unknown as { sources: unknown[] }).sources)
    text = reply.choices[0]?.message.content ?? ""
  } else {
    for await (const chunk of await client.chat.completions.create({
      ...requested,
      stream: true,
    })) {
      if ("sources" in chunk && Array.isArray(chunk.sources)) sources.push(...chunk.sources)
      text += chunk.choices[0]?.delta.content ?? ""
    }
  }
  expect(sources, `round ${number}`).toMatchObject([
    { source: { id: file.body.id }, document: [fact] },
  ])
  expect(text).not.toBe("")
}

it(
  `cites a file uploaded, added and queried concurrently, ${rounds} times, ${concurrency} at a time`,
  async () => {
    let next = 0
    const worker = async (): Promise<void> => {
      while (next < rounds) await runRound(next++)
    }
    await Promise.all(Array.from({ length: concurrency }, worker))
  },
  60_000 + rounds * 1000,
)
