import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { type FakeAnthropic, startFakeAnthropic } from "../fakes/anthropic.ts"
import type { JsonObject } from "../fakes/json.ts"
import { type FakeOpenAI, startFakeOpenAI } from "../fakes/openai.ts"
import { formatSseEvent } from "../fakes/responses.ts"
import { adminKey, startGateway, type TestGateway } from "../harness/gateway.ts"
import { waitForUsageRecords } from "../harness/usage-records.ts"
import { waitForModels } from "../models/wait-for-models.ts"

const pieces = 200
const words = Array.from({ length: pieces }, (_, at) => `word${at} and more `)
const messages = [{ role: "user", content: "Hello" }]

const chunk = (delta: JsonObject, usage?: JsonObject | null): string =>
  formatSseEvent({
    ...{ id: "c", object: "chat.completion.chunk", model: "gpt-fake" },
    ...{
      choices: [{ index: 0, delta, finish_reason: null }],
      ...(usage !== undefined && { usage }),
    },
  })
const chatText = (usageAt: (at: number) => JsonObject | null | undefined = () => undefined) =>
  words.map((content, at) => chunk({ content }, usageAt(at))).join("")
const counts = (completion_tokens: number): JsonObject => ({
  ...{ prompt_tokens: 35, completion_tokens },
})

const event = (fields: JsonObject): string => formatSseEvent(fields, `${fields.type}`)
const messageStart = (usage: JsonObject): string =>
  event({
    ...{ type: "message_start" },
    message: { id: "m", type: "message", role: "assistant", model: "c", content: [], usage },
  }) + event({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } })
const text = words
  .map((word) => ({ type: "text_delta", text: word }))
  .map((delta) => event({ type: "content_block_delta", index: 0, delta }))
  .join("")
const messageEnd = (usage: JsonObject): string =>
  event({ type: "content_block_stop", index: 0 }) +
  event({ type: "message_delta", delta: { stop_reason: "end_turn" }, usage })
const cached = { input_tokens: 35, cache_read_input_tokens: 10_000, output_tokens: 1 }

describe("the usage of a stream that breaks off", () => {
  let openai: FakeOpenAI
  let anthropic: FakeAnthropic
  let gateway: TestGateway

  beforeAll(async () => {
    openai = await startFakeOpenAI()
    anthropic = await startFakeAnthropic()
    gateway = await startGateway({
      ...{ OPENAI_API_BASE_URL: openai.url, ANTHROPIC_BASE_URL: anthropic.origin },
      ANTHROPIC_API_KEY: "anthropic-key",
    })
    await waitForModels(gateway, ["gpt-fake", "claude-fake"])
  })
  beforeEach(() => {
    openai.clearFaults()
    anthropic.reset()
  })
  afterAll(async () => {
    await gateway.stop()
    await openai.close()
    await anthropic.close()
  })

  /** Reads the stream until its text is complete, or until the provider resets it. */
  const readAndLeave = async (response: Response, leave: AbortController, isCut: boolean) => {
    let received = ""
    try {
      for await (const piece of response.body ?? []) {
        received += Buffer.from(piece).toString()
        if (!isCut && received.includes(`word${pieces - 1} `)) leave.abort()
      }
    } catch {
      // Either side has broken off.
    }
  }

  const recordOf = async (
    { fake, body, model }: { fake: FakeOpenAI | FakeAnthropic; body: string; model: string },
    path: string,
    by: "provider" | "client",
  ) => {
    const head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n"
    const framed = `${Buffer.byteLength(body).toString(16)}\r\n${body}\r\n`
    const steps = [`${head}transfer-encoding: chunked\r\n\r\n`, framed, 50]
    const ends = by === "provider" ? "reset" : "open"
    fake.injectFault({ kind: "raw", steps, ends }, { on: /completions|messages/ })
    const leave = new AbortController()
    const input = path.endsWith("responses") ? { input: "Hello" } : { messages, max_tokens: 99 }
    const response = await fetch(gateway.url + path, {
      method: "POST",
      headers: { authorization: `Bearer ${adminKey}` },
      body: JSON.stringify({ model, stream: true, ...input }),
      signal: leave.signal,
    })
    await readAndLeave(response, leave, by === "provider")
    const id = response.headers.get("x-request-id") ?? ""
    const [record] = await waitForUsageRecords(gateway, id)
    return record
  }

  const chatStreams: [string, string, { tokens_in: number | null; least: number; most: number }][] =
    [
      ["nothing", chatText(), { tokens_in: null, least: 150, most: 230 }],
      ["null", chatText(() => null), { tokens_in: null, least: 150, most: 230 }],
      [
        "no count",
        chatText(() => ({ prompt_tokens: 0, completion_tokens: 0 })),
        { tokens_in: null, least: 150, most: 230 },
      ],
      [
        "the prompt first",
        chunk({ role: "assistant" }, counts(0)) + chatText(),
        { tokens_in: 35, least: 150, most: 230 },
      ],
      [
        "counts now and then",
        chatText((at) => (at % 50 ? undefined : counts(at + 1))),
        { tokens_in: 35, least: 195, most: 230 },
      ],
      [
        "counts at each step",
        chatText((at) => counts(4 * (at + 1))),
        { tokens_in: 35, least: 800, most: 800 },
      ],
    ]
  const claudeStreams: typeof chatStreams = [
    ["the cache first", messageStart(cached) + text, { tokens_in: 10_035, least: 150, most: 230 }],
    ["no usage first", messageStart({}) + text, { tokens_in: null, least: 150, most: 230 }],
    [
      "all but the end",
      messageStart(cached) + text + messageEnd({ output_tokens: 777 }),
      { tokens_in: 10_035, least: 777, most: 777 },
    ],
    [
      "the rest of the cache last",
      messageStart(cached) +
        text +
        messageEnd({ cache_read_input_tokens: 10_000, output_tokens: 777 }),
      { tokens_in: 10_035, least: 777, most: 777 },
    ],
  ]
  const check = async (
    source: { fake: FakeOpenAI | FakeAnthropic; body: string; model: string },
    paths: readonly string[],
    expected: (typeof chatStreams)[number][2],
  ) => {
    const ends = ["provider", "client"] as const
    for (const [path, by] of paths.flatMap((path) => ends.map((by) => [path, by] as const))) {
      const { tokens_in = 0, tokens_out = 0 } = (await recordOf(source, path, by)) ?? {}
      // A provider that fails before it reports anything is not taken to have read the prompt.
      const isEstimate = by === "provider" ? tokens_in === 0 : tokens_in > 5 && tokens_in < 60
      const counted = expected.tokens_in === null && isEstimate ? null : tokens_in
      expect([path, by, counted]).toEqual([path, by, expected.tokens_in])
      expect(tokens_out).toBeGreaterThanOrEqual(expected.least)
      expect(tokens_out).toBeLessThanOrEqual(expected.most)
    }
  }

  it.each(chatStreams)("of a chat model counts it all after %s", async (_what, body, expected) => {
    const paths = ["/v1/chat/completions", "/v1/messages"]
    await check({ fake: openai, body, model: "gpt-fake" }, paths, expected)
  })

  it.each(claudeStreams)("of Claude counts it all after %s", async (_what, body, expected) => {
    const paths = ["/v1/chat/completions", "/v1/messages", "/v1/responses"]
    await check({ fake: anthropic, body, model: "claude-fake" }, paths, expected)
  })
})
