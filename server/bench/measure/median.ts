/** The median; NaN for an empty list. */
export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const low = sorted[Math.floor((sorted.length - 1) / 2)] ?? Number.NaN
  const high = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
  return (low + high) / 2
}
