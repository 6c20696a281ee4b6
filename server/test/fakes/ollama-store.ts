import { type Answer, goReply, ndjson } from "./answers.ts"
import { isObject, type Json, type JsonObject, objectOf, textOf } from "./json.ts"
import {
  fail,
  findModel,
  fullName,
  notFound,
  ollamaModel,
  type Runtime,
  unload,
} from "./ollama-models.ts"
import type { RecordedRequest } from "./upstream.ts"

export type Change = (body: JsonObject, runtime: Runtime) => Answer

const EMPTY: Answer = { status: 200, headers: {}, body: "" }
const nameIn = (body: JsonObject): string => textOf(body.model) || textOf(body.name)

/** POST /api/pull: downloads one layer in four steps. Names that contain "missing" fail. */
export const pull: Change = (body, runtime) => {
  const name = nameIn(body)
  if (name === "") return fail(400, "invalid model name")
  return progress(body, runtime, pullSteps(name, runtime))
}

/** POST /api/push */
export const push: Change = (body, runtime) => {
  const name = nameIn(body)
  if (name === "") return fail(400, "model is required")
  return progress(body, runtime, pushSteps(name, runtime))
}

/** POST /api/create, from another model or from uploaded blobs. */
export const create: Change = (body, runtime) => {
  const name = nameIn(body)
  if (name === "") return fail(400, "invalid model name")
  const files = Object.values(objectOf(body.files)).map(textOf)
  if (textOf(body.from) === "" && files.length === 0) {
    return fail(400, "neither 'from' or 'files' was specified")
  }
  const absent = files.find((digest) => !runtime.blobs.has(digest))
  if (absent !== undefined) return fail(400, `open ${absent}: no such file or directory`)
  return progress(body, runtime, createSteps(body, runtime))
}

/** POST /api/copy */
export const copy: Change = (body, { models }) => {
  const source = findModel(models, textOf(body.source))
  if (source === undefined) return fail(404, `model "${textOf(body.source)}" not found`)
  const name = fullName(textOf(body.destination))
  models.push({ ...source, name, model: name })
  return EMPTY
}

/** DELETE /api/delete */
export const remove: Change = (body, runtime) => {
  const model = findModel(runtime.models, nameIn(body))
  if (model === undefined) return notFound(nameIn(body))
  runtime.models.splice(runtime.models.indexOf(model), 1)
  unload(runtime, model)
  return EMPTY
}

/** HEAD and POST /api/blobs/{digest} */
export const blob = (
  { method, path, sha256, bytes }: RecordedRequest,
  { blobs }: Runtime,
): Answer => {
  const digest = decodeURIComponent(path.slice("/api/blobs/".length))
  if (!/^sha256[:-][0-9a-f]{64}$/.test(digest)) return fail(400, "invalid digest format")
  if (blobs.has(digest)) return EMPTY
  if (method === "HEAD") return fail(404, `blob "${digest}" not found`)
  const found = `sha256:${sha256}`
  if (found !== digest) return fail(400, `digest mismatch, expected "${digest}", got "${found}"`)
  blobs.set(digest, bytes)
  return { ...EMPTY, status: 201 }
}

const add = ({ models }: Runtime, name: string) => {
  if (findModel(models, name) !== undefined) return
  const traits = /embed|bge/.test(name) ? { capabilities: ["embedding"] } : {}
  models.push(ollamaModel(name, traits))
}

function* layer(verb: string, name: string): Generator<JsonObject> {
  const { digest, size } = ollamaModel(name)
  const step = { status: `${verb} ${digest.slice(0, 12)}`, digest: `sha256:${digest}`, total: size }
  yield step
  for (const part of [0.25, 0.5, 1]) yield { ...step, completed: Math.floor(size * part) }
}

function* pullSteps(name: string, runtime: Runtime): Generator<JsonObject> {
  yield { status: "pulling manifest" }
  if (name.includes("missing")) {
    yield { error: "pull model manifest: file does not exist" }
    return
  }
  yield* layer("pulling", name)
  yield { status: "verifying sha256 digest" }
  yield { status: "writing manifest" }
  add(runtime, name)
  yield { status: "success" }
}

function* pushSteps(name: string, { models }: Runtime): Generator<JsonObject> {
  yield { status: "retrieving manifest" }
  if (findModel(models, name) === undefined) {
    yield { status: "couldn't retrieve manifest" }
    yield { error: `open ${name}: no such file or directory` }
    return
  }
  yield* layer("pushing", name)
  yield { status: "pushing manifest" }
  yield { status: "success" }
}

function* createSteps(body: JsonObject, runtime: Runtime): Generator<JsonObject> {
  const { digest } = ollamaModel(textOf(body.from))
  yield { status: `using existing layer sha256:${digest}` }
  yield { status: "writing manifest" }
  add(runtime, nameIn(body))
  yield { status: "success" }
}

/** Streams all steps; with `stream: false`, sends only the last, and an error has status 500. */
const progress = (body: JsonObject, { pace }: Runtime, steps: Iterable<Json>): Answer => {
  if (body.stream !== false) return ndjson(steps, pace.delayMs)
  const last = [...steps].at(-1)
  const failed = isObject(last) && last.error !== undefined
  return goReply(failed ? 500 : 200, last ?? {})
}
