/** Prices have up to six decimals of a nano-dollar, so a femto-dollar (1e-15 $) is their unit. */
export const priceDecimals = 6
export const femtoPerNano = 10n ** BigInt(priceDecimals)

const decimalPattern = /^(\d{1,40})(?:\.(\d{1,40}))?(?:[eE]([+-]?\d{1,3}))?$/

/**
 * Reads a decimal number such as `0.25` or `3.125e-07` and multiplies it by 10^`shift`, exactly.
 * @returns undefined if it is negative or no number, or if digits other than 0 would remain behind
 *   the point
 */
export const parseDecimal = (text: string, shift: number): bigint | undefined => {
  const [, whole, fraction = "", exponent = "0"] = decimalPattern.exec(text) ?? []
  if (whole === undefined) return undefined
  const digits = BigInt(whole + fraction)
  const power = Number(exponent) - fraction.length + shift
  if (power >= 0) return digits * 10n ** BigInt(power)
  const divisor = 10n ** BigInt(-power)
  return digits % divisor === 0n ? digits / divisor : undefined
}

/**
 * A price in femto-dollars. A number stands for its shortest decimal form, the one that JSON shows:
 * 0.1 is a tenth, although no binary number is.
 */
export const toFemto = (price: number): bigint | undefined =>
  parseDecimal(String(price), priceDecimals)

export const hasExactPrice = (price: number): boolean => toFemto(price) !== undefined

/** Writes femto-dollars in nano-dollars, such as `2.5`. */
export const formatNano = (femto: bigint): string => {
  const whole = femto / femtoPerNano
  const fraction = String(femto % femtoPerNano)
    .padStart(priceDecimals, "0")
    .replace(/0+$/, "")
  return fraction === "" ? String(whole) : `${whole}.${fraction}`
}

/** A price in nano-dollars as a JSON number. */
export const toPrice = (femto: bigint): number => Number(formatNano(femto))
