import type { TokenPriceName } from "./price-schema.ts"
import type { Capability } from "./schema.ts"

/** The members of LiteLLM's price file that hold a token's price in dollars. */
const tokenKeys = {
  input: "input_cost_per_token",
  cached_input: "cache_read_input_token_cost",
  cache_write: "cache_creation_input_token_cost",
  cache_write_1h: "cache_creation_input_token_cost_above_1hr",
  output: "output_cost_per_token",
  reasoning: "output_cost_per_reasoning_token",
  audio_input: "input_cost_per_audio_token",
  audio_output: "output_cost_per_audio_token",
  image_input: "input_cost_per_image_token",
  image_output: "output_cost_per_image_token",
} as const satisfies Record<TokenPriceName, string>

export const capabilityKeys = {
  vision: "supports_vision",
  tools: "supports_function_calling",
  reasoning: "supports_reasoning",
  audio_input: "supports_audio_input",
  audio_output: "supports_audio_output",
  pdf_input: "supports_pdf_input",
  prompt_caching: "supports_prompt_caching",
  structured_output: "supports_response_schema",
  web_search: "supports_web_search",
} as const satisfies Record<Exclude<Capability, "embeddings">, string>

/** Our names of service tiers, by the suffix of the members with their prices. */
const serviceTierBySuffix: Readonly<Record<string, string>> = {
  priority: "priority",
  flex: "flex",
  batches: "batch",
  ultrafast: "ultrafast",
  balanced: "balanced",
}
const suffixByServiceTier = new Map(
  Object.entries(serviceTierBySuffix).map(([suffix, name]) => [name, suffix]),
)

/** What a price applies to; null for all requests. */
export interface PriceCondition {
  /** Number of input tokens. */
  above: number | null
  serviceTier: string | null
}

const nameByKey = new Map<string, TokenPriceName>(
  Object.entries(tokenKeys).map(([name, key]) => [key, name as TokenPriceName]),
)

const tokensPerK = 1000
const suffixPattern = new RegExp(
  `^(.*?)(?:_above_(\\d{1,6})k_tokens)?(?:_(${Object.keys(serviceTierBySuffix).join("|")}))?$`,
)

/** Reads a member such as `input_cost_per_token_above_200k_tokens_priority`. */
export const parseTokenKey = (key: string): ({ name: TokenPriceName } & PriceCondition) | null => {
  const [, base = "", thousands, suffix] = suffixPattern.exec(key) ?? []
  const name = nameByKey.get(base)
  if (name === undefined) return null
  const above = thousands === undefined ? null : Number(thousands) * tokensPerK
  return { name, above, serviceTier: serviceTierBySuffix[suffix ?? ""] ?? null }
}

/** @returns null if the format has no member for the condition */
export const formatTokenKey = (
  name: TokenPriceName,
  { above, serviceTier }: PriceCondition,
): string | null => {
  const suffix = serviceTier === null ? "" : suffixByServiceTier.get(serviceTier)
  if (suffix === undefined || (above !== null && above % tokensPerK !== 0)) return null
  const context = above === null ? "" : `_above_${above / tokensPerK}k_tokens`
  return `${tokenKeys[name]}${context}${suffix === "" ? "" : `_${suffix}`}`
}

/** Our names of providers, where they are not LiteLLM's. */
const providerByLiteLlmName: Readonly<Record<string, string>> = {
  gemini: "google",
  together_ai: "together",
  fireworks_ai: "fireworks",
}
const liteLlmNameByProvider = new Map(
  Object.entries(providerByLiteLlmName).map(([theirs, ours]) => [ours, theirs]),
)

/** Further names of the same provider; exports do not contain them. */
const providerByAlias: Readonly<Record<string, string>> = {
  cohere_chat: "cohere",
  "text-completion-openai": "openai",
  "fireworks_ai-embedding-models": "fireworks",
}

export const toProvider = (name: string): string =>
  providerByAlias[name] ?? providerByLiteLlmName[name] ?? name

export const toLiteLlmProvider = (provider: string): string =>
  liteLlmNameByProvider.get(provider) ?? provider

/** Providers whose models LiteLLM lists by their names alone. */
const hasBareNames = (provider: string): boolean => ["openai", "anthropic"].includes(provider)

/** The key under which the file lists a model: `gpt-5`, `mistral/mistral-large-latest`. */
export const toModelKey = (model: string, provider: string | undefined): string => {
  if (provider === undefined) return model
  const prefix = `${toLiteLlmProvider(provider)}/`
  return hasBareNames(provider) && !model.startsWith(prefix) ? model : prefix + model
}

/** @param provider as the file names it */
export const fromModelKey = (key: string, provider: string | undefined): string =>
  provider !== undefined && key.startsWith(`${provider}/`) ? key.slice(provider.length + 1) : key
