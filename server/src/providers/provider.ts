import type { Client } from "../outbound/client.ts"

export type Kind = "ollama" | "openai"

/** The OpenAI-style operations that are relayed. */
export type Operation = "chat/completions" | "completions" | "embeddings" | "responses"

/** A model as its provider names and describes it. */
export interface ProviderModel {
  /** The provider's own name for it. */
  name: string
  /** Epoch seconds; 0 where unknown. */
  created: number
  owned_by: string
  capabilities: Record<string, boolean>
  context_length: number | null
  /** Changes when the model's content does; null where unknown. */
  digest: string | null
  /** What the provider's native list says of it, as it came. */
  listing: unknown
}

export interface Asking {
  client: Client
  headers: Record<string, string>
  signal: AbortSignal
}

/** What differs between kinds of upstreams; all of them speak the OpenAI format when they chat. */
export interface Provider {
  kind: Kind
  connection_type: "local" | "external"
  /** The path of an operation below the connection's address. */
  pathOf(operation: Operation): string
  credentialHeaders(key: string): Record<string, string>
  /** @param known what was found last time, so that only what is new is looked at closely */
  listModels(asking: Asking, known: readonly ProviderModel[]): Promise<ProviderModel[]>
  /** Names of the models held in memory; null where the provider does not tell. */
  listLoaded(asking: Asking): Promise<string[] | null>
}

export const bearer = (key: string): Record<string, string> =>
  key ? { authorization: `Bearer ${key}` } : {}
