import type { Received } from "./received.ts"
import type { RightReply } from "./reply.ts"

/** Sent in each question and echoed in its answer. */
const nonce = /nonce-[0-9a-z]+/

const dimensions = 8

const json = (value: unknown): RightReply => ({
  form: "json",
  type: "application/json",
  body: Buffer.from(JSON.stringify(value)),
})

const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 }

const completion = (model: string, content: string): RightReply =>
  json({
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1_750_000_000,
    model,
    choices: [
      { index: 0, message: { role: "assistant", content }, finish_reason: "stop", logprobs: null },
    ],
    usage,
  })

const stream = (model: string, content: string): RightReply => {
  const chunk = (choices: unknown[], fields: object = {}): string =>
    `data: ${JSON.stringify({ id: "chatcmpl-1", object: "chat.completion.chunk", created: 1_750_000_000, model, choices, ...fields })}\n\n`
  const delta = (text: string): string =>
    chunk([{ index: 0, delta: { content: text }, finish_reason: null }])
  const half = Math.floor(content.length / 2)
  const events = [
    chunk([{ index: 0, delta: { role: "assistant", content: "" }, finish_reason: null }]),
    delta(content.slice(0, half)),
    delta(content.slice(half)),
    chunk([{ index: 0, delta: {}, finish_reason: "stop" }]),
    chunk([], { usage }),
    "data: [DONE]\n\n",
  ]
  return { form: "events", type: "text/event-stream", body: Buffer.from(events.join("")) }
}

const message = (model: string, content: string): RightReply =>
  json({ model, message: { role: "assistant", content }, done: true })

const lines = (model: string, content: string): RightReply => {
  const line = (fields: object): string =>
    `${JSON.stringify({ model, created_at: "2026-01-01T00:00:00Z", ...fields })}\n`
  const message = { role: "assistant", content }
  const body =
    line({ message, done: false }) +
    line({ message: { role: "assistant", content: "" }, done: true, eval_count: 2 })
  return { form: "lines", type: "application/x-ndjson", body: Buffer.from(body) }
}

const requested = (body: string): Record<string, unknown> => {
  try {
    return Object(JSON.parse(body))
  } catch {
    return {}
  }
}

const vectors = (input: unknown, said: string): RightReply => {
  const embedding = Array.from({ length: dimensions }, (_, at) => (at + 1) / 10)
  const data = listOf(input).map((_, index) => ({ object: "embedding", index, embedding }))
  return json({ object: "list", data, model: said, usage })
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [value])

interface RequestOptions {
  fields: Record<string, unknown>
  model: string
  /** The nonce found in the request. */
  said: string
}

const replyByEnding: readonly [ending: string, reply: (requested: RequestOptions) => RightReply][] =
  [
    [
      "/chat/completions",
      ({ fields, model, said }) =>
        (fields.stream === true ? stream : completion)(model, echo(said)),
    ],
    ["/embeddings", ({ fields, said }) => vectors(fields.input, said)],
    [
      "/api/chat",
      ({ fields, model, said }) => (fields.stream === false ? message : lines)(model, echo(said)),
    ],
    [
      "/api/tags",
      ({ model: name }) =>
        json({ models: [{ name, model: name, modified_at: "2026-01-01T00:00:00Z", digest: "d" }] }),
    ],
    ["/api/show", () => json({ capabilities: ["completion"], model_info: {} })],
    ["/api/ps", () => json({ models: [] })],
    [
      "/rerank",
      ({ fields }) =>
        json({
          results: listOf(fields.documents).map((_, index) => ({ index, relevance_score: 1 })),
        }),
    ],
    ["/tika", ({ said }) => ({ form: "text", type: "text/plain", body: Buffer.from(echo(said)) })],
    ["/convert/file", ({ said }) => json({ document: { md_content: echo(said) } })],
  ]

const echo = (said: string): string => `echo ${said}`

const list = (model: string): RightReply =>
  json({ object: "list", data: [{ id: model, object: "model", created: 1, owned_by: "me" }] })

/** The reply of a working provider with one model; echoes the request's nonce. */
export const rightReply = ({ path, body }: Received, model: string): RightReply => {
  const [said = "nothing"] = nonce.exec(body) ?? []
  const [, reply] = replyByEnding.find(([ending]) => path.endsWith(ending)) ?? []
  return reply?.({ fields: requested(body), model, said }) ?? list(model)
}
