export interface Row {
  what: string
  figures: Record<string, string>
  /** Limits for this row, and whether they are met. */
  marks: Mark[]
}

export interface Mark {
  text: string
  kept: boolean
}

/** Quantile of times in ms; `share` is from 0 to 1. */
export const quantile = (times: readonly number[], share: number): number => {
  const sorted = times.toSorted((a, z) => a - z)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

export const milliseconds = (time: number): string => `${time.toFixed(time < 10 ? 2 : 1)} ms`

export const quantiles = (times: readonly number[]): Record<string, string> => ({
  p50: milliseconds(quantile(times, 0.5)),
  p95: milliseconds(quantile(times, 0.95)),
  p99: milliseconds(quantile(times, 0.99)),
})

export const atMost = (what: string, found: number, limit: number, unit: string): Mark => ({
  text: `${what} ${found.toFixed(2)} ${unit} (at most ${Number(limit.toFixed(2))} ${unit})`,
  kept: found <= limit,
})

export const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(0)} MB`

/** Measures each round in ms, after up to five warm-up rounds. */
export const timed = (rounds: number, work: (round: number) => void): number[] => {
  for (let round = 0; round < Math.min(5, rounds); round++) work(round)
  return Array.from({ length: rounds }, (_, round) => {
    const start = performance.now()
    work(round)
    return performance.now() - start
  })
}

export const show = (rows: readonly Row[], say: (text: string) => void): boolean => {
  for (const { what, figures, marks } of rows) {
    const reported = Object.entries(figures).map((one) => one.join(" "))
    say(`      ${what}: ${reported.join(", ")}`)
    for (const { text, kept } of marks) say(`${kept ? "pass" : "FAIL"}  ${what}: ${text}`)
  }
  return rows.every(({ marks }) => marks.every(({ kept }) => kept))
}
