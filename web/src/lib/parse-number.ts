const decimal = /^[+-]?(?:\d+(?:[.,]\d*)?|[.,]\d+)(?:e[+-]?\d+)?$/i
const whole = /^[+-]?\d+$/

/**
 * A number as people write it: with a point or a comma before the fraction, and without marks
 * between thousands, which would be taken for it.
 * @returns null if the text is not such a number
 */
export const parseNumber = (text: string, isWhole = false): number | null => {
  const written = text.trim()
  if (!(isWhole ? whole : decimal).test(written)) return null
  const value = Number(written.replace(",", "."))
  return Number.isFinite(value) ? value : null
}
