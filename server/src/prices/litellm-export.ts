import { toFemto } from "./decimal.ts"
import { capabilityKeys, formatTokenKey, toLiteLlmProvider, toModelKey } from "./litellm-keys.ts"
import { type TokenPrices, tokenPriceNames } from "./price-schema.ts"
import type { ContextTier, PriceEntry } from "./schema.ts"

type Fields = Record<string, unknown>

const dollarDecimals = 15

/** Digits beyond those of a price, so that an import restores the price of several units. */
const extraDecimals = 6

/** Nano-dollars for several units as dollars for one. */
const dollarsOf = (price: number, units = 1n): number => {
  const femto = toFemto(price) ?? 0n
  const digits = (femto * 10n ** BigInt(extraDecimals) + units / 2n) / units
  return Number(`${digits}e-${dollarDecimals + extraDecimals}`)
}

interface TokenPriceGroup {
  prices: TokenPrices
  above: number | null
  serviceTier: string | null
}

const groupsOf = (entry: PriceEntry): TokenPriceGroup[] => {
  const tierGroups = (tiers: readonly ContextTier[] | undefined, serviceTier: string | null) =>
    (tiers ?? []).map(({ above, ...prices }) => ({ prices, above, serviceTier }))
  const services = Object.entries(entry.service_tiers ?? {}).flatMap(([serviceTier, prices]) => [
    { prices, above: null, serviceTier },
    ...tierGroups(prices.tiers, serviceTier),
  ])
  return [
    { prices: entry, above: null, serviceTier: null },
    ...tierGroups(entry.tiers, null),
    ...services,
  ]
}

const tokenFields = (entry: PriceEntry): Fields => {
  const fields: Fields = {}
  for (const { prices, ...condition } of groupsOf(entry)) {
    for (const name of tokenPriceNames) {
      const price = prices[name]
      const key = price === undefined ? null : formatTokenKey(name, condition)
      if (price !== undefined && key !== null) fields[key] = dollarsOf(price)
    }
  }
  return fields
}

const secondsPerMinute = 60n
const secondsPerHour = 3600n

const unitFields = ({ request, image, audio_minute, gpu_hour }: PriceEntry): Fields => ({
  ...(request !== undefined && { input_cost_per_request: dollarsOf(request) }),
  ...(image !== undefined && { output_cost_per_image: dollarsOf(image) }),
  ...(audio_minute !== undefined && {
    input_cost_per_audio_per_second: dollarsOf(audio_minute, secondsPerMinute),
  }),
  ...(gpu_hour !== undefined && { input_cost_per_second: dollarsOf(gpu_hour, secondsPerHour) }),
})

const modeOf = (entry: PriceEntry): string => {
  if (entry.capabilities?.includes("embeddings")) return "embedding"
  if (entry.input !== undefined || entry.gpu_hour !== undefined) return "chat"
  if (entry.audio_minute !== undefined) return "audio_transcription"
  return entry.image === undefined ? "chat" : "image_generation"
}

const factFields = (entry: PriceEntry): Fields => ({
  max_input_tokens: entry.context_length,
  max_output_tokens: entry.max_output,
  deprecation_date: entry.end_of_life,
  successor_model: entry.successor,
  source: entry.source,
  ...Object.fromEntries(
    (entry.capabilities ?? []).flatMap((name) =>
      name === "embeddings" ? [] : [[capabilityKeys[name], true]],
    ),
  ),
})

/**
 * Writes entries in the format of LiteLLM's `model_prices_and_context_window.json`: those that hold
 * now for all connections, or for a provider's. The format knows neither times nor connections.
 */
export const exportLiteLlm = (entries: readonly PriceEntry[], now: number): Fields => {
  const file: Fields = {}
  const begun = entries.filter(({ from, connection }) => from <= now && connection === undefined)
  // Later entries replace the earlier ones of the same model.
  for (const entry of begun.toSorted((a, b) => a.from - b.from)) {
    const { model, provider } = entry
    file[toModelKey(model, provider)] = {
      ...(provider !== undefined && { litellm_provider: toLiteLlmProvider(provider) }),
      mode: modeOf(entry),
      ...tokenFields(entry),
      ...unitFields(entry),
      ...factFields(entry),
    }
  }
  return file
}
