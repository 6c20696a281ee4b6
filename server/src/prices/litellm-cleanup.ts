import { toFemto, toPrice } from "./decimal.ts"
import { type TokenPriceName, type TokenPrices, tokenPriceNames } from "./price-schema.ts"
import type { ContextTier, NewPriceEntry, ServicePrices } from "./schema.ts"
import sources from "./shipped/sources.json" with { type: "json" }
import { containingKindOf } from "./token-rates.ts"

interface Correction {
  provider: string
  model: string
  /** What the file has wrong; null if it lacks the price. */
  replaces: Readonly<Partial<Record<string, number | null>>>
  set: Partial<NewPriceEntry>
}

const corrections = new Map(
  (sources.overrides as Correction[]).map((one) => [`${one.provider} ${one.model}`, one]),
)

/** Corrects a price that the file has wrong, until the file corrects or changes it. */
const correct = (entry: NewPriceEntry): NewPriceEntry => {
  const found = corrections.get(`${entry.provider} ${entry.model}`)
  if (!found) return entry
  const values: Readonly<Record<string, unknown>> = entry
  const isWrong = Object.entries(found.replaces).every(
    ([name, wrong]) => (values[name] ?? null) === wrong,
  )
  return isWrong ? { ...entry, ...found.set } : entry
}

const withoutService = (
  services: Readonly<Record<string, ServicePrices>>,
  unused: string,
): Record<string, ServicePrices> | undefined => {
  const kept = Object.entries(services).filter(([name]) => name !== unused)
  return kept.length > 0 ? Object.fromEntries(kept) : undefined
}

/** Requests do not use the batch API, and 0 for cache writes only says that they cost nothing extra. */
const removeUnused = (entry: NewPriceEntry): NewPriceEntry => {
  const { service_tiers, cache_write, ...rest } = entry
  const services = service_tiers && withoutService(service_tiers, "batch")
  return {
    ...rest,
    ...(cache_write !== undefined && (cache_write > 0 || entry.input === 0) && { cache_write }),
    ...(services && { service_tiers: services }),
  }
}

/** Rounds up to a price's decimals. */
const scalePrice = (price: number, dividend: number, divisor: number): number => {
  const part = toFemto(divisor) ?? 1n
  return toPrice(((toFemto(price) ?? 0n) * (toFemto(dividend) ?? 0n) + part - 1n) / part)
}

/**
 * Without tiers of its own, a service tier would be charged the price of short inputs. A cheaper
 * tier, such as `flex`, is as much cheaper for long inputs; a dearer one is not offered for them.
 */
const completeService = (service: ServicePrices, entry: NewPriceEntry): ServicePrices => {
  if (!entry.tiers || service.tiers) return service
  const scaleTier = ({ above, ...prices }: ContextTier): ContextTier => {
    const scaled: TokenPrices = {}
    for (const name of tokenPriceNames) {
      const { [name]: price } = prices
      const { [name]: base = 0 } = entry
      const { [name]: own = base } = service
      if (price !== undefined) scaled[name] = own < base ? scalePrice(price, own, base) : price
    }
    return { above, ...scaled }
  }
  return { ...service, tiers: entry.tiers.map(scaleTier) }
}

const mapServices = (
  entry: NewPriceEntry,
  change: (service: ServicePrices) => ServicePrices,
): NewPriceEntry => {
  if (!entry.service_tiers) return entry
  const services = Object.entries(entry.service_tiers)
  return {
    ...entry,
    service_tiers: Object.fromEntries(services.map(([name, service]) => [name, change(service)])),
  }
}

/** What a kind costs without a price of its own. */
const priceOfWhole = (prices: TokenPrices, name: TokenPriceName): number | undefined => {
  const whole = containingKindOf(name)
  return whole === undefined ? undefined : (prices[whole] ?? priceOfWhole(prices, whole))
}

/** @param below what the prices replace, the most general first */
const dropEqualParts = <T extends TokenPrices>(prices: T, ...below: readonly TokenPrices[]): T => {
  const merged: TokenPrices = Object.assign({}, ...below, prices)
  const kept = { ...prices }
  for (const name of tokenPriceNames) {
    const isStatedBelow = below.some((lower) => lower[name] !== undefined)
    const isEqual = kept[name] !== undefined && kept[name] === priceOfWhole(merged, name)
    if (isEqual && !isStatedBelow) delete kept[name]
  }
  return kept
}

const dropFromTiers = (
  { tiers, ...rest }: { tiers?: ContextTier[] | undefined },
  ...below: readonly TokenPrices[]
) => ({
  ...rest,
  ...(tiers && { tiers: tiers.map((tier) => dropEqualParts(tier, ...below)) }),
})

/**
 * A part that costs as much as its whole, such as reasoning, gets no price of its own: a context
 * tier or a service tier that only changes the price of the whole would leave the part behind.
 */
const followWholes = (entry: NewPriceEntry): NewPriceEntry => {
  const base = dropEqualParts(entry)
  const tiered = { ...base, ...dropFromTiers(base, base) }
  const below = [tiered, ...(tiered.tiers ?? [])]
  return mapServices(tiered, (service) => {
    const kept = dropEqualParts(service, ...below)
    return { ...kept, ...dropFromTiers(kept, ...below, kept) }
  })
}

/** LiteLLM names models with its own prefix, such as `gemini/`, and sometimes in prose. */
const cleanSuccessor = (
  { successor, ...entry }: NewPriceEntry,
  liteLlmProvider: string | undefined,
): NewPriceEntry => {
  if (successor === undefined || successor.includes(" ")) return entry
  const prefix = `${liteLlmProvider}/`
  const name = successor.startsWith(prefix) ? successor.slice(prefix.length) : successor
  return { ...entry, ...(name !== "" && { successor: name }) }
}

/**
 * Corrects what LiteLLM's file has wrong or states in other ways, so that all of its prices are
 * charged as the providers charge them.
 */
export const cleanLiteLlmEntry = (
  entry: NewPriceEntry,
  liteLlmProvider: string | undefined,
): NewPriceEntry => {
  const used = followWholes(removeUnused(cleanSuccessor(entry, liteLlmProvider)))
  return correct(mapServices(used, (service) => completeService(service, used)))
}
