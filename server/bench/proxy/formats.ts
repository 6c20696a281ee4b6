import type { Mark, Outcome } from "../measure/line.ts"
import { median } from "../measure/median.ts"
import type { Bench, Server, Shape } from "./bench.ts"
import type { Result } from "./job.ts"
import type { Options } from "./options.ts"

const common = { stream: true, promptBytes: 200, connections: 64 }
const warmSeconds = 5

interface Format {
  row: string
  shape: Shape
  /** Maximum CPU relative to a stream of chat completions that passes unchanged. */
  limit?: number
  /** Whether every checkout that may be compared has this pair. */
  isOld?: boolean
}

const passThrough: Format = {
  row: "chat → chat",
  shape: { ...common, model: "bench-stream" },
  isOld: true,
}
const others: readonly Format[] = [
  {
    row: "messages → messages",
    shape: { ...common, api: "messages", model: "bench-claude" },
  },
  {
    row: "responses → responses",
    shape: { ...common, api: "responses", model: "bench-stream" },
    isOld: true,
  },
  {
    row: "messages → chat",
    shape: { ...common, api: "messages", model: "bench-stream" },
    limit: 2.5,
  },
  {
    row: "chat → messages",
    shape: { ...common, model: "bench-claude" },
    isOld: true,
  },
  {
    row: "responses → messages",
    shape: { ...common, api: "responses", model: "bench-claude" },
  },
]

interface Measured extends Format {
  server: Server
  results: Result[]
}

const cpuOf = ({ results }: Measured): number => median(results.map(({ cpu }) => cpu))

/** Median over the rounds of the CPU of two measurements in the same round. */
const ratioOf = ({ results }: Measured, reference: Measured): number =>
  median(results.map(({ cpu }, round) => cpu / (reference.results[round]?.cpu ?? Number.NaN)))

/**
 * Measures streams of 50 chunks in each pair of formats, in turn, at full load. Other checkouts are
 * measured in the pairs that they have.
 */
export const measureFormats = async (
  bench: Bench,
  { servers, options }: { servers: readonly Server[]; options: Options },
): Promise<Outcome> => {
  const [gateway, ...rest] = servers
  if (!gateway) throw new Error("no gateway among the servers")
  const compared = rest.slice(0, options.compared.length)
  const own = [passThrough, ...others].map(
    (format): Measured => ({ ...format, server: gateway, results: [] }),
  )
  const [base] = own
  if (!base) throw new Error("nothing to measure")
  const old = compared.flatMap((server) =>
    own.filter(({ isOld }) => isOld).map((format) => ({ ...format, server, results: [] })),
  )
  const all: Measured[] = [...own, ...old]
  const measure = ({ server, shape }: Measured, seconds: number) =>
    bench.load(server, shape, { mode: "closed", rate: 0, seconds })
  for (const measured of all) await measure(measured, warmSeconds)
  for (let round = 0; round < options.rounds; round++) {
    for (const measured of all) measured.results.push(await measure(measured, options.seconds))
  }
  const failed = all.flatMap(({ results }) => results).reduce((sum, one) => sum + one.failed, 0)
  const marks: Mark[] = [{ what: "formats: failed requests", value: failed, unit: "", limit: 0 }]
  for (const measured of own) {
    const { row, limit } = measured
    if (limit === undefined) continue
    const what = `${row}: CPU relative to ${passThrough.row}`
    marks.push({ what, value: ratioOf(measured, base), unit: "×", limit })
  }
  const describe = (measured: Measured, reference: Measured, name: string): string =>
    `50-chunk stream, ${measured.row}: ${cpuOf(measured).toFixed(0)} µs of CPU, ` +
    `${ratioOf(measured, reference).toFixed(2)} × ${name}`
  return {
    lines: [],
    marks,
    notes: [
      ...own.map((measured) => describe(measured, base, passThrough.row)),
      ...old.flatMap((other) => {
        const ours = own.find(({ row }) => row === other.row)
        return ours ? [describe(ours, other, `that of ${other.server.name}`)] : []
      }),
    ],
  }
}
