import { type PlainChatOptions, toPlainChatRequest } from "../formats/canonical-request.ts"
import { type Fields, isLargeJson, isObject } from "../formats/json-values.ts"
import {
  type ByteEdit,
  endOfNested,
  readMembers,
  skipSpace,
  spliceMembers,
} from "../http/json-members.ts"
import type { WorkspaceModel } from "../models/schema.ts"
import type { ModelRequest } from "./model-request.ts"

/**
 * Per message. If `role` or `content` comes later, the message does not count as a system message.
 */
const maxMessageMembers = 100
const openBrace = 0x7b
const quote = 0x22

type Member = readonly [name: string, value: unknown]

/** Offset of the text of a leading system message; null if there is none. */
const systemTextOffset = (bytes: Buffer, first: number): number | null => {
  const message = bytes.subarray(first, endOfNested(bytes, first))
  const messageMembers = readMembers(message, maxMessageMembers)
  // The last duplicate wins, as in JSON.parse.
  const role = messageMembers.findLast(({ key }) => key === "role")
  const content = messageMembers.findLast(({ key }) => key === "content")
  if (!role || !content || message[content.valueStart] !== quote) return null
  const roleJson = message.toString("utf8", role.valueStart, role.valueEnd)
  const isSystem = roleJson === '"system"' || roleJson === '"developer"'
  return isSystem ? first + content.valueStart + 1 : null
}

/** Puts a prompt before the caller's own: into its system message, or as a new first message. */
const promptEdit = ({ bytes, members: found }: ModelRequest, prompt: string): ByteEdit[] => {
  const messages = found.find(({ key }) => key === "messages")
  if (!messages) return []
  const first = skipSpace(bytes, messages.valueStart + 1)
  if (bytes[first] !== openBrace) return []
  const text = systemTextOffset(bytes, first)
  const at = text ?? first
  const inserted =
    text === null
      ? `${JSON.stringify({ role: "system", content: prompt })},`
      : JSON.stringify(`${prompt}\n\n`).slice(1, -1)
  return [{ start: at, end: at, text: inserted }]
}

/** `promptEdit` for parsed messages. */
const withPrompt = (messages: unknown, prompt: string): unknown => {
  if (!Array.isArray(messages)) return messages
  const [first, ...rest]: unknown[] = messages
  if (!isObject(first)) return messages
  const { role, content } = first
  const isSystem = role === "system" || role === "developer"
  return isSystem && typeof content === "string"
    ? [{ ...first, content: `${prompt}\n\n${content}` }, ...rest]
    : [{ role: "system", content: prompt }, ...messages]
}

/** A request with what the gateway changes: its members, and a prompt before the caller's own. */
export class ChangedRequest {
  readonly #request: ModelRequest
  readonly #members: readonly Member[]
  readonly #prompt: string

  constructor(request: ModelRequest, members: readonly Member[], prompt: string) {
    this.#request = request
    this.#members = members
    this.#prompt = prompt
  }

  /** Whether parsing or serializing it would hold up other requests. */
  get isLarge(): boolean {
    return this.#request.isLarge || isLargeJson(this.toFields())
  }

  /** The request's own bytes where nothing changes. */
  toBytes(): Buffer {
    const { bytes, members } = this.#request
    const edits = this.#prompt === "" ? [] : promptEdit(this.#request, this.#prompt)
    if (this.#members.length === 0 && edits.length === 0) return bytes
    const texts = new Map<string, string>()
    for (const [name, value] of this.#members) texts.set(name, JSON.stringify(value))
    return spliceMembers(bytes, members, texts, edits)
  }

  /** What `toBytes` contains. @throws {Failure} `body_too_large` */
  toFields(): Fields {
    const fields = this.#request.allFields()
    const added = this.#members.filter(([name]) => !Object.hasOwn(fields, name))
    return {
      ...Object.fromEntries(added),
      ...fields,
      ...Object.fromEntries(this.#members),
      ...(this.#prompt !== "" && { messages: withPrompt(fields.messages, this.#prompt) }),
    }
  }
}

/**
 * The base model's prompt comes first: later instructions, closer to the caller, take precedence.
 */
const systemPrompts = (workspace: readonly WorkspaceModel[]): string =>
  workspace
    .toReversed()
    .map(({ params }) => params.system?.trim())
    .filter(Boolean)
    .join("\n\n")

/** Workspace models cannot set these; they belong to the caller. */
const callerOnlyFields = ["stream", "stream_options"]

/**
 * Parameters of the workspace models. The caller's own take precedence, then the model closest to
 * it.
 */
const defaultParams = (workspace: readonly WorkspaceModel[]): Record<string, unknown> =>
  Object.assign({}, ...workspace.toReversed().map(({ params: { system, ...rest } }) => rest))

const defaultMembers = (
  { operation, fields }: ModelRequest,
  workspace: readonly WorkspaceModel[],
): Member[] => {
  if (workspace.length === 0 || !operation.isChatCompletion) return []
  // Some upstreams ignore the case of keys: a default must not conflict with the caller's own key.
  const reserved = new Set([
    ...callerOnlyFields,
    ...Object.keys(fields).map((key) => key.toLowerCase()),
  ])
  return Object.entries(defaultParams(workspace)).filter(
    ([name, value]) => !reserved.has(name.toLowerCase()) && value !== undefined && value !== null,
  )
}

const addedPrompt = (
  { operation, sourcePrompt }: ModelRequest,
  workspace: readonly WorkspaceModel[],
): string => {
  if (workspace.length === 0 || !operation.isChatCompletion) return sourcePrompt
  return [systemPrompts(workspace), sourcePrompt].filter(Boolean).join("\n\n")
}

/** Applies the parameters and prompts of the workspace models, and the source prompt. */
export const applyWorkspace = (
  request: ModelRequest,
  workspace: readonly WorkspaceModel[],
): ChangedRequest =>
  new ChangedRequest(request, defaultMembers(request, workspace), addedPrompt(request, workspace))

/** Whether the gateway requests the usage chunk for its own use and hides it from the client. */
export const hidesUsage = ({ streamed, operation, fields }: ModelRequest): boolean =>
  streamed &&
  operation.hasUsageOption &&
  !(isObject(fields.stream_options) && fields.stream_options.include_usage === true)

/**
 * The request for one connection.
 * @param upstreamModel the connection's name for the model
 */
export const toUpstreamRequest = (
  request: ModelRequest,
  workspace: readonly WorkspaceModel[],
  upstreamModel: string,
): ChangedRequest => {
  const members = defaultMembers(request, workspace)
  if (upstreamModel !== request.model) members.push(["model", upstreamModel])
  if (hidesUsage(request)) {
    const { stream_options } = request.fields
    const options = isObject(stream_options) ? stream_options : {}
    members.push(["stream_options", { ...options, include_usage: true }])
  }
  return new ChangedRequest(request, members, addedPrompt(request, workspace))
}

/** Chat completions have no "max". */
const toFunctionEffort = (effort: string): string => (effort === "max" ? "high" : effort)

/**
 * The body of a canonical prompt for a function, which gets only members of chat completions.
 * @throws {Failure} `body_too_large`
 */
export const buildPlainChatBody = (request: ChangedRequest, options: PlainChatOptions): Buffer =>
  Buffer.from(JSON.stringify(toPlainChatRequest(request.toFields(), toFunctionEffort, options)))
