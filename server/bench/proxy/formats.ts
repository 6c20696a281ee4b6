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
}

const passThrough: Format = {
  row: "chat → chat",
  shape: { ...common, model: "bench-stream" },
}
const others: readonly Format[] = [
  {
    row: "messages → messages",
    shape: { ...common, api: "messages", model: "bench-claude" },
  },
  {
    row: "responses → responses",
    shape: { ...common, api: "responses", model: "bench-stream" },
  },
  {
    row: "messages → chat",
    shape: { ...common, api: "messages", model: "bench-stream" },
    limit: 2.5,
  },
  {
    row: "chat → messages",
    shape: { ...common, model: "bench-claude" },
  },
]

/** Measures streams of 50 chunks in each pair of formats, in turn, at full load. */
export const measureFormats = async (
  bench: Bench,
  { servers, options }: { servers: readonly Server[]; options: Options },
): Promise<Outcome> => {
  const [gateway] = servers
  if (!gateway) throw new Error("no gateway among the servers")
  const formats = [passThrough, ...others].map((format) => ({ ...format, results: [] as Result[] }))
  const measure = (shape: Shape, seconds: number) =>
    bench.load(gateway, shape, { mode: "closed", rate: 0, seconds })
  for (const { shape } of formats) await measure(shape, warmSeconds)
  for (let round = 0; round < options.rounds; round++) {
    for (const { shape, results } of formats) results.push(await measure(shape, options.seconds))
  }
  const base = formats[0]?.results ?? []
  const ratioOf = (results: readonly Result[]): number =>
    median(results.map(({ cpu }, round) => cpu / (base[round]?.cpu ?? Number.NaN)))
  const failed = formats.flatMap(({ results }) => results).reduce((sum, one) => sum + one.failed, 0)
  const marks: Mark[] = [{ what: "formats: failed requests", value: failed, unit: "", limit: 0 }]
  for (const { row, limit, results } of formats) {
    if (limit === undefined) continue
    const what = `${row}: CPU relative to ${passThrough.row}`
    marks.push({ what, value: ratioOf(results), unit: "×", limit })
  }
  return {
    lines: [],
    marks,
    notes: formats.map(
      ({ row, results }) =>
        `50-chunk stream, ${row}: ${median(results.map(({ cpu }) => cpu)).toFixed(0)} µs of CPU, ` +
        `${ratioOf(results).toFixed(2)} × ${passThrough.row}`,
    ),
  }
}
