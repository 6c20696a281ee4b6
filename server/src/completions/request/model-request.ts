import { fail } from "../../errors.ts"
import { countJsonBytes, type Fields, isLargeJson } from "../../formats/json-values.ts"
import { isLarge, type JsonBody } from "../../http/body-buffer.ts"
import { type JsonMember, readMembers, removeMember } from "../../http/json-members.ts"
import {
  countElements,
  hasMember,
  type JsonObject,
  parseAllFields,
  parseJsonObject,
} from "../../http/json-object.ts"
import { countPrompts } from "../../limits/admission/request-size.ts"
import type { ApiOperation } from "../operations/operation.ts"

interface RequestProperties {
  operation: ApiOperation
  model: string
  streamed: boolean
  /** Passages of files that the gateway adds to the prompt; "" if there are none. */
  sourcePrompt: string
  /** Maximum tokens of the answer that a limit allows; null if the request's own maximum holds. */
  outputLimit: number | null
}

const empty = Buffer.alloc(0)

const toJsonObject = (fields: Fields, bytes: Buffer): JsonObject => ({
  bytes,
  members: readMembers(bytes),
  fields,
  scanned: null,
})

/**
 * An immutable request to a model. It is parsed once; after a change of its fields, it is serialized
 * when its bytes are first needed.
 */
export class ModelRequest {
  readonly operation: ApiOperation
  readonly model: string
  readonly streamed: boolean
  readonly sourcePrompt: string
  readonly outputLimit: number | null
  /** Those of a large body are parsed on first access, which throws `body_too_large`. */
  readonly fields: Fields
  #serialized: JsonObject | null

  constructor(properties: RequestProperties, fields: Fields, serialized: JsonObject | null) {
    this.operation = properties.operation
    this.model = properties.model
    this.streamed = properties.streamed
    this.sourcePrompt = properties.sourcePrompt
    this.outputLimit = properties.outputLimit
    this.fields = fields
    this.#serialized = serialized
  }

  get bytes(): Buffer {
    return this.#serialize().bytes
  }

  /** Where the members are in the bytes. */
  get members(): readonly JsonMember[] {
    return this.#serialize().members
  }

  /** Whether parsing or serializing the request would hold up others; does not serialize it. */
  get isLarge(): boolean {
    return this.#serialized ? isLarge(this.#serialized.bytes) : isLargeJson(this.fields)
  }

  /** An upper bound of its size; does not serialize it. */
  get maxBytes(): number {
    return this.#serialized?.bytes.length ?? countJsonBytes(this.fields)
  }

  /** The number of elements of an array; 0 if it is none. */
  countElements(name: string): number {
    return countElements(this.#object, name)?.elements ?? 0
  }

  /** Texts to complete at once, in the member of a key. */
  countPrompts(key: string): number {
    return countPrompts(this.#object, key)
  }

  /** False if the text does not occur in the bytes; a request without bytes is not searched. */
  mayContain(text: Buffer): boolean {
    return this.#serialized?.bytes.includes(text) ?? true
  }

  /** Parses a large request as a whole. @throws {Failure} `body_too_large` */
  allFields(): Fields {
    return this.#serialized ? parseAllFields(this.#serialized) : this.fields
  }

  withFields(fields: Fields): ModelRequest {
    return new ModelRequest(this, fields, null)
  }

  /** @throws {Failure} as `parseModelRequest` if the body is not a JSON object */
  withBody(body: JsonBody): ModelRequest {
    const object = parseJsonObject(body)
    return new ModelRequest(this, object.fields, object)
  }

  /** The other members keep their bytes. @throws {Failure} `body_too_large` */
  withoutMember(name: string): ModelRequest {
    const { [name]: _removed, ...fields } = this.allFields()
    if (!this.#serialized) return this.withFields(fields)
    const bytes = removeMember(this.bytes, this.members, name)
    return new ModelRequest(this, fields, toJsonObject(fields, bytes))
  }

  with(changed: Partial<RequestProperties>): ModelRequest {
    return new ModelRequest({ ...this, ...changed }, this.fields, this.#serialized)
  }

  get #object(): Omit<JsonObject, "members"> {
    return this.#serialized ?? { bytes: empty, fields: this.fields, scanned: null }
  }

  #serialize(): JsonObject {
    this.#serialized ??= toJsonObject(this.fields, Buffer.from(JSON.stringify(this.fields)))
    return this.#serialized
  }
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
  const properties = {
    operation,
    model,
    streamed: stream === true,
    sourcePrompt: "",
    outputLimit: null,
  }
  return new ModelRequest(properties, fields, object)
}
