export interface Measurement {
  label: string
  value: number
  unit: string
  max?: number
  min?: number
}

export const isWithinLimits = ({ value, max, min }: Measurement): boolean =>
  (max === undefined || value <= max) && (min === undefined || value >= min)

const formatValue = (value: number, unit: string): string => {
  const digits = unit === "" && value < 1 ? 4 : 1
  if (Math.abs(value) >= 100 || Number.isInteger(value)) return `${value.toFixed(0)} ${unit}`.trim()
  return `${value.toFixed(digits)}${unit && ` ${unit}`}`
}

const formatLimit = ({ unit, max, min }: Measurement): string => {
  if (max !== undefined) return ` (at most ${formatValue(max, unit)})`
  return min === undefined ? "" : ` (at least ${formatValue(min, unit)})`
}

const verdict = (mark: Measurement): string => {
  if (mark.max === undefined && mark.min === undefined) return "    "
  return isWithinLimits(mark) ? "pass" : "FAIL"
}

/** A table of the measurements, with pass or FAIL for those that have a limit. */
export const formatMeasurements = (marks: readonly Measurement[]): string => {
  const width = Math.max(...marks.map(({ label }) => label.length))
  return marks
    .map((mark) => {
      const value = formatValue(mark.value, mark.unit)
      return `${verdict(mark)}  ${mark.label.padEnd(width)}  ${value}${formatLimit(mark)}`
    })
    .join("\n")
}
