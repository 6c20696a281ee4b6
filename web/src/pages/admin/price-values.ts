import type { TokenPriceName, UnitPriceName } from "../../../../server/src/prices/price-schema.ts"
import type { Capability, PriceChange, PriceView } from "../../../../server/src/prices/schema.ts"
import {
  fromDollars,
  fromDollarsPerMillion,
  toDollars,
  toDollarsPerMillion,
} from "../../lib/format-price.ts"
import { parseScope, scopeOf } from "./price-scope.ts"

/** Those that almost every model has. */
export const commonTokenPrices = [
  "input",
  "output",
  "cached_input",
  "cache_write",
] as const satisfies readonly TokenPriceName[]

export const otherTokenPrices = [
  "cache_write_1h",
  "reasoning",
  "audio_input",
  "audio_output",
  "image_input",
  "image_output",
] as const satisfies readonly TokenPriceName[]

export const unitPrices = [
  "gpu_hour",
  "request",
  "image",
  "audio_minute",
] as const satisfies readonly UnitPriceName[]

const tokenPrices = [...commonTokenPrices, ...otherTokenPrices]

type Numbers = Record<
  TokenPriceName | UnitPriceName | "context_length" | "max_output",
  number | null
>

/** An entry as its form shows it: dollars per million tokens, and dollars per unit. */
export interface PriceValues extends Numbers {
  model: string
  scope: string
  /** The day in UTC on which it begins; empty for now. */
  day: string
  capabilities: readonly Capability[]
  end_of_life: string
  successor: string
  source: string
}

const convert = <Name extends string>(
  names: readonly Name[],
  from: { [Key in Name]?: number | null | undefined },
  change: (price: number) => number,
): Record<Name, number | null> => {
  const converted = names.map((name) => {
    const price = from[name]
    return [name, price === undefined || price === null ? null : change(price)]
  })
  return Object.fromEntries(converted)
}

/** @param entry what the form begins with; undefined if the model has no price yet */
export const toPriceValues = (entry: Partial<PriceView>): PriceValues => ({
  model: entry.model ?? "",
  scope: scopeOf(entry),
  day: "",
  ...convert(tokenPrices, entry, toDollarsPerMillion),
  ...convert(unitPrices, entry, toDollars),
  context_length: entry.context_length ?? null,
  max_output: entry.max_output ?? null,
  capabilities: entry.capabilities ?? [],
  end_of_life: entry.end_of_life ?? "",
  successor: entry.successor ?? "",
  source: entry.source ?? "",
})

const msPerSecond = 1000

interface ChangeOptions {
  /** The entry that the form began with: what the form does not show is kept. */
  base: Partial<PriceView>
  /** When the entry begins, if the form cannot change it. */
  from: number | undefined
}

/** Without what is null or empty. */
const compact = (fields: object): object =>
  Object.fromEntries(
    Object.entries(fields).filter(
      ([, value]) => value !== null && value !== undefined && value !== "",
    ),
  )

export const toPriceChange = (values: PriceValues, { base, from }: ChangeOptions): PriceChange => {
  const { day, scope, capabilities } = values
  const start = day === "" ? undefined : Date.parse(day) / msPerSecond
  return compact({
    ...parseScope(scope),
    from: from ?? start,
    ...convert(tokenPrices, values, fromDollarsPerMillion),
    ...convert(unitPrices, values, fromDollars),
    ...{ tiers: base.tiers, service_tiers: base.service_tiers },
    ...{ context_length: values.context_length, max_output: values.max_output },
    ...{ end_of_life: values.end_of_life, successor: values.successor, source: values.source },
    capabilities: capabilities.length > 0 ? capabilities : null,
  })
}
