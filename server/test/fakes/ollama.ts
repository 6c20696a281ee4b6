import { isObject, type JsonObject, objectOf, textOf } from "./json.ts"
import { chat, embed, generate, legacyEmbeddings, type ModelHandler } from "./ollama-chat.ts"
import {
  copyModel,
  createModel,
  deleteModel,
  pullModel,
  pushModel,
  receiveBlob,
  type StoreHandler,
} from "./ollama-model-management.ts"
import {
  createOllamaModel,
  defaultModels,
  describeModel,
  findModel,
  listLoadedModels,
  listModels,
  loadModel,
  modelNotFound,
  type OllamaModel,
  type OllamaState,
  ollamaError,
} from "./ollama-models.ts"
import * as compatible from "./ollama-openai.ts"
import { type FakeResponse, type FullResponse, goJsonResponse } from "./responses.ts"
import { type FakeUpstream, type RecordedRequest, startFakeUpstream } from "./upstream.ts"

export type FakeOllamaOptions = {
  /** Names or records; by default, llama3.2, qwen3:4b, llava:7b, and nomic-embed-text. */
  models?: (string | OllamaModel)[]
  version?: string
  /** Content pieces per response; by default, one per word. `options.fake_chunks` overrides it. */
  chunks?: number
  /**
   * Milliseconds between pieces; by default, 0. `options.fake_delay_ms` overrides it (under /v1,
   * `metadata.fake_delay_ms`).
   */
  delayMs?: number
  /** Dimensions of embeddings; by default, 64. */
  dimensions?: number
  /** Whether /api/ps lists a model after its first use; by default, true. */
  autoLoad?: boolean
}

export type FakeOllama = FakeUpstream & {
  /** Base URL for clients, without a path. */
  url: string
  models: OllamaModel[]
  /** The models that /api/ps lists; may be changed directly or with `load`. */
  loaded: OllamaState["loaded"]
  /** Loads a model into memory for five minutes. */
  load: (name: string) => void
  blobs: OllamaState["blobs"]
  /** The pace of future responses; may be changed at any time. */
  pace: OllamaState["pace"]
}

/** Starts a fake Ollama on a free local port. Equal requests get identical bytes. */
export const startFakeOllama = async (options: FakeOllamaOptions = {}): Promise<FakeOllama> => {
  const runtime: OllamaState = {
    models:
      options.models?.map((model) =>
        typeof model === "string" ? createOllamaModel(model) : model,
      ) ?? defaultModels(),
    loaded: [],
    blobs: new Map(),
    version: options.version ?? "0.12.6",
    pace: { chunks: options.chunks, delayMs: options.delayMs ?? 0 },
    dimensions: options.dimensions ?? 64,
    autoLoad: options.autoLoad ?? true,
  }
  const upstream = await startFakeUpstream({
    respond: (request) => route(request, runtime),
    uploads: /^\/api\/blobs\//,
  })
  return Object.assign(upstream, {
    url: upstream.origin,
    models: runtime.models,
    loaded: runtime.loaded,
    load: (name: string) =>
      loadModel(runtime, findModel(runtime.models, name) ?? createOllamaModel(name)),
    blobs: runtime.blobs,
    pace: runtime.pace,
  })
}

const route = (request: RecordedRequest, runtime: OllamaState): FakeResponse => {
  const { method, path } = request
  if (path.startsWith("/api/blobs/") && /^(HEAD|POST)$/.test(method))
    return receiveBlob(request, runtime)
  if (path.startsWith("/v1/models/") && method === "GET") {
    return compatible.getModel(decodeURIComponent(path.slice("/v1/models/".length)), runtime)
  }
  const read = READS[path]
  if (read !== undefined && /^(GET|HEAD)$/.test(method)) return read(runtime)
  const change = CHANGES[`${method} ${path}`]
  if (change !== undefined) return parseBody(request, (body) => change(body, runtime))
  const post = POSTS[path]
  if (post !== undefined && method === "POST")
    return parseBody(request, (body) => callWithModel(path, post, body, runtime))
  const known = read ?? post ?? KNOWN_PATHS.has(path)
  return known ? plainText(405, "405 method not allowed") : plainText(404, "404 page not found")
}

const parseBody = (
  { path, body, json }: RecordedRequest,
  handle: (body: JsonObject) => FakeResponse,
): FakeResponse => {
  const reject = (error: string) => formatError(path, ollamaError(400, error))
  if (body.length === 0) return reject(path.startsWith("/v1/") ? "EOF" : "missing request body")
  if (isObject(json)) return handle(json)
  return reject(`invalid character '${body.toString().charAt(0)}' looking for beginning of value`)
}

const callWithModel = (
  path: string,
  post: ModelHandler,
  body: JsonObject,
  runtime: OllamaState,
): FakeResponse => {
  const name = textOf(body.model) || (path === "/api/show" ? textOf(body.name) : "")
  const needsName = path === "/api/show" || path === "/api/chat" || path === "/v1/chat/completions"
  if (name === "" && needsName) return formatError(path, ollamaError(400, "model is required"))
  const model = findModel(runtime.models, name)
  return model === undefined ? formatError(path, modelNotFound(name)) : post(body, runtime, model)
}

const formatError = (path: string, refusal: FullResponse): FullResponse =>
  path.startsWith("/v1/") ? compatible.toOpenAIError(refusal) : refusal

const plainText = (status: number, body: string): FakeResponse => ({
  status,
  headers: { "content-type": "text/plain; charset=utf-8" },
  body,
})

const READS: { [path: string]: (runtime: OllamaState) => FakeResponse } = {
  "/": () => plainText(200, "Ollama is running"),
  "/api/version": ({ version }) => goJsonResponse(200, { version }),
  "/api/tags": (runtime) => goJsonResponse(200, listModels(runtime)),
  "/api/ps": (runtime) => goJsonResponse(200, listLoadedModels(runtime)),
  "/v1/models": (runtime) => compatible.listModels(runtime),
}

const POSTS: { [path: string]: ModelHandler } = {
  "/api/generate": generate,
  "/api/chat": chat,
  "/api/embed": embed,
  "/api/embeddings": legacyEmbeddings,
  "/api/show": (_body, _runtime, model) => goJsonResponse(200, objectOf(describeModel(model))),
  "/v1/chat/completions": compatible.chatCompletion,
  "/v1/completions": compatible.completion,
  "/v1/embeddings": compatible.embeddings,
}

const CHANGES: { [methodAndPath: string]: StoreHandler } = {
  "POST /api/pull": pullModel,
  "POST /api/push": pushModel,
  "POST /api/create": createModel,
  "POST /api/copy": copyModel,
  "DELETE /api/delete": deleteModel,
}
const KNOWN_PATHS = new Set(Object.keys(CHANGES).map((key) => key.slice(key.indexOf("/"))))
