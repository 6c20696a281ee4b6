import { fail } from "../errors.ts"
import { isObject } from "../formats/json-values.ts"
import type { JsonBody } from "../http/body-buffer.ts"
import { elementsOf, isGiven, type JsonObject, readObject } from "../http/json-object.ts"
import type { Operation } from "../providers/provider.ts"

/** An OpenAI-style request, read once: its bytes, and where its members stand in them. */
export interface ModelRequest extends JsonObject {
  operation: Operation
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

const maxModelId = 300
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
const controlCharacters = /[\u0000-\u001f\u007f]/

const checkModel = (model: unknown): string => {
  if (typeof model !== "string") return wrongType("model", "a string, the id of a model")
  if (model === "") fail("missing_parameter", '"model" is empty; name a model', { param: "model" })
  if (model.length > maxModelId || controlCharacters.test(model)) {
    fail("bad_request", '"model" is no possible model id', { param: "model" })
  }
  return model
}

const checkMessages = (object: JsonObject): void => {
  const messages = elementsOf(object, "messages") ?? wrongType("messages", "an array of messages")
  if (messages.elements === 0) wrongType("messages", "an array with at least one message")
  if (messages.objects < messages.elements) {
    wrongType("messages", "an array of objects, each with a role")
  }
}

/**
 * Reads and checks a body.
 * @throws {Failure} `invalid_json`, `duplicate_parameter`, `missing_parameter` or `bad_request`,
 *   with `param` where one is at fault
 */
export const readRequest = (operation: Operation, body: JsonBody): ModelRequest => {
  const object = readObject(body)
  for (const param of requiredFields[operation]) {
    if (!isGiven(object, param)) {
      fail("missing_parameter", `The required field "${param}" is missing`, { param })
    }
  }
  const { fields } = object
  const model = checkModel(fields.model)
  if (operation === "chat/completions") checkMessages(object)
  const stream = fields.stream ?? false
  if (typeof stream !== "boolean") wrongType("stream", "true or false")
  return { ...object, operation, model, streamed: stream === true }
}

/** Whether the client itself asked for the usage chunk of a stream. */
export const asksForUsage = ({ fields }: ModelRequest): boolean =>
  isObject(fields.stream_options) && fields.stream_options.include_usage === true
