import { describe, expect, it } from "vitest"
import { readUsageRecords } from "../harness/usage-records.ts"
import { upload } from "../knowledge/collections.ts"
import {
  chatModel,
  claudeModel,
  hello,
  image,
  requestTo,
  testbed,
  useMessagesTestbed,
  weather,
} from "./messages-testbed.ts"

useMessagesTestbed()

const count = async (content: string, model = chatModel): Promise<number> => {
  const messages = [{ role: "user" as const, content }]
  return (await testbed.client.messages.countTokens({ model, messages })).input_tokens
}

const uploadText = async (text: string): Promise<string> => {
  const query = "?process_in_background=false"
  return (await upload(testbed.gateway, "bees.txt", text, { query })).body.id
}
const uploadImage = async (): Promise<string> => {
  const png = Buffer.from(image, "base64")
  return (await upload(testbed.gateway, "dot.png", png, { query: "?process=false" })).body.id
}

/** The number for a document or image in the gateway. */
const countFile = async (type: "document" | "image", file_id: string, model = chatModel) => {
  const content = [{ type, source: { type: "file", file_id } }]
  const body = { model, messages: [{ role: "user", content }] }
  const { status, text } = await testbed.send(body, {}, "/messages/count_tokens")
  expect(status, text).toBe(200)
  return JSON.parse(text).input_tokens
}

/**
 * Texts with the most tokens that any of OpenAI's encodings cl100k_base and o200k_base and the
 * tokenizer that Anthropic published for Claude 2 has for them.
 */
const measured: [script: string, tokens: number, text: string][] = [
  [
    "English",
    40,
    "The quick brown fox jumps over the lazy dog. A honey bee tells her sisters where the nectar " +
      "is by the waggle dance, which was described by Karl von Frisch in 1927.",
  ],
  [
    "German",
    28,
    "Die Honigbiene teilt ihren Schwestern durch den Schwänzeltanz mit, wo Nektar zu finden ist.",
  ],
  [
    "TypeScript",
    61,
    "export const f = (a: number[], i = 0): number => {\n  for (let k = i; k < a.length; k++) " +
      "{ if (a[k] !== a[i]) return k - i }\n  return -1 // {}[]();,.\n}\n",
  ],
  ["JSON", 42, '{"a":[1,2,3],"b":{"c":null,"d":[{"e":1.5e10},{"f":"x"}]},"g":[[],[],{}],"h":true}'],
  ["a hash", 44, "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"],
  [
    "Chinese",
    65,
    "蜜蜂通过摇摆舞告诉她的姐妹们花蜜在哪里。这种舞蹈由卡尔·冯·弗里希于一九二七年描述。",
  ],
  [
    "Japanese",
    53,
    "ミツバチは尻振りダンスで仲間に蜜の場所を教えます。吾輩は猫である。名前はまだ無い。",
  ],
  ["Korean", 36, "꿀벌은 춤을 추어 자매들에게 꿀이 있는 곳을 알려 줍니다."],
  ["Greek", 62, "Η μέλισσα λέει στις αδελφές της πού βρίσκεται το νέκταρ."],
  ["Thai", 92, "ผึ้งบอกพี่น้องของมันว่าน้ำหวานอยู่ที่ไหนด้วยการเต้นรำ"],
  ["emoji", 54, "🐝🌼👩‍👩‍👧‍👦🇩🇪🏳️‍🌈🧑🏽‍💻🚀✨"],
]

describe("the estimate of tokens for a chat model", () => {
  it.each(measured)("is not too low, and not absurd: %s", async (_script, tokens, text) => {
    // Repeated, so that what a message takes besides its text does not matter.
    const times = 20
    const estimated = await count(Array.from({ length: times }, () => text).join("\n"))
    expect(estimated).toBeGreaterThanOrEqual(tokens * times)
    expect(estimated).toBeLessThan(tokens * times * 2 + 100)
    expect(estimated).toBeLessThanOrEqual(Buffer.byteLength(text) * times + 100)
  })

  it("includes everything that the model reads", async () => {
    const { messages } = testbed.client
    const params = { model: chatModel, messages: hello }
    const { input_tokens: plain } = await messages.countTokens(params)
    const withTools = await messages.countTokens({ ...params, tools: [weather] })
    expect(withTools.input_tokens).toBeGreaterThan(plain + 10)
    const withSystem = await messages.countTokens({ ...params, system: "word ".repeat(100) })
    expect(withSystem.input_tokens).toBeGreaterThan(plain + 100)
    const source = { type: "base64" as const, media_type: "image/png" as const, data: image }
    const content = [{ type: "image" as const, source }]
    const withImage = await messages.countTokens({
      ...params,
      messages: [...hello, { role: "user", content }],
    })
    expect(withImage.input_tokens).toBeGreaterThan(plain + 1000)
    expect(withImage.input_tokens).toBeLessThan(plain + 4000)
  })

  it("is possible for conversations of several megabytes", async () => {
    const source = { type: "base64" as const, media_type: "image/png" as const, data: "" }
    const image = { type: "image" as const, source: { ...source, data: "aGk=".repeat(600_000) } }
    const messages = [{ role: "user" as const, content: [image] }]
    const counted = await testbed.client.messages.countTokens({ model: chatModel, messages })
    expect(counted.input_tokens).toBeGreaterThan(1000)
  })

  it("includes files of the gateway", async () => {
    const textId = await uploadText("Bees dance. ".repeat(100))
    expect(await countFile("document", textId)).toBeGreaterThan(300)
    expect(await countFile("image", await uploadImage())).toBeGreaterThan(1000)
  })

  it("asks no provider and records no usage", async () => {
    const requests = testbed.openai.requests.length
    const records = (await readUsageRecords(testbed.gateway)).length
    await count("Hello")
    expect(
      testbed.openai.requests.slice(requests).filter(({ method }) => method === "POST"),
    ).toEqual([])
    expect(await readUsageRecords(testbed.gateway)).toHaveLength(records)
  })

  it("rejects what the model does not support", async () => {
    const tools = [{ type: "web_search_20250305" as const, name: "web_search" as const }]
    const counted = testbed.client.messages.countTokens({ ...requestTo(chatModel), tools })
    await expect(counted).rejects.toMatchObject({ status: 400 })
  })
})

describe("the count of tokens for a model of Anthropic", () => {
  it("is the provider's", async () => {
    expect(await count("Hello", claudeModel)).toBe(2095)
  })

  const lastMessages = () => {
    const request = testbed.anthropic.requests.findLast(({ path }) => path.endsWith("count_tokens"))
    return Object(request?.json).messages
  }

  it("includes files of the gateway", async () => {
    const id = await uploadImage()
    expect(await countFile("image", id, claudeModel)).toBe(2095)
    const source = { type: "base64", media_type: "image/png", data: image }
    expect(lastMessages()).toEqual([{ role: "user", content: [{ type: "image", source }] }])
    testbed.anthropic.tokenCount = null
    expect(await countFile("image", id, claudeModel)).toBeGreaterThan(1000)
  })

  it("leaves out thinking that the provider rejects", async () => {
    const text = { type: "text" as const, text: "Yes." }
    const unsigned = { type: "thinking" as const, thinking: "Hm.", signature: "" }
    const ask = (...content: (typeof text | typeof unsigned)[]) => [
      ...hello,
      { role: "assistant" as const, content },
      { role: "user" as const, content: "And now?" },
    ]
    const params = { model: claudeModel, messages: ask(unsigned, text) }
    expect((await testbed.client.messages.countTokens(params)).input_tokens).toBe(2095)
    expect(lastMessages()).toEqual(ask(text))
  })

  it("is an estimate if the provider has none", async () => {
    testbed.anthropic.tokenCount = null
    const tokens = await count("Hello", claudeModel)
    expect(tokens).toBe(await count("Hello"))
    expect(tokens).toBeLessThan(100)
  })

  it("is refused if neither the provider counts nor the gateway can estimate", async () => {
    testbed.anthropic.tokenCount = null
    const tools = [{ type: "web_search_20250305" as const, name: "web_search" as const }]
    const counted = testbed.client.messages.countTokens({ ...requestTo(claudeModel), tools })
    await expect(counted).rejects.toMatchObject({ status: 400 })
  })

  it("fails as the provider does", async () => {
    const body = { type: "error", error: { type: "rate_limit_error", message: "Slow down." } }
    testbed.anthropic.injectFault({ kind: "status", status: 429, body }, { on: /count_tokens/ })
    await expect(count("Hello", claudeModel)).rejects.toMatchObject({ status: 429, error: body })
  })
})
