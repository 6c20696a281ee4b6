import { type Edit, members, nestedEnd, skipSpace, splice } from "../http/json-members.ts"
import type { WorkspaceModel } from "../models/schema.ts"
import { asksForUsage, type ModelRequest } from "./request.ts"

/**
 * Per message. If `role` or `content` comes later, the message does not count as a system message.
 */
const maxMessageMembers = 100
const openBrace = 0x7b
const quote = 0x22

/** Offset of the text of a leading system message; null if there is none. */
const systemText = (bytes: Buffer, first: number): number | null => {
  const message = bytes.subarray(first, nestedEnd(bytes, first))
  const found = members(message, maxMessageMembers)
  // The last duplicate wins, as in JSON.parse.
  const role = found.findLast(({ key }) => key === "role")
  const content = found.findLast(({ key }) => key === "content")
  if (!role || !content || message[content.valueStart] !== quote) return null
  const named = message.toString("utf8", role.valueStart, role.valueEnd)
  const isSystem = named === '"system"' || named === '"developer"'
  return isSystem ? first + content.valueStart + 1 : null
}

/** Puts a prompt before the caller's own: into its system message, or as a new first message. */
const promptEdit = ({ bytes, members: found }: ModelRequest, prompt: string): Edit[] => {
  const messages = found.find(({ key }) => key === "messages")
  if (!messages) return []
  const first = skipSpace(bytes, messages.valueStart + 1)
  if (bytes[first] !== openBrace) return []
  const text = systemText(bytes, first)
  const at = text ?? first
  const put =
    text === null
      ? `${JSON.stringify({ role: "system", content: prompt })},`
      : JSON.stringify(`${prompt}\n\n`).slice(1, -1)
  return [{ start: at, end: at, text: put }]
}

/**
 * The base model's prompt comes first: later instructions, closer to the caller, take precedence.
 */
const sections = (workspace: readonly WorkspaceModel[]): string =>
  workspace
    .toReversed()
    .map(({ params }) => params.system?.trim())
    .filter(Boolean)
    .join("\n\n")

/** Workspace models cannot set these; they belong to the caller. */
const callersOwn = ["stream", "stream_options"]

/**
 * Parameters of the workspace models. The caller's own take precedence, then the model closest to
 * it.
 */
const defaults = (workspace: readonly WorkspaceModel[]): Record<string, unknown> =>
  Object.assign({}, ...workspace.toReversed().map(({ params: { system, ...rest } }) => rest))

/** Applies parameters and prompts of the workspace models. @returns edits inside `messages` */
const applyWorkspace = (
  changes: Map<string, string>,
  request: ModelRequest,
  workspace: readonly WorkspaceModel[],
): Edit[] => {
  const { operation, fields, context } = request
  if (operation !== "chat/completions") return []
  // Some upstreams ignore the case of keys: a default must not conflict with the caller's own key.
  const fixed = new Set([...callersOwn, ...Object.keys(fields).map((key) => key.toLowerCase())])
  for (const [name, value] of Object.entries(defaults(workspace))) {
    if (fixed.has(name.toLowerCase()) || value === undefined || value === null) continue
    changes.set(name, JSON.stringify(value))
  }
  const prompt = [sections(workspace), context].filter(Boolean).join("\n\n")
  return prompt ? promptEdit(request, prompt) : []
}

const countsWhenAsked = new Set(["chat/completions", "completions"])

/** Whether the gateway requests the usage chunk for its own use and hides it from the client. */
export const hidesUsage = (request: ModelRequest): boolean =>
  request.streamed && countsWhenAsked.has(request.operation) && !asksForUsage(request)

/**
 * The request body for one connection. If nothing has to change, the original bytes are returned.
 * @param upstreamModel the connection's name for the model
 */
export const bodyFor = (
  request: ModelRequest,
  workspace: readonly WorkspaceModel[],
  upstreamModel: string,
): Buffer => {
  const changes = new Map<string, string>()
  if (upstreamModel !== request.model) changes.set("model", JSON.stringify(upstreamModel))
  const brings = workspace.length > 0 || request.context
  const inside = brings ? applyWorkspace(changes, request, workspace) : []
  if (hidesUsage(request)) {
    const own = request.fields.stream_options
    const options = typeof own === "object" && own !== null ? own : {}
    changes.set("stream_options", JSON.stringify({ ...options, include_usage: true }))
  }
  if (changes.size === 0 && inside.length === 0) return request.bytes
  return splice(request.bytes, request.members, changes, inside)
}
