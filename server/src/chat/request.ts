import { fail } from "../errors.ts"
import { parseJson } from "../http/body.ts"
import { type Member, members, refuseTwins } from "../http/members.ts"
import type { Operation } from "../providers/provider.ts"

/** An OpenAI-style request, read once: its bytes, and where its members stand in them. */
export interface ModelRequest {
  operation: Operation
  bytes: Buffer
  members: readonly Member[]
  fields: Record<string, unknown>
  model: string
  streamed: boolean
  /** The functions that asked for it, the outermost first. */
  above?: readonly string[]
  /** What the gateway adds to the prompt: passages of files. */
  context?: string
}

const requiredFields: Record<Operation, readonly string[]> = {
  "chat/completions": ["model", "messages"],
  completions: ["model"],
  embeddings: ["model", "input"],
  responses: ["model"],
}

const wrongType = (param: string, right: string): never =>
  fail("bad_request", `"${param}" must be ${right}`, { param })

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const longestModelId = 300
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
const controlCharacters = /[\u0000-\u001f\u007f]/

const checkModel = (model: unknown): string => {
  if (typeof model !== "string") return wrongType("model", "a string, the id of a model")
  if (model === "") fail("missing_parameter", '"model" is empty; name a model', { param: "model" })
  if (model.length > longestModelId || controlCharacters.test(model)) {
    fail("bad_request", '"model" is no possible model id', { param: "model" })
  }
  return model
}

const checkMessages = (messages: unknown): void => {
  if (!Array.isArray(messages)) wrongType("messages", "an array of messages")
  else if (messages.length === 0) wrongType("messages", "an array with at least one message")
  else if (!messages.every(isObject)) wrongType("messages", "an array of objects, each with a role")
}

const optional = (fields: Record<string, unknown>, name: string) => fields[name] ?? undefined

/**
 * Reads and checks a body.
 * @throws {Failure} `invalid_json`, `duplicate_parameter`, `missing_parameter` or `bad_request`,
 *   with `param` where one is at fault
 */
export const readRequest = (operation: Operation, bytes: Buffer): ModelRequest => {
  const fields = parseJson(bytes)
  if (!isObject(fields)) return fail("invalid_json", "The body must be a JSON object")
  const found = members(bytes)
  refuseTwins(found)
  for (const param of requiredFields[operation]) {
    if (optional(fields, param) === undefined) {
      fail("missing_parameter", `The required field "${param}" is missing`, { param })
    }
  }
  const model = checkModel(fields.model)
  if (operation === "chat/completions") checkMessages(fields.messages)
  const stream = optional(fields, "stream")
  if (stream !== undefined && typeof stream !== "boolean") wrongType("stream", "true or false")
  return { operation, bytes, members: found, fields, model, streamed: stream === true }
}

/** Whether the client itself asked for the usage chunk of a stream. */
export const asksForUsage = ({ fields }: ModelRequest): boolean =>
  isObject(fields.stream_options) && fields.stream_options.include_usage === true
