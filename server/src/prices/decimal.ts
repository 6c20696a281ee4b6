/** Prices have up to six decimals of a nano-dollar, so a femto-dollar (1e-15 $) is their unit. */
const priceDecimals = 6
export const femtoPerNano = 10n ** BigInt(priceDecimals)

const decimalPattern = /^(\d{1,40})(?:\.(\d{1,40}))?(?:[eE]([+-]?\d{1,3}))?$/

/** A decimal number times 10^shift as a fraction of integers; undefined if it is none, or negative. */
const toFraction = (text: string, shift: number): [bigint, bigint] | undefined => {
  const [, whole, fraction = "", exponent = "0"] = decimalPattern.exec(text) ?? []
  if (whole === undefined) return undefined
  const digits = BigInt(whole + fraction)
  const power = Number(exponent) - fraction.length + shift
  return power >= 0 ? [digits * 10n ** BigInt(power), 1n] : [digits, 10n ** BigInt(-power)]
}

/**
 * Reads a decimal number such as `0.25` or `3.125e-07` and multiplies it by 10^`shift`, exactly.
 * @returns undefined if it is negative or no number, or if the result is no integer
 */
export const parseDecimal = (text: string, shift: number): bigint | undefined => {
  const [dividend, divisor] = toFraction(text, shift) ?? []
  if (dividend === undefined || divisor === undefined) return undefined
  return dividend % divisor === 0n ? dividend / divisor : undefined
}

/** Like `parseDecimal`, but rounds half up to an integer. */
export const roundDecimal = (text: string, shift: number): bigint | undefined => {
  const [dividend, divisor] = toFraction(text, shift) ?? []
  if (dividend === undefined || divisor === undefined) return undefined
  return (dividend * 2n + divisor) / (divisor * 2n)
}

/**
 * A price in femto-dollars. A number stands for its shortest decimal form, the one that JSON shows:
 * 0.1 is a tenth, although no binary number is.
 */
export const toFemto = (price: number): bigint | undefined =>
  parseDecimal(String(price), priceDecimals)

const trimZeros = (digits: string): string => {
  let end = digits.length
  while (digits[end - 1] === "0") end--
  return digits.slice(0, end)
}

/** A number of JSON keeps this many digits, whatever is computed from it. */
const maxDigits = 15

/** Whether a price has at most six decimals, and so few digits that no conversion changes it. */
export const hasExactPrice = (price: number): boolean => {
  const femto = toFemto(price)
  return femto !== undefined && trimZeros(String(femto)).length <= maxDigits
}

/** Writes femto-dollars in nano-dollars, such as `2.5`. */
export const formatNano = (femto: bigint): string => {
  const whole = femto / femtoPerNano
  const fraction = trimZeros(String(femto % femtoPerNano).padStart(priceDecimals, "0"))
  return fraction === "" ? String(whole) : `${whole}.${fraction}`
}

/** A price in nano-dollars as a JSON number. */
export const toPrice = (femto: bigint): number => Number(formatNano(femto))
