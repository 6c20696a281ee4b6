import { type PlainChatOptions, toPlainChatRequest } from "../../formats/canonical-request.ts"
import { type Fields, isLargeJson, isObject, objectOf } from "../../formats/json-values.ts"
import {
  type ByteEdit,
  endOfNested,
  readMembers,
  skipSpace,
  spliceMembers,
} from "../../http/json-members.ts"
import type { WorkspaceModel } from "../../models/schema.ts"
import type { ModelRequest } from "./model-request.ts"
import { outputMembers, type UpstreamModel } from "./output-limit.ts"

/**
 * Per message. If `role` or `content` comes later, the message does not count as a system message.
 */
const maxMessageMembers = 100
const openBrace = 0x7b
const quote = 0x22

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

interface RequestChanges {
  members: (readonly [name: string, value: unknown])[]
  /** Comes before the caller's own. */
  prompt: string
}

/** A request with what the gateway changes in it. */
export class ChangedRequest {
  readonly #request: ModelRequest
  readonly #changes: RequestChanges

  constructor(request: ModelRequest, changes: RequestChanges) {
    this.#request = request
    this.#changes = changes
  }

  /** What `toBytes` contains; null if parsing or serializing it would hold up other requests. */
  smallFields(): Fields | null {
    if (this.#request.isLarge) return null
    const fields = this.toFields()
    return isLargeJson(fields) ? null : fields
  }

  /** The request's own bytes where nothing changes. */
  toBytes(): Buffer {
    const { bytes, members } = this.#request
    const { members: changed, prompt } = this.#changes
    const edits = prompt === "" ? [] : promptEdit(this.#request, prompt)
    if (changed.length === 0 && edits.length === 0) return bytes
    const texts = new Map<string, string>()
    for (const [name, value] of changed) texts.set(name, JSON.stringify(value))
    return spliceMembers(bytes, members, texts, edits)
  }

  /** What `toBytes` contains. @throws {Failure} `body_too_large` */
  toFields(): Fields {
    const fields = this.#request.allFields()
    const { members, prompt } = this.#changes
    const added = members.filter(([name]) => !Object.hasOwn(fields, name))
    return {
      ...Object.fromEntries(added),
      ...fields,
      ...Object.fromEntries(members),
      ...(prompt !== "" && { messages: withPrompt(fields.messages, prompt) }),
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

const planWorkspace = (
  { operation, fields, sourcePrompt }: ModelRequest,
  workspace: readonly WorkspaceModel[],
): RequestChanges => {
  if (workspace.length === 0 || !operation.isChatCompletion)
    return { members: [], prompt: sourcePrompt }
  // Some upstreams ignore the case of keys: a default must not conflict with the caller's own key.
  const reserved = new Set([
    ...callerOnlyFields,
    ...Object.keys(fields).map((key) => key.toLowerCase()),
  ])
  const members = Object.entries(defaultParams(workspace)).filter(
    ([name, value]) => !reserved.has(name.toLowerCase()) && value !== undefined && value !== null,
  )
  const prompt = [systemPrompts(workspace), sourcePrompt].filter(Boolean).join("\n\n")
  return { members, prompt }
}

/** Applies the parameters and prompts of the workspace models, and the source prompt. */
export const applyWorkspace = (
  request: ModelRequest,
  workspace: readonly WorkspaceModel[],
): ChangedRequest => new ChangedRequest(request, planWorkspace(request, workspace))

/** What providers do unless a request names a tier. */
const defaultServiceTiers = new Set([
  ...["auto", "default", "standard"],
  ...["standard_only", "on_demand"], // Anthropic's and Groq's
])
const serviceTierPattern = /^[a-z_]{1,20}$/

/** A request's `service_tier`; null for a provider's default. */
export const toServiceTier = (value: unknown): string | null =>
  typeof value === "string" && serviceTierPattern.test(value) && !defaultServiceTiers.has(value)
    ? value
    : null

/** The service tier that `toUpstreamRequest` asks for; null for the provider's default. */
export const serviceTierOf = (
  { fields, operation }: ModelRequest,
  workspace: readonly WorkspaceModel[],
): string | null => {
  const own = Object.keys(fields).find((key) => key.toLowerCase() === "service_tier")
  if (own !== undefined) return toServiceTier(fields[own])
  return operation.isChatCompletion ? toServiceTier(defaultParams(workspace).service_tier) : null
}

/** Whether the gateway requests the usage chunk for its own use and hides it from the client. */
export const hidesUsage = ({ streamed, operation, fields }: ModelRequest): boolean =>
  streamed &&
  operation.hasUsageOption &&
  !(isObject(fields.stream_options) && fields.stream_options.include_usage === true)

/** The request for one connection. */
export const toUpstreamRequest = (
  request: ModelRequest,
  workspace: readonly WorkspaceModel[],
  upstream: UpstreamModel,
): ChangedRequest => {
  const changes = planWorkspace(request, workspace)
  if (upstream.name !== request.model) changes.members.push(["model", upstream.name])
  changes.members.push(...outputMembers(request, workspace, upstream))
  if (hidesUsage(request)) {
    const { stream_options } = request.fields
    const options = objectOf(stream_options)
    changes.members.push(["stream_options", { ...options, include_usage: true }])
  }
  return new ChangedRequest(request, changes)
}

/** Chat completions have no "max". */
const toFunctionEffort = (effort: string): string => (effort === "max" ? "high" : effort)

/**
 * The body of a canonical prompt for a function, which gets only members of chat completions.
 * @throws {Failure} `body_too_large`
 */
export const buildPlainChatBody = (request: ChangedRequest, options: PlainChatOptions): Buffer =>
  Buffer.from(JSON.stringify(toPlainChatRequest(request.toFields(), toFunctionEffort, options)))
