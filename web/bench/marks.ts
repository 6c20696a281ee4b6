export interface Mark {
  what: string
  value: number
  unit: string
  atMost?: number
  atLeast?: number
}

export const passes = ({ value, atMost, atLeast }: Mark): boolean =>
  (atMost === undefined || value <= atMost) && (atLeast === undefined || value >= atLeast)

const shown = (value: number, unit: string): string => {
  const digits = unit === "" && value < 1 ? 4 : 1
  if (Math.abs(value) >= 100 || Number.isInteger(value)) return `${value.toFixed(0)} ${unit}`.trim()
  return `${value.toFixed(digits)}${unit && ` ${unit}`}`
}

const promise = ({ unit, atMost, atLeast }: Mark): string => {
  if (atMost !== undefined) return ` (at most ${shown(atMost, unit)})`
  return atLeast === undefined ? "" : ` (at least ${shown(atLeast, unit)})`
}

const verdict = (mark: Mark): string => {
  if (mark.atMost === undefined && mark.atLeast === undefined) return "    "
  return passes(mark) ? "pass" : "FAIL"
}

/** A table of the measurements, with pass or FAIL for those that have a limit. */
export const formatMarks = (marks: readonly Mark[]): string => {
  const width = Math.max(...marks.map(({ what }) => what.length))
  return marks
    .map((mark) => {
      const value = shown(mark.value, mark.unit)
      return `${verdict(mark)}  ${mark.what.padEnd(width)}  ${value}${promise(mark)}`
    })
    .join("\n")
}
