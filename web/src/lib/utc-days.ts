export const daySeconds = 86_400

/** The last `count` days in UTC, including today; Unix time. The same until midnight. */
export const lastDays = (count: number): { from: number; to: number } => {
  const to = (Math.floor(Date.now() / 1000 / daySeconds) + 1) * daySeconds
  return { from: to - count * daySeconds, to }
}

/** "2026-01-31", the day in UTC of a Unix time. */
export const formatUtcDay = (seconds: number): string =>
  new Date(seconds * 1000).toISOString().slice(0, 10)
