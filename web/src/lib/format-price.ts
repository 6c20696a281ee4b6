import type { UnitPriceName } from "../../../server/src/prices/price-schema.ts"
import { type MessageKey, t } from "../i18n/translate.ts"
import { formatDollars } from "./format.ts"
import { shiftDecimal } from "./shift-decimal.ts"

/** From nano-dollars per token to dollars per million of them. */
const tokenPlaces = -3
/** From nano-dollars to dollars. */
const unitPlaces = -9

export const toDollarsPerMillion = (price: number): number => shiftDecimal(price, tokenPlaces)
export const fromDollarsPerMillion = (price: number): number => shiftDecimal(price, -tokenPlaces)
export const toDollars = (price: number): number => shiftDecimal(price, unitPlaces)
export const fromDollars = (price: number): number => shiftDecimal(price, -unitPlaces)

/** Of a price per token, what a million of them cost: "$2.50". */
export const formatTokenPrice = (price: number): string => formatDollars(toDollarsPerMillion(price))

const unitTexts: Record<UnitPriceName, MessageKey> = {
  request: "prices.perRequest",
  image: "prices.perImage",
  audio_minute: "prices.perMinute",
  gpu_hour: "prices.perHour",
}

type UnitPrices = { [Name in UnitPriceName]?: number | undefined }

/** "$2.50 per hour", for each unit that has a price. */
export const describeUnitPrices = (prices: UnitPrices): string[] =>
  Object.entries(unitTexts).flatMap(([name, text]) => {
    const price = prices[name as UnitPriceName]
    return price === undefined ? [] : [t(text, { price: formatDollars(toDollars(price)) })]
  })

interface DescribedPrice extends UnitPrices {
  input?: number | undefined
  output?: number | undefined
}

/** "$2.50 for input and $15.00 for output, per million tokens", and what else is charged. */
export const describePrice = (price: DescribedPrice): string => {
  const { input, output } = price
  const tokens =
    input === undefined || output === undefined
      ? []
      : [
          t("prices.perMillion", {
            input: formatTokenPrice(input),
            output: formatTokenPrice(output),
          }),
        ]
  return [...tokens, ...describeUnitPrices(price)].join(" + ")
}
