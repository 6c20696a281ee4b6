import { type Answer, eventStream, json, SSE_DONE, sse } from "./answers.ts"
import { isObject, type Json, type JsonObject, listOf, numberOf, objectOf, textOf } from "./json.ts"
import { chatCompletion, usageOf } from "./openai-chat.ts"
import {
  badKey,
  invalid,
  missing,
  noModel,
  notJson,
  unknownModel,
  unknownPath,
  wrongMethod,
} from "./openai-errors.ts"
import { response } from "./openai-responses.ts"
import { idOf, type Pace, paceOf, type Said, say } from "./pretend.ts"
import { type RecordedRequest, startUpstream, type Upstream } from "./upstream.ts"
import { base64Of, vectorOf } from "./vectors.ts"

export type OpenAIModel = {
  id: string
  object: "model"
  created: number
  owned_by: string
  [extra: string]: Json
}

export type FakeOpenAIOptions = {
  /** IDs or records; by default, `gpt-fake`, `gpt-reason-fake`, and `embed-fake`. */
  models?: (string | OpenAIModel)[]
  /** Other keys are rejected with 401; if undefined, any key is accepted. */
  apiKey?: string
  /** Content pieces per response; by default, one per word. `metadata.fake_chunks` overrides it. */
  chunks?: number
  /** Milliseconds between pieces; by default, 0. `metadata.fake_delay_ms` overrides it. */
  delayMs?: number
  /** Dimensions of embeddings; by default, 64. */
  dimensions?: number
}

export type FakeOpenAI = Upstream & {
  /** Base URL for clients, ending in /v1. */
  url: string
  /** The models that GET /v1/models lists; may be changed at any time. */
  models: OpenAIModel[]
  /** The pace of future responses; may be changed at any time. */
  pace: Pace
}

/** Starts a fake OpenAI-style provider on a free local port. Equal requests get identical bytes. */
export const startFakeOpenAI = async (options: FakeOpenAIOptions = {}): Promise<FakeOpenAI> => {
  const { apiKey, chunks, delayMs = 0, dimensions = 64 } = options
  const models = (options.models ?? ["gpt-fake", "gpt-reason-fake", "embed-fake"]).map(openAIModel)
  const deps: Deps = { models, pace: { chunks, delayMs }, dimensions }
  const answer = (request: RecordedRequest): Answer => {
    const key = (request.headers.authorization ?? "").replace(/^bearer\s+/i, "")
    const reply = apiKey === undefined || key === apiKey ? route(request, deps) : badKey(key)
    const id = idOf("req_", `${request.path}${request.sha256}`)
    return {
      ...reply,
      headers: { ...reply.headers, "x-request-id": id, "openai-processing-ms": "7" },
    }
  }
  const upstream = await startUpstream({ answer })
  return Object.assign(upstream, { url: `${upstream.origin}/v1`, models, pace: deps.pace })
}

/** Creates a model record from an ID; returns a record unchanged. */
export const openAIModel = (model: string | OpenAIModel): OpenAIModel =>
  typeof model === "string"
    ? { id: model, object: "model", created: 1_700_000_000, owned_by: "openai" }
    : model

type Deps = { models: OpenAIModel[]; pace: Pace; dimensions: number }
type Post = (body: JsonObject, deps: Deps) => Answer

const route = ({ method, path, body, json: parsed }: RecordedRequest, deps: Deps): Answer => {
  if (path === "/v1/models" || path.startsWith("/v1/models/")) {
    return method === "GET"
      ? listed(path.slice("/v1/models/".length), deps)
      : wrongMethod(method, path)
  }
  const post = POSTS[path]
  if (post === undefined) return unknownPath(method, path)
  if (method !== "POST") return wrongMethod(method, path)
  if (body.length > 0 && !isObject(parsed)) return notJson()
  const fields = objectOf(parsed)
  const model = textOf(fields.model)
  if (model === "") return noModel()
  return deps.models.some(({ id }) => id === model) ? post(fields, deps) : unknownModel(model)
}

const listed = (encoded: string, { models }: Deps): Answer => {
  if (encoded === "") return json(200, { object: "list", data: models })
  const wanted = decodeURIComponent(encoded)
  const model = models.find(({ id }) => id === wanted)
  return model === undefined ? unknownModel(wanted) : json(200, model)
}

const completion: Post = (body, { pace }) => {
  const prompt = body.prompt
  if (prompt === undefined) return missing("prompt")
  const { chunks, delayMs } = paceOf(body.metadata, pace)
  const text = textOf(listOf(prompt)[0] ?? prompt)
  const turns = [{ role: "user", text, images: 0 }]
  const limit = numberOf(body.max_tokens)
  const said = say({ turns, tools: [], format: "text", thinks: false, limit, chunks })
  if (body.stream === true) return eventStream(completionFrames(body, said), delayMs)
  const choices = [
    { text: said.content.join(""), index: 0, logprobs: null, finish_reason: said.finish },
  ]
  const whole = { ...completionHead(body), choices, usage: usageOf([said]) }
  return { ...json(200, whole), afterMs: delayMs * said.content.length }
}

const completionHead = (body: JsonObject): JsonObject => ({
  id: idOf("cmpl-", JSON.stringify(body)),
  object: "text_completion",
  created: 1_750_000_000,
  model: textOf(body.model),
})

function* completionFrames(body: JsonObject, said: Said) {
  const head = completionHead(body)
  const asksUsage = objectOf(body.stream_options).include_usage === true
  const tail: JsonObject = asksUsage ? { usage: null } : {}
  for (const text of said.content) {
    yield sse({
      ...head,
      choices: [{ text, index: 0, logprobs: null, finish_reason: null }],
      ...tail,
    })
  }
  const last = { text: "", index: 0, logprobs: null, finish_reason: said.finish }
  yield sse({ ...head, choices: [last], ...tail })
  if (asksUsage) yield sse({ ...head, choices: [], usage: usageOf([said]) })
  yield SSE_DONE
}

const embeddings: Post = (body, deps) => {
  const input = body.input
  if (input === undefined) return missing("input")
  const texts = textsOf(input)
  if (texts.length === 0 || texts.includes("")) return invalid("input", input)
  const dimensions = numberOf(body.dimensions) ?? deps.dimensions
  const data = texts.map((text, index) => {
    const vector = vectorOf(text, dimensions)
    const embedding = body.encoding_format === "base64" ? base64Of(vector) : vector
    return { object: "embedding", index, embedding }
  })
  const tokens = texts.join(" ").split(/\s+/).length
  const usage = { prompt_tokens: tokens, total_tokens: tokens }
  return json(200, { object: "list", data, model: textOf(body.model), usage })
}

/** Accepts a text, a list of texts, a list of token IDs, or a list of such lists. */
const textsOf = (input: Json): string[] => {
  if (typeof input === "string") return [input]
  const items = listOf(input)
  if (typeof items[0] === "number") return [items.join(" ")]
  return items.map((item) => (typeof item === "string" ? item : listOf(item).join(" ")))
}

const POSTS: { [path: string]: Post } = {
  "/v1/chat/completions": (body, { pace }) => chatCompletion(body, pace),
  "/v1/completions": completion,
  "/v1/embeddings": embeddings,
  "/v1/responses": (body, { pace }) => response(body, pace),
}
