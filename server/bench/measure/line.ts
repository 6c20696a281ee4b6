/** One line of the printed table; what a row does not measure stays out. */
export type Line = {
  row: string
  server: string
  /** Requests a second when every connection asks again at once. */
  rate?: number
  /** The load side was busy before this server was: it can do more. */
  loadBound?: boolean
  /** µs of CPU a request, when every connection asks again at once. */
  cpu?: number
  /** That beside nginx's, median over the rounds. */
  ratio?: number
  /** The same at half load, when all servers are asked equally often. */
  cpuHalf?: number
  ratioHalf?: number
  /** ms, at half load; of a whole answer. */
  p50?: number
  p99?: number
  /** ms that the first byte comes later than from the mock itself, 99th percentile. */
  added?: number
  /** ms to the first byte of the body, median. */
  first?: number
  /** MB. */
  rss?: number
}

export type Mark = { what: string; value: number; unit: string; limit: number }

export type Outcome = { lines: Line[]; marks: Mark[]; notes: string[] }

export const passes = ({ value, limit }: Mark) => value <= limit
