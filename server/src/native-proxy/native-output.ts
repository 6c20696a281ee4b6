import { objectOf } from "../formats/json-values.ts"
import { spliceMembers } from "../http/json-members.ts"
import { countElements } from "../http/json-object.ts"
import {
  type RequestSize,
  toChoices,
  toMaxTokens,
  toMaxTokensIn,
} from "../limits/admission/request-size.ts"
import { isReasoningModel } from "../providers/openai-parameters.ts"
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

/** Ollama ignores the case of keys. */
const keyOf = ({ fields }: NativeRequest, name: string): string =>
  Object.keys(fields).find((key) => key.toLowerCase() === name) ?? name

const optionsOf = (request: NativeRequest) => objectOf(request.fields[keyOf(request, "options")])

const maxTokensOutOf = (request: NativeRequest, operation: string): number | null => {
  if (operationsWithOptions.includes(operation)) return toMaxTokens(optionsOf(request).num_predict)
  const fields = outputFieldsByOperation[operation]
  if (!fields) return 0
  const given = fields
    .map((name) => toMaxTokens(request.fields[name]))
    .filter((one) => one !== null)
  return given.length === 0 ? null : Math.max(...given)
}

/** How much of a model's limits a request may take. */
export const measureNative = (request: NativeRequest, operation: string): RequestSize => {
  const { bytes, fields } = request
  const elements = ["messages", "input"].map((name) => countElements(request, name)?.elements ?? 0)
  return {
    maxTokensIn: toMaxTokensIn({
      bytes: bytes.length,
      messages: elements.reduce((sum, count) => sum + count, 1),
    }),
    maxTokensOut: maxTokensOutOf(request, operation),
    choices: Math.max(toChoices(fields.n), toChoices(fields.best_of)),
    serviceTier: null,
  }
}

interface NativeChanges {
  operation: string
  /** The connection's own name for the model. */
  model: string
  /** Null if the request's own maximum holds. */
  outputLimit: number | null
}

const outputMember = (
  request: NativeRequest,
  { operation, model }: NativeChanges,
  outputLimit: number,
): [name: string, json: string] => {
  if (operationsWithOptions.includes(operation)) {
    const options = { ...optionsOf(request), num_predict: outputLimit }
    return [keyOf(request, "options"), JSON.stringify(options)]
  }
  const [field = "max_tokens", alternative] = outputFieldsByOperation[operation] ?? []
  const isAlternative = alternative !== undefined && isReasoningModel(model)
  return [isAlternative ? alternative : field, `${outputLimit}`]
}

/** The body for one connection. */
export const toNativeBody = (request: NativeRequest, changes: NativeChanges): Buffer => {
  const { model, outputLimit } = changes
  const changed = new Map<string, string>()
  if (model !== request.model) changed.set(request.modelKey, JSON.stringify(model))
  if (outputLimit !== null) changed.set(...outputMember(request, changes, outputLimit))
  return changed.size === 0 ? request.bytes : spliceMembers(request.bytes, request.members, changed)
}
