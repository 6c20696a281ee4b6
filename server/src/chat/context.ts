import { splice } from "../http/members.ts"
import type { WorkspaceModel } from "../models/schema.ts"
import { asksForUsage, type ModelRequest } from "./request.ts"

interface Message {
  role?: unknown
  content?: unknown
}

/** The prompt before the caller's own: in its system message where it has one, else as the first. */
const withPrompt = (messages: readonly Message[], prompt: string): readonly Message[] => {
  const [first, ...rest] = messages
  const own = first?.role === "system" || first?.role === "developer"
  if (own && typeof first.content === "string") {
    return [{ ...first, content: `${prompt}\n\n${first.content}` }, ...rest]
  }
  return [{ role: "system", content: prompt }, ...messages]
}

/** The base's own prompt first, so that what is nearer to the caller has the later word. */
const sections = (workspace: readonly WorkspaceModel[]): string =>
  workspace
    .toReversed()
    .map(({ params }) => params.system?.trim())
    .filter(Boolean)
    .join("\n\n")

/** How the caller is answered is the caller's to say. */
const callersOwn = ["stream", "stream_options"]

/** Parameters of the models named on the way down; the caller's own win, then the nearest. */
const defaults = (workspace: readonly WorkspaceModel[]): Record<string, unknown> =>
  Object.assign({}, ...workspace.toReversed().map(({ params: { system, ...rest } }) => rest))

const applyWorkspace = (
  changes: Map<string, string>,
  { operation, fields, context }: ModelRequest,
  workspace: readonly WorkspaceModel[],
): void => {
  if (operation !== "chat/completions") return
  // Some upstreams ignore the case of keys; a parameter must not come in beside the caller's.
  const fixed = new Set([...callersOwn, ...Object.keys(fields).map((key) => key.toLowerCase())])
  for (const [name, value] of Object.entries(defaults(workspace))) {
    if (fixed.has(name.toLowerCase()) || value === undefined || value === null) continue
    changes.set(name, JSON.stringify(value))
  }
  const prompt = [sections(workspace), context].filter(Boolean).join("\n\n")
  if (prompt && Array.isArray(fields.messages)) {
    changes.set("messages", JSON.stringify(withPrompt(fields.messages, prompt)))
  }
}

const countsWhenAsked = new Set(["chat/completions", "completions"])

/** Whether the usage chunk is asked for on the gateway's own behalf, and hidden from the client. */
export const hidesUsage = (request: ModelRequest): boolean =>
  request.streamed && countsWhenAsked.has(request.operation) && !asksForUsage(request)

/**
 * The body for one connection. Bytes that need no change are sent on as they came.
 * @param upstreamModel the connection's own name for the model
 */
export const bodyFor = (
  request: ModelRequest,
  workspace: readonly WorkspaceModel[],
  upstreamModel: string,
): Buffer => {
  const changes = new Map<string, string>()
  if (upstreamModel !== request.model) changes.set("model", JSON.stringify(upstreamModel))
  if (workspace.length > 0 || request.context) applyWorkspace(changes, request, workspace)
  if (hidesUsage(request)) {
    const own = request.fields.stream_options
    const options = typeof own === "object" && own !== null ? own : {}
    changes.set("stream_options", JSON.stringify({ ...options, include_usage: true }))
  }
  return changes.size === 0 ? request.bytes : splice(request.bytes, request.members, changes)
}
