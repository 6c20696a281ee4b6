/** One line of the printed table; figures that were not measured are left out. */
export type Line = {
  row: string
  server: string
  /** Requests per second in a closed loop. */
  rate?: number
  /** The load generator saturated first: the server can do more. */
  loadBound?: boolean
  /** CPU per request in µs, in a closed loop. */
  cpu?: number
  /** `cpu` relative to nginx, median over the rounds. */
  ratio?: number
  /** The same at half load, with the same request rate for all servers. */
  cpuHalf?: number
  ratioHalf?: number
  /** Time to the complete response at half load, in ms. */
  p50?: number
  p99?: number
  /** 99th percentile of the time added to the first byte, compared to the mock upstream, in ms. */
  added?: number
  /** Median time to the first byte of the body, in ms. */
  first?: number
  /** MB. */
  rss?: number
}

export type Mark = { what: string; value: number; unit: string; limit: number }

export type Outcome = { lines: Line[]; marks: Mark[]; notes: string[] }

export const passes = ({ value, limit }: Mark) => value <= limit
