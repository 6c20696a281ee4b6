import type { Client } from "../outbound/client.ts"

export type Kind = "ollama" | "openai"

/** The OpenAI-style operations that are relayed. */
export type Operation = "chat/completions" | "completions" | "embeddings" | "responses"

/** A model as its provider describes it. */
export interface ProviderModel {
  /** The provider's own name for the model. */
  name: string
  /** Epoch seconds; 0 if unknown. */
  created: number
  owned_by: string
  capabilities: Record<string, boolean>
  context_length: number | null
  /** Changes with the model's content; null if unknown. */
  digest: string | null
  /** The provider's own list entry, unchanged. */
  listing: unknown
}

export interface Asking {
  client: Client
  headers: Record<string, string>
  signal: AbortSignal
}

/** What differs between kinds of providers. All of them accept OpenAI-style completion requests. */
export interface Provider {
  kind: Kind
  connection_type: "local" | "external"
  /** The path of an operation, relative to the connection's base URL. */
  pathOf(operation: Operation): string
  credentialHeaders(key: string): Record<string, string>
  /** @param known the models found last time, so that details are requested for new ones only */
  listModels(asking: Asking, known: readonly ProviderModel[]): Promise<ProviderModel[]>
  /** Names of the models held in memory; null if the provider does not report them. */
  listLoaded(asking: Asking): Promise<string[] | null>
}

export const bearer = (key: string): Record<string, string> =>
  key ? { authorization: `Bearer ${key}` } : {}
