import { type PlainChatOptions, toPlainChatRequest } from "../formats/canonical-request.ts"
import type { Fields } from "../formats/json-values.ts"
import {
  type ByteEdit,
  endOfNested,
  readMembers,
  skipSpace,
  spliceMembers,
} from "../http/json-members.ts"
import { checkParsableSize } from "../http/json-object.ts"
import type { WorkspaceModel } from "../models/schema.ts"
import { type ModelRequest, requestsUsage } from "./request.ts"

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

/** Applies parameters and prompts of the workspace models. @returns edits inside `messages` */
const applyWorkspace = (
  changes: Map<string, string>,
  request: ModelRequest,
  workspace: readonly WorkspaceModel[],
): ByteEdit[] => {
  const { operation, fields, sourcePrompt } = request
  if (!operation.isChatCompletion) return []
  // Some upstreams ignore the case of keys: a default must not conflict with the caller's own key.
  const reserved = new Set([
    ...callerOnlyFields,
    ...Object.keys(fields).map((key) => key.toLowerCase()),
  ])
  for (const [name, value] of Object.entries(defaultParams(workspace))) {
    if (reserved.has(name.toLowerCase()) || value === undefined || value === null) continue
    changes.set(name, JSON.stringify(value))
  }
  const prompt = [systemPrompts(workspace), sourcePrompt].filter(Boolean).join("\n\n")
  return prompt ? promptEdit(request, prompt) : []
}

/** Whether the gateway requests the usage chunk for its own use and hides it from the client. */
export const hidesUsage = (request: ModelRequest): boolean =>
  request.streamed && request.operation.hasUsageOption && !requestsUsage(request)

/**
 * The request body for one connection. If nothing has to change, the original bytes are returned.
 * @param upstreamModel the connection's name for the model
 */
export const buildUpstreamBody = (
  request: ModelRequest,
  workspace: readonly WorkspaceModel[],
  upstreamModel: string,
): Buffer => {
  const changes = new Map<string, string>()
  if (upstreamModel !== request.model) changes.set("model", JSON.stringify(upstreamModel))
  const hasAdditions = workspace.length > 0 || request.sourcePrompt
  const messageEdits = hasAdditions ? applyWorkspace(changes, request, workspace) : []
  if (hidesUsage(request)) {
    const requestedOptions = request.fields.stream_options
    const options =
      typeof requestedOptions === "object" && requestedOptions !== null ? requestedOptions : {}
    changes.set("stream_options", JSON.stringify({ ...options, include_usage: true }))
  }
  if (changes.size === 0 && messageEdits.length === 0) return request.bytes
  return spliceMembers(request.bytes, request.members, changes, messageEdits)
}

/** The body of `buildUpstreamBody` as parsed JSON. @throws {Failure} `body_too_large` */
export const parseUpstreamBody = (
  request: ModelRequest,
  workspace: readonly WorkspaceModel[],
  upstreamModel: string,
): Fields => {
  checkParsableSize(request.bytes)
  return JSON.parse(buildUpstreamBody(request, workspace, upstreamModel).toString("utf8"))
}

/** Chat completions have no "max". */
const toFunctionEffort = (effort: string): string => (effort === "max" ? "high" : effort)

/**
 * The body of a canonical prompt for a function, which gets only members of chat completions.
 * @throws {Failure} `body_too_large`
 */
export const buildPlainChatBody = (
  request: ModelRequest,
  workspace: readonly WorkspaceModel[],
  model: string,
  options: PlainChatOptions,
): Buffer => {
  const fields = parseUpstreamBody(request, workspace, model)
  return Buffer.from(JSON.stringify(toPlainChatRequest(fields, toFunctionEffort, options)))
}
