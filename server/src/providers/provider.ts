import type { Client } from "../outbound/client.ts"

export type ProviderKind = "ollama" | "openai"

/** The OpenAI-style operations that are relayed. */
export type CompletionOperation = "chat/completions" | "completions" | "embeddings" | "responses"

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

export interface ListModelsRequest {
  client: Client
  headers: Record<string, string>
  signal: AbortSignal
}

/** What differs between kinds of providers. All of them accept OpenAI-style completion requests. */
export interface Provider {
  kind: ProviderKind
  connection_type: "local" | "external"
  /** The path of an operation, relative to the connection's base URL. */
  operationPath(operation: CompletionOperation): string
  credentialHeaders(key: string): Record<string, string>
  /** @param known the models found last time, so that details are requested for new ones only */
  listModels(request: ListModelsRequest, known: readonly ProviderModel[]): Promise<ProviderModel[]>
  /** Names of the models held in memory; null if the provider does not report them. */
  listLoaded(request: ListModelsRequest): Promise<string[] | null>
}

export const bearerHeaders = (key: string): Record<string, string> =>
  key ? { authorization: `Bearer ${key}` } : {}
