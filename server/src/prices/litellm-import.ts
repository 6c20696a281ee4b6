import { setImmediate as yieldToEventLoop } from "node:timers/promises"
import { z } from "zod"
import { capabilities } from "./capabilities.ts"
import { roundDecimal, toPrice } from "./decimal.ts"
import { cleanLiteLlmEntry } from "./litellm-cleanup.ts"
import { capabilityKeys, fromModelKey, parseTokenKey, toProvider } from "./litellm-keys.ts"
import {
  type TokenPrices,
  tokenPriceNames,
  type UnitPrices,
  unitPriceNames,
} from "./price-schema.ts"
import type { SkippedPrice } from "./request-schema.ts"
import {
  type Capability,
  type ContextTier,
  ModelFacts,
  NewPriceEntry,
  type ServicePrices,
} from "./schema.ts"

/** A model of LiteLLM's price file; other people write it, so any member may be anything. */
type Fields = Readonly<Record<string, unknown>>

const Fields = z.record(z.string(), z.unknown())

/** From dollars to femto-dollars. */
const dollarDecimals = 15
/** Digits beyond those of a price, so that times of seconds are rounded only once. */
const extraDecimals = 6
/** In femto-dollars: a second's price in binary numbers is no more exact, times the seconds of an hour. */
const secondGranularity = 1000n

/**
 * Dollars, times a whole number of units, in nano-dollars. More decimals than a price has come from
 * programs that computed in binary numbers, and are rounded.
 */
const priceOf = (value: unknown, units = 1n, granularity = 1n): number | undefined => {
  if (typeof value !== "number" && typeof value !== "string") return undefined
  const digits = roundDecimal(String(value), dollarDecimals + extraDecimals)
  if (digits === undefined) return undefined
  const divisor = 10n ** BigInt(extraDecimals) * granularity
  return toPrice(((digits * units + divisor / 2n) / divisor) * granularity)
}

interface PriceGroup {
  base: TokenPrices
  tiers: Map<number, TokenPrices>
}

interface PriceGroups extends PriceGroup {
  services: Map<string, PriceGroup>
}

const newGroup = (): PriceGroup => ({ base: {}, tiers: new Map() })

const entryOf = <K, V>(map: Map<K, V>, key: K, create: () => V): V => {
  const value = map.get(key) ?? create()
  map.set(key, value)
  return value
}

const groupPrices = (fields: Fields): PriceGroups => {
  const groups: PriceGroups = { ...newGroup(), services: new Map() }
  for (const [key, value] of Object.entries(fields)) {
    const parsed = parseTokenKey(key)
    const price = parsed && priceOf(value)
    if (!parsed || price === undefined || price === null) continue
    const { name, above, serviceTier } = parsed
    const group = serviceTier === null ? groups : entryOf(groups.services, serviceTier, newGroup)
    const tier = above === null ? group.base : entryOf(group.tiers, above, (): TokenPrices => ({}))
    tier[name] = price
  }
  return groups
}

const Range = z.tuple([z.number(), z.number()])

/** Qwen's tiers, a list with the prices of each range. */
const addRanges = (groups: PriceGroups, list: unknown): void => {
  for (const item of Array.isArray(list) ? list : []) {
    const fields = Fields.safeParse(item).data
    const [above] = Range.safeParse(fields?.range).data ?? []
    if (!fields || above === undefined) continue
    const { base } = groupPrices(fields)
    if (above === 0) Object.assign(groups.base, base)
    else groups.tiers.set(Math.floor(above), base)
  }
}

const toTiers = (tiers: ReadonlyMap<number, TokenPrices>): ContextTier[] =>
  [...tiers].map(([above, prices]) => ({ above, ...prices })).sort((a, b) => a.above - b.above)

const hasPositive = (prices: TokenPrices): boolean =>
  tokenPriceNames.some((name) => (prices[name] ?? 0) > 0)

/** A model that charges only for one direction charges nothing for the other. */
const completeBase = (base: TokenPrices): TokenPrices =>
  Object.keys(base).length === 0 ? {} : { input: 0, output: 0, ...base }

const toServices = ({ services }: PriceGroups): Record<string, ServicePrices> =>
  Object.fromEntries(
    [...services].map(([name, { base, tiers }]) => [
      name,
      { ...base, ...(tiers.size > 0 && { tiers: toTiers(tiers) }) },
    ]),
  )

const secondsPerMinute = 60n
const secondsPerHour = 3600n

/**
 * The mode says whether a second is one of audio, or one that the model takes to answer. A price
 * beside that of the tokens of the same audio is an estimate.
 */
const secondPrices = ({ mode, ...fields }: Fields, base: TokenPrices): UnitPrices => {
  const perSecond = fields.input_cost_per_audio_per_second
  const { input_cost_per_second: second } = fields
  const isAudio = mode === "audio_transcription"
  const audio = isAudio ? (second ?? perSecond) : perSecond
  const isEstimate = isAudio && hasPositive(base)
  const isTime = ["chat", "completion", "responses", "embedding"].includes(String(mode))
  return {
    audio_minute: isEstimate ? undefined : priceOf(audio, secondsPerMinute, secondGranularity),
    gpu_hour: isTime ? priceOf(second, secondsPerHour, secondGranularity) : undefined,
  }
}

const unitPrices = (fields: Fields, base: TokenPrices): UnitPrices => {
  const isImage = fields.mode === "image_generation" || fields.mode === "image_edit"
  const image = fields.output_cost_per_image ?? (isImage ? fields.input_cost_per_image : undefined)
  return {
    request: priceOf(fields.input_cost_per_request),
    // Beside a price of an image's tokens, that of an image is an estimate.
    image: base.image_output ? undefined : priceOf(image),
    ...secondPrices(fields, base),
  }
}

const capabilitiesOf = (fields: Fields): Capability[] =>
  capabilities.filter((name) =>
    name === "embeddings" ? fields.mode === "embedding" : fields[capabilityKeys[name]] === true,
  )

/** Facts that are no better than none are left out, such as a source that is no address. */
const factsOf = (fields: Fields): ModelFacts => {
  const known = capabilitiesOf(fields)
  const facts = {
    context_length: fields.max_input_tokens,
    max_output: fields.max_output_tokens,
    capabilities: known.length > 0 ? known : undefined,
    end_of_life: fields.deprecation_date,
    successor: fields.successor_model,
    source: fields.source,
  }
  const shape: Record<string, z.ZodType> = ModelFacts.shape
  const valid = Object.entries(facts).filter(
    ([name, value]) => shape[name]?.safeParse(value).success,
  )
  return ModelFacts.parse(Object.fromEntries(valid))
}

/** Members that are undefined are left out. */
const compact = (fields: object): object =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

const reasonOf = ({ issues: [issue] }: z.ZodError): string =>
  issue === undefined ? "invalid" : `${issue.path.join(".")}: ${issue.message}`

/** Of prices that are all 0, LiteLLM knows none. */
const isUnknown = (entry: NewPriceEntry): boolean => {
  const services = Object.values(entry.service_tiers ?? {})
  const groups = [entry, ...services, ...[entry, ...services].flatMap(({ tiers = [] }) => tiers)]
  const isStated = entry.input !== undefined || unitPriceNames.some((name) => name in entry)
  const isPositive = unitPriceNames.some((name) => (entry[name] ?? 0) > 0)
  return isStated && !isPositive && !groups.some(hasPositive)
}

/** @returns the entry, or why there is none */
const readModel = (key: string, fields: Fields): NewPriceEntry | string => {
  const { litellm_provider, alias_of } = fields
  if (typeof alias_of === "string") return `This is another name of ${alias_of}`
  const named = typeof litellm_provider === "string" ? litellm_provider : undefined
  const groups = groupPrices(fields)
  addRanges(groups, fields.tiered_pricing)
  const services = toServices(groups)
  const prices = {
    ...completeBase(groups.base),
    ...unitPrices(fields, groups.base),
    ...(groups.tiers.size > 0 && { tiers: toTiers(groups.tiers) }),
    ...(Object.keys(services).length > 0 && { service_tiers: services }),
  }
  const stated = compact({ ...prices, ...factsOf(fields) })
  if (Object.keys(stated).length === 0) return "No price or fact that can be imported"
  const provider = named === undefined ? undefined : toProvider(named)
  const parsed = NewPriceEntry.safeParse(
    compact({ model: fromModelKey(key, named), provider, ...stated }),
  )
  if (!parsed.success) return reasonOf(parsed.error)
  const entry = cleanLiteLlmEntry(parsed.data, named)
  return isUnknown(entry) ? "Its prices are all 0, so they are probably unknown" : entry
}

/** A member that documents the others. */
const sampleKey = "sample_spec"

/** About a millisecond of work. */
const modelsPerTurn = 10

/**
 * Reads LiteLLM's `model_prices_and_context_window.json`. What cannot be kept is skipped, with the
 * reason: the file also lists models that are charged by the pixel or the character.
 */
export const importLiteLlm = async (
  file: Fields,
): Promise<{ entries: NewPriceEntry[]; skipped: SkippedPrice[] }> => {
  const entryByKey = new Map<string, NewPriceEntry>()
  const skipped: SkippedPrice[] = []
  for (const [at, [model, value]] of Object.entries(file).entries()) {
    if (at % modelsPerTurn === 0) await yieldToEventLoop()
    if (model === sampleKey) continue
    const fields = Fields.safeParse(value).data
    const entry = fields ? readModel(model, fields) : "This is no object"
    if (typeof entry === "string") {
      skipped.push({ model, reason: entry })
      continue
    }
    const key = JSON.stringify([entry.model, entry.provider])
    if (entryByKey.has(key)) skipped.push({ model, reason: "The model is listed twice" })
    else entryByKey.set(key, entry)
  }
  return { entries: [...entryByKey.values()], skipped }
}
