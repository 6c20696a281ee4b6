import { type AuthenticatedCredential, isRestrictedKey } from "../http/caller.ts"
import type { ErrorStyle } from "../http/failure-response.ts"
import type { ProviderKind } from "../providers/registry.ts"

/** What a native API path does, as far as access control is concerned. */
export type NativeOperation =
  /** Uses the model that the JSON body names. */
  | { kind: "use"; name: string }
  /** Describes the runtime itself; any runtime can answer. */
  | { kind: "ask" }
  /** Lists models; the result is filtered and merged. */
  | { kind: "list"; list: "tags" | "ps" | "models" }
  /** Describes the model that the path names. */
  | { kind: "look"; model: string }
  /** Changes the runtime, or is unknown; administrators only. */
  | { kind: "change"; name: string }

const modelOperations = new Set([
  "POST /api/generate",
  "POST /api/chat",
  "POST /api/embed",
  "POST /api/embeddings",
  "POST /api/show",
  "POST /v1/chat/completions",
  "POST /v1/completions",
  "POST /v1/embeddings",
  "POST /v1/responses",
  "POST /v1/messages",
])

const listOperations: Record<string, "tags" | "ps" | "models"> = {
  "GET /api/tags": "tags",
  "GET /api/ps": "ps",
  "GET /v1/models": "models",
}

const runtimeOperations = new Set(["GET /", "HEAD /", "GET /api/version", "HEAD /api/version"])
const modelPath = /^\/v1\/models\/(.+)$/

const decodePath = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Only exact matches are open to users, however an upstream may interpret similar paths. */
const classifyOperation = (method: string, path: string): NativeOperation => {
  const operation = `${method} ${path}`
  const name = path.replace(/^\/(api|v1)\//, "")
  const list = listOperations[operation]
  if (list) return { kind: "list", list }
  if (modelOperations.has(operation)) return { kind: "use", name }
  if (runtimeOperations.has(operation)) return { kind: "ask" }
  const model = method === "GET" ? modelPath.exec(path)?.[1] : undefined
  if (model) return { kind: "look", model: decodePath(model) }
  return { kind: "change", name: name.split("/", 1)[0] || "/" }
}

/** A native API that is passed through to connections of one kind. */
export interface NativeApi {
  kind: ProviderKind
  errorStyle: ErrorStyle
  /** What it reaches, in error messages. */
  noun: string
  /** @param path relative to the connection's base URL */
  classify(method: string, path: string): NativeOperation
  /** Whether a key with these limits may not change anything. */
  forbidsChanges(credential: AuthenticatedCredential): boolean
}

/** Ollama's native API. */
export const ollamaApi: NativeApi = {
  kind: "ollama",
  errorStyle: "runtime",
  noun: "model runtime",
  classify: classifyOperation,
  // A limited key could create models under names it may use.
  forbidsChanges: ({ limits }) => limits.allowed_models !== null,
}

/** The OpenAI API, relative to a base URL that already ends in `/v1`. */
export const openaiApi: NativeApi = {
  kind: "openai",
  errorStyle: "openai",
  noun: "OpenAI-style provider",
  classify: (method, path) =>
    path.startsWith("/api/") || path === "/"
      ? { kind: "change", name: path }
      : classifyOperation(method, `/v1${path}`),
  // An unknown path may do anything that the gateway's credential allows, managing keys and
  // accounts included.
  forbidsChanges: isRestrictedKey,
}
