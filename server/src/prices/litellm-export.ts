import { hasPrice } from "./cost.ts"
import { toFemto } from "./decimal.ts"
import {
  capabilityKeys,
  formatTokenKey,
  type PriceCondition,
  toLiteLlmProvider,
  toModelKey,
} from "./litellm-keys.ts"
import { type TokenPrices, tokenPriceNames, unitPriceNames } from "./price-schema.ts"
import { type ContextTier, ModelFacts, PriceEntry } from "./schema.ts"

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

interface TokenPriceGroup extends PriceCondition {
  prices: TokenPrices
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

const placeOf = ({ above, serviceTier }: PriceCondition): string =>
  [
    ...(serviceTier === null ? [] : [serviceTier]),
    ...(above === null ? [] : [`above ${above}`]),
  ].join(" ")

/** The prices of tokens, and what the format has no member for. */
const tokenFields = (entry: PriceEntry): { fields: Fields; omitted: string[] } => {
  const fields: Fields = {}
  const omitted = Object.entries(entry.service_tiers ?? {}).flatMap(([name, prices]) =>
    unitPriceNames.filter((unit) => prices[unit] !== undefined).map((unit) => `${name} ${unit}`),
  )
  for (const { prices, ...condition } of groupsOf(entry)) {
    for (const name of tokenPriceNames) {
      const price = prices[name]
      if (price === undefined) continue
      const key = formatTokenKey(name, condition)
      if (key === null) omitted.push(`${placeOf(condition)} ${name}`)
      else fields[key] = dollarsOf(price)
    }
  }
  return { fields, omitted }
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

const toFields = (entry: PriceEntry): Fields => {
  const { fields, omitted } = tokenFields(entry)
  return {
    ...(entry.provider !== undefined && {
      litellm_provider: toLiteLlmProvider(entry.provider),
    }),
    mode: modeOf(entry),
    ...fields,
    ...unitFields(entry),
    ...factFields(entry),
    ...(omitted.length > 0 && { omitted_prices: omitted }),
  }
}

/** Of each model and provider: what sets its price, with the facts of what holds now. */
const currentEntries = (entries: readonly PriceEntry[], now: number): PriceEntry[] => {
  const begun = entries.filter(({ from, connection }) => from <= now && connection === undefined)
  const groups = Map.groupBy(begun, ({ model, provider }) => JSON.stringify([model, provider]))
  return [...groups.values()].flatMap((group) => {
    const latestFirst = group.toSorted((a, b) => b.from - a.from)
    const [latest] = latestFirst
    const priced = latestFirst.find(hasPrice)
    if (!latest) return []
    return priced === undefined || priced === latest ? latest : withFacts(priced, latest)
  })
}

const withFacts = (priced: PriceEntry, { from: _from, ...facts }: PriceEntry): PriceEntry => {
  const prices = Object.entries(priced).filter(([name]) => !Object.hasOwn(ModelFacts.shape, name))
  return { ...facts, ...PriceEntry.parse(Object.fromEntries(prices)) }
}

/**
 * Writes entries in the format of LiteLLM's `model_prices_and_context_window.json`: those that hold
 * now for all connections, or for a provider's. The format knows neither times nor connections; the
 * member `omitted_prices` names the prices that it cannot state.
 */
export const exportLiteLlm = (entries: readonly PriceEntry[], now: number): Fields => {
  const file: Fields = {}
  // General entries first: they have no other key.
  const current = currentEntries(entries, now).toSorted(
    (a, b) => Number(a.provider !== undefined) - Number(b.provider !== undefined),
  )
  for (const entry of current) {
    const { model, provider } = entry
    const key = toModelKey(model, provider)
    const isTaken = Object.hasOwn(file, key) && provider !== undefined
    file[isTaken ? `${toLiteLlmProvider(provider)}/${model}` : key] = toFields(entry)
  }
  return file
}
