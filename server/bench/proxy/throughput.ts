import type { Line, Mark, Outcome } from "../measure/line.ts"
import { median } from "../measure/median.ts"
import { readRss } from "../measure/process-stats.ts"
import { type Bench, limitedName, type Server, type Shape } from "./bench.ts"
import type { Result } from "./job.ts"
import type { Options } from "./options.ts"

export type Throughput = {
  row: string
  shape: Shape
  /** Maximum CPU relative to nginx; without it, the row has no limits. */
  ratioLimit?: number
}

const addedLimit = 1
/** How much more CPU time limits may take, in percent. */
const limitedLimit = 8
/** Servers reach full speed only after JIT compilation. */
const warmSeconds = 10

type Measured = { server: Server; full: Result[]; half: Result[] }

/** Maximum share of a core used by other processes; busier rounds are repeated. */
const calm = 0.15
const retries = 1

const inCalm = async (measure: () => Promise<Result>): Promise<Result> => {
  let best = await measure()
  for (let retry = 0; retry < retries && best.otherBusy > calm; retry++) {
    const repeated = await measure()
    if (repeated.otherBusy < best.otherBusy) best = repeated
  }
  return best
}

/** Alternates between servers each round, so that disturbances affect all of them. */
const takeTurns = async (
  all: readonly Measured[],
  rounds: number,
  into: "full" | "half",
  measure: (server: Server) => Promise<Result>,
) => {
  for (let round = 0; round < rounds; round++) {
    for (const measured of all) measured[into].push(await inCalm(() => measure(measured.server)))
  }
}

const mid = (results: readonly Result[], value: (result: Result) => number) =>
  median(results.map(value))

/** Median over the rounds of a comparison of two servers in the same round. */
const paired = (
  ours: readonly Result[],
  theirs: readonly Result[],
  compare: (our: Result, their: Result) => number,
) => median(ours.flatMap((our, round) => (theirs[round] ? [compare(our, theirs[round])] : [])))

const lineOf = (row: string, measured: Measured, nginx?: Measured, direct?: Measured): Line => {
  const { server, full, half } = measured
  const line: Line = {
    row,
    server: server.name,
    p50: mid(half, ({ p50 }) => p50),
    p99: mid(half, ({ p99 }) => p99),
    first: mid(half, ({ firstP50 }) => firstP50),
  }
  if (measured === direct) return line
  return {
    ...line,
    rate: mid(full, ({ rate }) => rate),
    loadBound: mid(full, ({ busy }) => busy) < 0.9,
    cpu: mid(full, ({ cpu }) => cpu),
    rss: readRss(server.pid),
    ...(direct && { added: paired(half, direct.half, (our, its) => our.firstP99 - its.firstP99) }),
    cpuHalf: mid(half, ({ cpu }) => cpu),
    ...(nginx && {
      ratio: paired(full, nginx.full, (our, its) => our.cpu / its.cpu),
      ratioHalf: paired(half, nginx.half, (our, its) => our.cpu / its.cpu),
    }),
  }
}

const noteOf = ({ server, full }: Measured) => {
  const percent = (value: (result: Result) => number) => `${(mid(full, value) * 100).toFixed(0)} %`
  return (
    `${server.name} ${percent(({ busy }) => busy)} busy (load generator ` +
    `${percent(({ loadBusy }) => loadBusy)}), ${mid(full, ({ reads }) => reads).toFixed(1)} reads`
  )
}

const marksOf = (row: string, line: Line, failed: number, ratioLimit?: number): Mark[] => {
  const marks: Mark[] = [{ what: `${row}: failed requests`, value: failed, unit: "", limit: 0 }]
  if (ratioLimit === undefined) return marks
  const { ratio, ratioHalf, added = Number.NaN } = line
  const reference = { "at full load": ratio, "at the same rate": ratioHalf }
  for (const [when, value] of Object.entries(reference)) {
    const what = `${row}: CPU relative to nginx, ${when}`
    if (value !== undefined) marks.push({ what, value, unit: "×", limit: ratioLimit })
  }
  marks.push({
    what: `${row}: added p99 at half load`,
    value: added,
    unit: "ms",
    limit: addedLimit,
  })
  return marks
}

/** What limits add to the CPU time of a request, in the same rounds. */
const limitMarksOf = (row: string, gateway: Measured, limited?: Measured): Mark[] =>
  limited
    ? [
        {
          what: `${row}: CPU of limits`,
          value: paired(limited.full, gateway.full, (its, our) => 100 * (its.cpu / our.cpu - 1)),
          unit: "%",
          limit: limitedLimit,
        },
      ]
    : []

/** Measures a row at full load, then at half of the gateway's maximum rate. */
export const measureThroughput = async (
  bench: Bench,
  { servers, options }: { servers: readonly Server[]; options: Options },
  { row, shape, ratioLimit }: Throughput,
): Promise<Outcome> => {
  const all: Measured[] = servers.map((server) => ({ server, full: [], half: [] }))
  const named = (name: string) => all.find(({ server }) => server.name === name)
  const [gateway, nginx] = [named("gateway"), named("nginx")]
  if (!gateway) throw new Error("no gateway among the servers")
  const { rounds, seconds } = options
  for (const { server } of all) {
    await bench.load(server, shape, { mode: "closed", rate: 0, seconds: warmSeconds })
  }
  await takeTurns(all, rounds, "full", (server) =>
    bench.load(server, shape, { mode: "closed", rate: 0, seconds }),
  )

  const rate = mid(gateway.full, (result) => result.rate) / 2
  const direct: Measured = { server: bench.direct, full: [], half: [] }
  await takeTurns([direct, ...all], rounds, "half", (server) =>
    bench.load(server, shape, { mode: "open", rate, seconds }),
  )

  const results = all.flatMap(({ full, half }) => [...full, ...half])
  const failed = results.reduce((sum, result) => sum + result.failed, 0)
  const others = mid(results, ({ otherBusy }) => otherBusy) * 100
  const ours = lineOf(row, gateway, nginx, direct)
  const rest = all.slice(1).map((measured) => lineOf(row, measured, nginx, direct))
  return {
    lines: [ours, ...rest, lineOf(row, direct, undefined, direct)],
    marks: [
      ...marksOf(row, ours, failed, ratioLimit),
      ...limitMarksOf(row, gateway, named(limitedName)),
    ],
    notes: [
      `${row}: ${all.map(noteOf).join("; ")}; half load is ${rate.toFixed(0)} requests per second; ` +
        `other programs used ${others.toFixed(0)} % of a core`,
    ],
  }
}
