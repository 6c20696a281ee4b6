import { toServiceTier } from "../completions/request/upstream-request.ts"
import { objectOf } from "../formats/json-values.ts"
import { spliceMembers } from "../http/json-members.ts"
import { countElements } from "../http/json-object.ts"
import { findKey, outputKeysOf, readMaxTokens } from "../limits/admission/output-members.ts"
import {
  countPrompts,
  type RequestSize,
  readChoices,
  toMaxTokens,
  toMaxTokensIn,
} from "../limits/admission/request-size.ts"
import { outputFieldOf } from "../providers/openai-parameters.ts"
import type { NativeRequest } from "./native-request.ts"

/** Members that limit the tokens of an answer, by operation; others have no output. */
const outputFieldsByOperation: Record<string, readonly string[]> = {
  "chat/completions": ["max_tokens", "max_completion_tokens"],
  completions: ["max_tokens"],
  messages: ["max_tokens"],
  responses: ["max_output_tokens"],
}
/** Ollama's own operations have `num_predict` in their options. */
const operationsWithOptions = ["chat", "generate"]

const keyOf = ({ fields }: NativeRequest, name: string): string => findKey(fields, name) ?? name

/** Reads members of a request by their names. */
const memberReader =
  (request: NativeRequest) =>
  (name: string): unknown =>
    request.fields[keyOf(request, name)]

const optionsOf = (request: NativeRequest) => objectOf(memberReader(request)("options"))

interface NativeUse {
  operation: string
  /** The only member that limits chat completions; undefined if the server knows both. */
  outputField: string | undefined
}

const onlyFieldOf = ({ operation, outputField }: NativeUse): string | undefined =>
  operation === "chat/completions" ? outputField : undefined

const maxTokensOutOf = (request: NativeRequest, use: NativeUse): number | null => {
  const { operation } = use
  if (operationsWithOptions.includes(operation)) return toMaxTokens(optionsOf(request).num_predict)
  const names = outputFieldsByOperation[operation]
  if (!names) return 0
  const onlyField = onlyFieldOf(use)
  return readMaxTokens(onlyField ? [onlyField] : names, memberReader(request))
}

/** How much of a model's limits a request may take. */
export const measureNative = (request: NativeRequest, use: NativeUse): RequestSize => {
  const elements = ["messages", "input"].map(
    (name) => countElements(request, keyOf(request, name))?.elements ?? 0,
  )
  const read = memberReader(request)
  return {
    maxTokensIn: toMaxTokensIn({
      bytes: request.bytes.length,
      messages: elements.reduce((sum, count) => sum + count, 1),
    }),
    maxTokensOut: maxTokensOutOf(request, use),
    choices: countPrompts(request, keyOf(request, "prompt")) * readChoices(read),
    serviceTier: toServiceTier(read("service_tier")),
  }
}

interface NativeChanges extends NativeUse {
  /** The connection's own name for the model. */
  model: string
  /** Null if the request's own maximum holds. */
  outputLimit: number | null
}

/** Members that limit the answer, as JSON by their keys. */
const outputMembers = (
  request: NativeRequest,
  changes: NativeChanges,
  outputLimit: number,
): (readonly [key: string, json: string])[] => {
  const { operation, model } = changes
  if (operationsWithOptions.includes(operation)) {
    const options = { ...optionsOf(request), num_predict: outputLimit }
    return [[keyOf(request, "options"), JSON.stringify(options)]]
  }
  const names = outputFieldsByOperation[operation] ?? []
  const find = (name: string) => {
    const key = findKey(request.fields, name)
    return key === undefined ? null : { key, value: request.fields[key] }
  }
  const onlyField = onlyFieldOf(changes)
  const field = onlyField ?? outputFieldOf(names, model)
  const keys = outputKeysOf(names, find, { field, isOnly: onlyField !== undefined })
  return keys.map((key) => [key, `${outputLimit}`])
}

/** The body for one connection. */
export const toNativeBody = (request: NativeRequest, changes: NativeChanges): Buffer => {
  const { model, outputLimit } = changes
  const changed = new Map<string, string>()
  if (model !== request.model) changed.set(request.modelKey, JSON.stringify(model))
  if (outputLimit !== null)
    for (const [key, json] of outputMembers(request, changes, outputLimit)) changed.set(key, json)
  return changed.size === 0 ? request.bytes : spliceMembers(request.bytes, request.members, changed)
}
