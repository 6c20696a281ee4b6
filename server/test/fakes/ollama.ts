import { type Answer, goReply, type Whole } from "./answers.ts"
import { isObject, type JsonObject, objectOf, textOf } from "./json.ts"
import { chat, embed, generate, oldEmbeddings, type Post } from "./ollama-chat.ts"
import {
  defaultModels,
  fail,
  findModel,
  load,
  notFound,
  type OllamaModel,
  ollamaModel,
  ps,
  type Runtime,
  shown,
  tags,
} from "./ollama-models.ts"
import * as compatible from "./ollama-openai.ts"
import { blob, type Change, copy, create, pull, push, remove } from "./ollama-store.ts"
import { type RecordedRequest, startUpstream, type Upstream } from "./upstream.ts"

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

export type FakeOllama = Upstream & {
  /** Base URL for clients, without a path. */
  url: string
  models: OllamaModel[]
  /** The models that /api/ps lists; may be changed directly or with `load`. */
  loaded: Runtime["loaded"]
  /** Loads a model into memory for five minutes. */
  load: (name: string) => void
  blobs: Runtime["blobs"]
  /** The pace of future responses; may be changed at any time. */
  pace: Runtime["pace"]
}

/** Starts a fake Ollama on a free local port. Equal requests get identical bytes. */
export const startFakeOllama = async (options: FakeOllamaOptions = {}): Promise<FakeOllama> => {
  const runtime: Runtime = {
    models:
      options.models?.map((model) => (typeof model === "string" ? ollamaModel(model) : model)) ??
      defaultModels(),
    loaded: [],
    blobs: new Map(),
    version: options.version ?? "0.12.6",
    pace: { chunks: options.chunks, delayMs: options.delayMs ?? 0 },
    dimensions: options.dimensions ?? 64,
    autoLoad: options.autoLoad ?? true,
  }
  const upstream = await startUpstream({
    answer: (request) => route(request, runtime),
    uploads: /^\/api\/blobs\//,
  })
  return Object.assign(upstream, {
    url: upstream.origin,
    models: runtime.models,
    loaded: runtime.loaded,
    load: (name: string) => load(runtime, findModel(runtime.models, name) ?? ollamaModel(name)),
    blobs: runtime.blobs,
    pace: runtime.pace,
  })
}

const route = (request: RecordedRequest, runtime: Runtime): Answer => {
  const { method, path } = request
  if (path.startsWith("/api/blobs/") && /^(HEAD|POST)$/.test(method)) return blob(request, runtime)
  if (path.startsWith("/v1/models/") && method === "GET") {
    return compatible.model(decodeURIComponent(path.slice("/v1/models/".length)), runtime)
  }
  const read = READS[path]
  if (read !== undefined && /^(GET|HEAD)$/.test(method)) return read(runtime)
  const change = CHANGES[`${method} ${path}`]
  if (change !== undefined) return withBody(request, (body) => change(body, runtime))
  const post = POSTS[path]
  if (post !== undefined && method === "POST")
    return withBody(request, (body) => using(path, post, body, runtime))
  const known = read ?? post ?? KNOWN_PATHS.has(path)
  return known ? plain(405, "405 method not allowed") : plain(404, "404 page not found")
}

const withBody = (
  { path, body, json }: RecordedRequest,
  then: (body: JsonObject) => Answer,
): Answer => {
  const refuse = (error: string) => underV1(path, fail(400, error))
  if (body.length === 0) return refuse(path.startsWith("/v1/") ? "EOF" : "missing request body")
  if (isObject(json)) return then(json)
  return refuse(`invalid character '${body.toString().charAt(0)}' looking for beginning of value`)
}

const using = (path: string, post: Post, body: JsonObject, runtime: Runtime): Answer => {
  const name = textOf(body.model) || (path === "/api/show" ? textOf(body.name) : "")
  const needsName = path === "/api/show" || path === "/api/chat" || path === "/v1/chat/completions"
  if (name === "" && needsName) return underV1(path, fail(400, "model is required"))
  const model = findModel(runtime.models, name)
  return model === undefined ? underV1(path, notFound(name)) : post(body, runtime, model)
}

const underV1 = (path: string, refusal: Whole): Whole =>
  path.startsWith("/v1/") ? compatible.wrapped(refusal) : refusal

const plain = (status: number, body: string): Answer => ({
  status,
  headers: { "content-type": "text/plain; charset=utf-8" },
  body,
})

const READS: { [path: string]: (runtime: Runtime) => Answer } = {
  "/": () => plain(200, "Ollama is running"),
  "/api/version": ({ version }) => goReply(200, { version }),
  "/api/tags": (runtime) => goReply(200, tags(runtime)),
  "/api/ps": (runtime) => goReply(200, ps(runtime)),
  "/v1/models": (runtime) => compatible.models(runtime),
}

const POSTS: { [path: string]: Post } = {
  "/api/generate": generate,
  "/api/chat": chat,
  "/api/embed": embed,
  "/api/embeddings": oldEmbeddings,
  "/api/show": (_body, _runtime, model) => goReply(200, objectOf(shown(model))),
  "/v1/chat/completions": compatible.chatCompletion,
  "/v1/completions": compatible.completion,
  "/v1/embeddings": compatible.embeddings,
}

const CHANGES: { [methodAndPath: string]: Change } = {
  "POST /api/pull": pull,
  "POST /api/push": push,
  "POST /api/create": create,
  "POST /api/copy": copy,
  "DELETE /api/delete": remove,
}
const KNOWN_PATHS = new Set(Object.keys(CHANGES).map((key) => key.slice(key.indexOf("/"))))
