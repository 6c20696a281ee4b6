import { type Fields, isObject, textOf } from "./json-values.ts"

/** Members of an answer's message that are read, or that only describe the answer. */
const messageMembers = new Set([
  ...["role", "content", "refusal", "tool_calls", "function_call", "name", "id", "type", "index"],
  ...["reasoning", "reasoning_content", "reasoning_text", "annotations", "citations", "images"],
  ...["audio", "sources", "sources_skipped", "search_results", "context", "executed_tools"],
  ...["parsed", "logprobs", "usage", "token_ids", "tool_call_id", "stop_reason", "finish_reason"],
  ...["cache_control", "is_error", "__proto__"],
])
const callMembers = new Set(["index", "id", "type", "function", "cache_control", "__proto__"])
const functionMembers = new Set(["name", "arguments", "parsed_arguments", "__proto__"])

/** Deeper values are no provider's, and cannot be written as JSON without limit. */
const maxDepth = 16

const isShallow = (value: unknown, depth = maxDepth): boolean =>
  typeof value !== "object" ||
  value === null ||
  (depth > 0 && Object.values(value).every((inner) => isShallow(inner, depth - 1)))

const isEmpty = (value: unknown): boolean => {
  if (Array.isArray(value)) return value.length === 0
  if (isObject(value)) return Object.keys(value).length === 0
  return value === null || value === undefined || value === ""
}

/** Null if there are none, as in most deltas of a stream. */
const otherMembers = (fields: Fields, known: ReadonlySet<string>): Fields | null => {
  let others: Fields | null = null
  for (const [name, value] of Object.entries(fields)) {
    if (known.has(name) || isEmpty(value) || !isShallow(value)) continue
    others ??= {}
    others[name] = value
  }
  return others
}

/** What a provider added to a message, or to a delta of one, for itself. */
export const stateOfMessage = (message: Fields): Fields | null =>
  otherMembers(message, messageMembers)

/** The same of a tool call; `function` has the members of its function. */
export const stateOfCall = (call: Fields): Fields | null => {
  const own = otherMembers(call, callMembers)
  const inner = isObject(call.function) ? otherMembers(call.function, functionMembers) : null
  return own || inner ? { ...own, ...(inner && { function: inner }) } : null
}

/** Members whose pieces are put together; others are replaced. */
const textMembers = new Set(["text", "thinking", "summary", "data"])

const isSealed = ({ index, signature, data }: Fields): boolean =>
  typeof index !== "number" && (textOf(signature) !== "" || textOf(data) !== "")

/** Whether an item of a list continues the one before it. */
const continues = (last: unknown, item: unknown): last is Fields =>
  isObject(last) &&
  isObject(item) &&
  item.type !== undefined &&
  last.type === item.type &&
  last.index === item.index &&
  !isSealed(last) &&
  (isEmpty(item.id) || isEmpty(last.id) || item.id === last.id)

const mergeValue = (name: string, earlier: unknown, value: unknown): unknown => {
  if (Array.isArray(earlier) && Array.isArray(value)) {
    for (const item of value) {
      const last = earlier.at(-1)
      if (continues(last, item)) mergeState(last, item)
      else earlier.push(item)
    }
    return earlier
  }
  if (isObject(earlier) && isObject(value)) return mergeState(earlier, value)
  if (textMembers.has(name) && typeof earlier === "string" && typeof value === "string")
    return earlier + value
  return value
}

/** Adds a later piece of a state to an earlier one, which is changed: states arrive in many pieces. */
export const mergeState = (state: Fields, piece: Fields): Fields => {
  for (const [name, value] of Object.entries(piece)) {
    if (isEmpty(value) || name === "__proto__") continue
    state[name] = Object.hasOwn(state, name) ? mergeValue(name, state[name], value) : value
  }
  return state
}
