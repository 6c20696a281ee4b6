import { isObject, type Json, type JsonObject, objectOf, textOf } from "./json.ts"
import {
  createOllamaModel,
  findModel,
  fullName,
  modelNotFound,
  type OllamaState,
  ollamaError,
  unloadModel,
} from "./ollama-models.ts"
import { type FakeResponse, goJsonResponse, ndjsonResponse } from "./responses.ts"
import type { RecordedRequest } from "./upstream.ts"

export type StoreHandler = (body: JsonObject, runtime: OllamaState) => FakeResponse

const EMPTY_RESPONSE: FakeResponse = { status: 200, headers: {}, body: "" }
const modelNameOf = (body: JsonObject): string => textOf(body.model) || textOf(body.name)

/** POST /api/pull: downloads one layer in four steps. Names that contain "missing" fail. */
export const pullModel: StoreHandler = (body, runtime) => {
  const name = modelNameOf(body)
  if (name === "") return ollamaError(400, "invalid model name")
  return progressResponse(body, runtime, pullSteps(name, runtime))
}

/** POST /api/push */
export const pushModel: StoreHandler = (body, runtime) => {
  const name = modelNameOf(body)
  if (name === "") return ollamaError(400, "model is required")
  return progressResponse(body, runtime, pushSteps(name, runtime))
}

/** POST /api/create, from another model or from uploaded blobs. */
export const createModel: StoreHandler = (body, runtime) => {
  const name = modelNameOf(body)
  if (name === "") return ollamaError(400, "invalid model name")
  const files = Object.values(objectOf(body.files)).map(textOf)
  if (textOf(body.from) === "" && files.length === 0) {
    return ollamaError(400, "neither 'from' or 'files' was specified")
  }
  const absent = files.find((digest) => !runtime.blobs.has(digest))
  if (absent !== undefined) return ollamaError(400, `open ${absent}: no such file or directory`)
  return progressResponse(body, runtime, createSteps(body, runtime))
}

/** POST /api/copy */
export const copyModel: StoreHandler = (body, { models }) => {
  const source = findModel(models, textOf(body.source))
  if (source === undefined) return ollamaError(404, `model "${textOf(body.source)}" not found`)
  const name = fullName(textOf(body.destination))
  models.push({ ...source, name, model: name })
  return EMPTY_RESPONSE
}

/** DELETE /api/delete */
export const deleteModel: StoreHandler = (body, runtime) => {
  const model = findModel(runtime.models, modelNameOf(body))
  if (model === undefined) return modelNotFound(modelNameOf(body))
  runtime.models.splice(runtime.models.indexOf(model), 1)
  unloadModel(runtime, model)
  return EMPTY_RESPONSE
}

/** HEAD and POST /api/blobs/{digest} */
export const receiveBlob = (
  { method, path, sha256, bytes }: RecordedRequest,
  { blobs }: OllamaState,
): FakeResponse => {
  const digest = decodeURIComponent(path.slice("/api/blobs/".length))
  if (!/^sha256[:-][0-9a-f]{64}$/.test(digest)) return ollamaError(400, "invalid digest format")
  if (blobs.has(digest)) return EMPTY_RESPONSE
  if (method === "HEAD") return ollamaError(404, `blob "${digest}" not found`)
  const found = `sha256:${sha256}`
  if (found !== digest)
    return ollamaError(400, `digest mismatch, expected "${digest}", got "${found}"`)
  blobs.set(digest, bytes)
  return { ...EMPTY_RESPONSE, status: 201 }
}

const addModel = ({ models }: OllamaState, name: string) => {
  if (findModel(models, name) !== undefined) return
  const traits = /embed|bge/.test(name) ? { capabilities: ["embedding"] } : {}
  models.push(createOllamaModel(name, traits))
}

function* layerSteps(verb: string, name: string): Generator<JsonObject> {
  const { digest, size } = createOllamaModel(name)
  const step = { status: `${verb} ${digest.slice(0, 12)}`, digest: `sha256:${digest}`, total: size }
  yield step
  for (const part of [0.25, 0.5, 1]) yield { ...step, completed: Math.floor(size * part) }
}

function* pullSteps(name: string, runtime: OllamaState): Generator<JsonObject> {
  yield { status: "pulling manifest" }
  if (name.includes("missing")) {
    yield { error: "pull model manifest: file does not exist" }
    return
  }
  yield* layerSteps("pulling", name)
  yield { status: "verifying sha256 digest" }
  yield { status: "writing manifest" }
  addModel(runtime, name)
  yield { status: "success" }
}

function* pushSteps(name: string, { models }: OllamaState): Generator<JsonObject> {
  yield { status: "retrieving manifest" }
  if (findModel(models, name) === undefined) {
    yield { status: "couldn't retrieve manifest" }
    yield { error: `open ${name}: no such file or directory` }
    return
  }
  yield* layerSteps("pushing", name)
  yield { status: "pushing manifest" }
  yield { status: "success" }
}

function* createSteps(body: JsonObject, runtime: OllamaState): Generator<JsonObject> {
  const { digest } = createOllamaModel(textOf(body.from))
  yield { status: `using existing layer sha256:${digest}` }
  yield { status: "writing manifest" }
  addModel(runtime, modelNameOf(body))
  yield { status: "success" }
}

/** Streams all steps; with `stream: false`, sends only the last, and an error has status 500. */
const progressResponse = (
  body: JsonObject,
  { pace }: OllamaState,
  steps: Iterable<Json>,
): FakeResponse => {
  if (body.stream !== false) return ndjsonResponse(steps, pace.delayMs)
  const last = [...steps].at(-1)
  const failed = isObject(last) && last.error !== undefined
  return goJsonResponse(failed ? 500 : 200, last ?? {})
}
