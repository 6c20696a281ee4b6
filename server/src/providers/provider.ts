import type { AnswerReports } from "../formats/answer-reports.ts"
import type { ReportDropped } from "../formats/canonical-request.ts"
import type { Fields } from "../formats/json-values.ts"
import type { TranslatableMessage } from "../i18n/message.ts"

/** What a provider must know of an operation that it is asked for. */
export interface ProviderOperation {
  /** Its path below `/v1`; also its name in usage records and messages. */
  readonly name: string
  /** The API that it belongs to, which also decides on the form of its errors. */
  readonly api: "openai" | "anthropic"
  /** Whether its requests are chat completions, which a `ChatFormat` converts. */
  readonly isChatCompletion: boolean
  /** Whether some servers with its API lack it. */
  readonly isOptional: boolean
}

export const embeddingsProviderOperation = {
  name: "embeddings",
  api: "openai",
  isChatCompletion: false,
  isOptional: false,
} as const satisfies ProviderOperation

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

/** Sends requests to a connection, with its credential. */
export interface ProviderClient {
  /** @returns the parsed JSON of a successful response @throws if there is none */
  ask(request: { method: string; path: string; json?: unknown }): Promise<unknown>
}

/** The environment variables that configure connections; of each list, the first one set counts. */
export interface ProviderVariables {
  /** Each contains addresses, separated by `;`. */
  urls: readonly [string, ...string[]]
  /** Each contains the keys of these addresses, in the same order. */
  keys: readonly string[]
  /** When the default address is used if none is set. */
  usesDefaultUrl: "always" | "with a key"
}

/** A service of this kind. */
export interface ProviderPreset {
  name: string
  base_url: string
  is_local: boolean
}

/** What differs between kinds of providers. */
export interface Provider {
  /** Its name on pages. */
  label: TranslatableMessage
  /** Its API in error messages, after "did not respond like". */
  apiLabel: TranslatableMessage
  connection_type: "local" | "external"
  defaultUrl: string
  /** Addresses to choose from on pages. */
  presets: readonly ProviderPreset[]
  /** A sentence for someone whose base URL has no model list. */
  baseUrlHint: TranslatableMessage
  variables: ProviderVariables
  /** The API whose operations it has. */
  api: ProviderOperation["api"]
  /** The path of an operation, relative to the connection's base URL. */
  operationPath(operation: ProviderOperation): string
  credentialHeaders(key: string): Record<string, string>
  /** @param known the models found last time, so that details are requested for new ones only */
  listModels(client: ProviderClient, known: readonly ProviderModel[]): Promise<ProviderModel[]>
  /** Names of the models held in memory; null if the provider does not report them. */
  listLoaded: ((client: ProviderClient) => Promise<string[]>) | null
  /**
   * The only member of a chat completion that limits its answer; omitted if the provider knows both
   * of OpenAI's.
   */
  outputField?: string
  /** Null if the provider accepts OpenAI's chat completions. */
  chatFormat: ChatFormat | null
  /**
   * Changes a chat completion request that the gateway wrote, for servers that expect another.
   * Parameters that the server would reject are left out and reported.
   */
  adaptChatRequest?(request: Fields, baseUrl: string, reportDropped: ReportDropped): Fields
}

/**
 * Converts OpenAI's chat completions to and from a provider's own format. Whole responses are JSON
 * objects; streams are server-sent events or newline-delimited JSON, as their content type says. An
 * exception ends the request; the message of a `MalformedResponse` becomes part of its error.
 */
export interface ChatFormat {
  /**
   * Leaves out parameters without which the answer is still what was asked for, and reports them.
   * @param request a canonical prompt
   * @throws {Failure} `unsupported_by_model` for content that the provider does not accept
   */
  encodeRequest(request: Fields, model: ProviderModel, reportDropped: ReportDropped): Fields
  /** @returns a chat completion; see `createCompletionFormatter` */
  decodeResponse(response: Fields, model: ProviderModel, reports: AnswerReports): Fields
  /** @returns converts each event to any number of chunks; null ends the stream */
  createStreamDecoder(
    model: ProviderModel,
    reports: AnswerReports,
  ): (event: Fields) => readonly (Fields | null)[]
  /** @returns OpenAI's `error` object; null if the body is not an error of this format */
  decodeError(body: Fields): Fields | null
}

/** Whether providers of this kind have an operation, in their own format or OpenAI's. */
export const servesOperation = (
  { api, chatFormat }: Pick<Provider, "api" | "chatFormat">,
  operation: ProviderOperation,
): boolean => operation.api === api || (operation.isChatCompletion && chatFormat !== null)

export const bearerHeaders = (key: string): Record<string, string> =>
  key ? { authorization: `Bearer ${key}` } : {}
