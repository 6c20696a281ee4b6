import { embedText, encodeBase64 } from "./embeddings.ts"
import { type GeneratedOutput, generateOutput, idOf, type Pace, paceOf } from "./fake-model.ts"
import { isObject, type Json, type JsonObject, listOf, numberOf, objectOf, textOf } from "./json.ts"
import { chatCompletion, usageOf } from "./openai-chat.ts"
import {
  invalidJsonError,
  invalidKeyError,
  invalidTypeError,
  methodNotAllowedError,
  missingModelError,
  missingParameterError,
  modelNotFoundError,
  unknownPathError,
} from "./openai-errors.ts"
import { createResponse } from "./openai-responses.ts"
import {
  eventStreamResponse,
  type FakeResponse,
  formatSseEvent,
  jsonResponse,
  SSE_DONE,
} from "./responses.ts"
import { type FakeUpstream, type RecordedRequest, startFakeUpstream } from "./upstream.ts"

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

export type FakeOpenAI = FakeUpstream & {
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
  const models = (options.models ?? ["gpt-fake", "gpt-reason-fake", "embed-fake"]).map(
    createOpenAIModel,
  )
  const deps: Deps = { models, pace: { chunks, delayMs }, dimensions }
  const respond = (request: RecordedRequest): FakeResponse => {
    const key = (request.headers.authorization ?? "").replace(/^bearer\s+/i, "")
    const reply =
      apiKey === undefined || key === apiKey ? route(request, deps) : invalidKeyError(key)
    const id = idOf("req_", `${request.path}${request.sha256}`)
    return {
      ...reply,
      headers: { ...reply.headers, "x-request-id": id, "openai-processing-ms": "7" },
    }
  }
  const upstream = await startFakeUpstream({ respond })
  return Object.assign(upstream, { url: `${upstream.origin}/v1`, models, pace: deps.pace })
}

/** Creates a model record from an ID; returns a record unchanged. */
export const createOpenAIModel = (model: string | OpenAIModel): OpenAIModel =>
  typeof model === "string"
    ? { id: model, object: "model", created: 1_700_000_000, owned_by: "openai" }
    : model

type Deps = { models: OpenAIModel[]; pace: Pace; dimensions: number }
type ModelHandler = (body: JsonObject, deps: Deps) => FakeResponse

const route = ({ method, path, body, json: parsed }: RecordedRequest, deps: Deps): FakeResponse => {
  if (path === "/v1/models" || path.startsWith("/v1/models/")) {
    return method === "GET"
      ? getModels(path.slice("/v1/models/".length), deps)
      : methodNotAllowedError(method, path)
  }
  const post = POSTS[path]
  if (post === undefined) return unknownPathError(method, path)
  if (method !== "POST") return methodNotAllowedError(method, path)
  if (body.length > 0 && !isObject(parsed)) return invalidJsonError()
  const fields = objectOf(parsed)
  const model = textOf(fields.model)
  if (model === "") return missingModelError()
  return deps.models.some(({ id }) => id === model) ? post(fields, deps) : modelNotFoundError(model)
}

const getModels = (encoded: string, { models }: Deps): FakeResponse => {
  if (encoded === "") return jsonResponse(200, { object: "list", data: models })
  const modelId = decodeURIComponent(encoded)
  const model = models.find(({ id }) => id === modelId)
  return model === undefined ? modelNotFoundError(modelId) : jsonResponse(200, model)
}

const completion: ModelHandler = (body, { pace }) => {
  const prompt = body.prompt
  if (prompt === undefined) return missingParameterError("prompt")
  const { chunks, delayMs } = paceOf(body.metadata, pace)
  const text = textOf(listOf(prompt)[0] ?? prompt)
  const messages = [{ role: "user", text, images: 0 }]
  const limit = numberOf(body.max_tokens)
  const output = generateOutput({
    messages,
    tools: [],
    format: "text",
    isThinking: false,
    maxPieces: limit,
    chunks,
  })
  if (body.stream === true) return eventStreamResponse(completionFrames(body, output), delayMs)
  const choices = [
    { text: output.content.join(""), index: 0, logprobs: null, finish_reason: output.finish },
  ]
  const whole = { ...completionHead(body), choices, usage: usageOf([output]) }
  return { ...jsonResponse(200, whole), startDelayMs: delayMs * output.content.length }
}

const completionHead = (body: JsonObject): JsonObject => ({
  id: idOf("cmpl-", JSON.stringify(body)),
  object: "text_completion",
  created: 1_750_000_000,
  model: textOf(body.model),
})

function* completionFrames(body: JsonObject, output: GeneratedOutput) {
  const head = completionHead(body)
  const wantsUsage = objectOf(body.stream_options).include_usage === true
  const tail: JsonObject = wantsUsage ? { usage: null } : {}
  for (const text of output.content) {
    yield formatSseEvent({
      ...head,
      choices: [{ text, index: 0, logprobs: null, finish_reason: null }],
      ...tail,
    })
  }
  const last = { text: "", index: 0, logprobs: null, finish_reason: output.finish }
  yield formatSseEvent({ ...head, choices: [last], ...tail })
  if (wantsUsage) yield formatSseEvent({ ...head, choices: [], usage: usageOf([output]) })
  yield SSE_DONE
}

const embeddings: ModelHandler = (body, deps) => {
  const input = body.input
  if (input === undefined) return missingParameterError("input")
  const texts = textsOf(input)
  if (texts.length === 0 || texts.includes("")) return invalidTypeError("input", input)
  const dimensions = numberOf(body.dimensions) ?? deps.dimensions
  const data = texts.map((text, index) => {
    const vector = embedText(text, dimensions)
    const embedding = body.encoding_format === "base64" ? encodeBase64(vector) : vector
    return { object: "embedding", index, embedding }
  })
  const tokens = texts.join(" ").split(/\s+/).length
  const usage = { prompt_tokens: tokens, total_tokens: tokens }
  return jsonResponse(200, { object: "list", data, model: textOf(body.model), usage })
}

/** Accepts a text, a list of texts, a list of token IDs, or a list of such lists. */
const textsOf = (input: Json): string[] => {
  if (typeof input === "string") return [input]
  const items = listOf(input)
  if (typeof items[0] === "number") return [items.join(" ")]
  return items.map((item) => (typeof item === "string" ? item : listOf(item).join(" ")))
}

const POSTS: { [path: string]: ModelHandler } = {
  "/v1/chat/completions": (body, { pace }) => chatCompletion(body, pace),
  "/v1/completions": completion,
  "/v1/embeddings": embeddings,
  "/v1/responses": (body, { pace }) => createResponse(body, pace),
}
