import { z } from "zod"
import { withMessage } from "../http/issue-messages.ts"
import { translatable } from "../i18n/message.ts"
import { hasExactPrice } from "./decimal.ts"

/** In nano-dollars: one dollar per token. */
const maxTokenPrice = 1_000_000_000
/** In nano-dollars: a thousand dollars per request, image, minute or hour. */
const maxUnitPrice = 1_000_000_000_000

const priceUpTo = (max: number) =>
  z
    .number()
    .min(0)
    .max(max)
    .refine(hasExactPrice, withMessage(translatable("price_too_precise")))

const TokenPrice = priceUpTo(maxTokenPrice).optional()
const UnitPrice = priceUpTo(maxUnitPrice).optional()

/**
 * Nano-dollars per token, with up to six decimals; 1,000 is one dollar per million tokens. What is
 * left out costs as much as the kind of token of which it is a part.
 */
export const TokenPrices = z.strictObject({
  input: TokenPrice,
  /** Input read from the provider's cache; part of `input`. */
  cached_input: TokenPrice,
  /** Input written to the provider's cache; part of `input`. */
  cache_write: TokenPrice,
  /** Kept in the cache for an hour; part of `cache_write`. */
  cache_write_1h: TokenPrice,
  output: TokenPrice,
  /** Part of `output`. */
  reasoning: TokenPrice,
  audio_input: TokenPrice,
  audio_output: TokenPrice,
  image_input: TokenPrice,
  image_output: TokenPrice,
})
export type TokenPrices = z.output<typeof TokenPrices>
export type TokenPriceName = keyof TokenPrices

/** Nano-dollars per unit, with up to six decimals, in addition to the tokens. */
export const UnitPrices = z.strictObject({
  /** Per request. */
  request: UnitPrice,
  /** Per generated image. */
  image: UnitPrice,
  /** Per minute of audio input. */
  audio_minute: UnitPrice,
  /** Per hour that the model takes to answer, for models that run on hardware of one's own. */
  gpu_hour: UnitPrice,
})
export type UnitPrices = z.output<typeof UnitPrices>
export type UnitPriceName = keyof UnitPrices

export const tokenPriceNames = TokenPrices.keyof().options
export const unitPriceNames = UnitPrices.keyof().options
