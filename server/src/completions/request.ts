import { fail } from "../errors.ts"
import { isObject } from "../formats/json-values.ts"
import type { JsonBody } from "../http/body-buffer.ts"
import { countElements, hasMember, type JsonObject, parseJsonObject } from "../http/json-object.ts"
import type { ApiOperation } from "./operations/operation.ts"

/** A request to a model, parsed once: its bytes and the offsets of its members. */
export interface ModelRequest extends JsonObject {
  operation: ApiOperation
  model: string
  streamed: boolean
  /** The functions through which the request was made, outermost first. */
  callingFunctions?: readonly string[]
  /** Text that the gateway adds to the prompt: the source prompt. */
  sourcePrompt?: string
}

const wrongType = (param: string, expected: string): never =>
  fail("bad_request", `"${param}" must be ${expected}.`, { param })

const maxModelId = 300
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are rejected
const controlCharacters = /[\u0000-\u001f\u007f]/

const checkModel = (model: unknown): string => {
  if (typeof model !== "string") return wrongType("model", "a string, the id of a model")
  if (model === "") fail("missing_parameter", '"model" must not be empty.', { param: "model" })
  if (model.length > maxModelId || controlCharacters.test(model)) {
    fail(
      "bad_request",
      `"model" must have at most ${maxModelId} characters and no control characters.`,
      { param: "model" },
    )
  }
  return model
}

const checkMessages = (object: JsonObject): void => {
  const messages =
    countElements(object, "messages") ?? wrongType("messages", "an array of messages")
  if (messages.elements === 0) wrongType("messages", "an array with at least one message")
  if (messages.objects < messages.elements) {
    wrongType("messages", "an array of objects, each with a role")
  }
}

/**
 * Parses and validates a request body.
 * @throws {Failure} `invalid_json`, `duplicate_parameter`, `missing_parameter` or `bad_request`,
 *   with `param` if a single field is at fault
 */
export const parseModelRequest = (operation: ApiOperation, body: JsonBody): ModelRequest => {
  const object = parseJsonObject(body)
  const { requiredFields } = operation
  for (const param of ["model", ...requiredFields]) {
    if (!hasMember(object, param)) {
      fail("missing_parameter", `Missing required field: "${param}".`, { param })
    }
  }
  const { fields } = object
  const model = checkModel(fields.model)
  if (requiredFields.includes("messages")) checkMessages(object)
  const stream = fields.stream ?? false
  if (typeof stream !== "boolean") wrongType("stream", "true or false")
  return { ...object, operation, model, streamed: stream === true }
}

/** Whether the client itself requested the usage chunk of a stream. */
export const requestsUsage = ({ fields }: ModelRequest): boolean =>
  isObject(fields.stream_options) && fields.stream_options.include_usage === true
