// `npm run bench:neighbours`: how much one user's attack slows down another user's requests.
import { cpus } from "node:os"
import { parseArgs } from "node:util"
import { findPostgresBinDir, noSyncArgs, startCluster } from "../test/setup/postgres.ts"
import { placing } from "./measure/processes.ts"
import { runBenchmark } from "./measure/run-benchmark.ts"
import { attacks } from "./noisy-neighbor/attacks.ts"
import {
  createRows,
  ownRatioOf,
  type Row,
  rate,
  ratioOf,
  usesPostgres,
} from "./noisy-neighbor/rows.ts"

const ratioLimit = 2

const { values } = parseArgs({
  options: {
    only: { type: "string", multiple: true, default: Object.keys(attacks) },
    seconds: { type: "string", default: "5" },
    windows: { type: "string", default: "3" },
    "node-options": { type: "string", default: "" },
    main: { type: "string", default: new URL("../src/main.ts", import.meta.url).pathname },
  },
})
const seconds = Number(values.seconds)
const windows = Number(values.windows)
const unknown = values.only.filter((name) => !Object.hasOwn(attacks, name))
if (unknown.length > 0) {
  const known = Object.keys(attacks).map((name) => `  ${name}`)
  console.error(`Unknown attack: ${unknown.join(", ")}. Known attacks:\n${known.join("\n")}`)
  process.exit(1)
}

const ms = (value: number): string => value.toFixed(2)
const times = (value: number): string => `${value.toFixed(2)}×`
const passes = (row: Row): boolean => ownRatioOf(row) <= ratioLimit && row.attacked.failed === 0

const columns: readonly [title: string, cell: (row: Row) => string][] = [
  ["attack", ({ attack }) => attack],
  ["p95 alone", ({ alone }) => ms(alone.gateway)],
  ["p95 attacked", ({ attacked }) => ms(attacked.gateway)],
  ["ratio", (row) => times(ratioOf(row))],
  ["control alone", ({ alone }) => ms(alone.control)],
  ["control attacked", ({ attacked }) => ms(attacked.control)],
  ["ratio / control", (row) => times(ownRatioOf(row))],
  ["failed", ({ attacked }) => `${attacked.failed}`],
  ["attacker's responses", ({ answers }) => `${answers}`],
  ["RSS MB", ({ rss }) => rss.toFixed(0)],
  ["result", (row) => (passes(row) ? "pass" : "FAIL")],
]

const formatRows = (rows: readonly Row[]): string => {
  const widths = columns.map(([title, cell]) =>
    Math.max(title.length, ...rows.map((row) => cell(row).length)),
  )
  const line = (texts: readonly string[], fill = " "): string =>
    `| ${texts.map((text, at) => (at === 0 ? text.padEnd(widths[at] ?? 0, fill) : text.padStart(widths[at] ?? 0, fill))).join(" | ")} |`
  return [
    line(columns.map(([title]) => title)),
    line(
      columns.map(() => "-"),
      "-",
    ),
    ...rows.map((row) => line(columns.map(([, cell]) => cell(row)))),
  ].join("\n")
}

/** TEST_DATABASE_URL, or a temporary server; undefined if PostgreSQL is not installed. */
const startPostgres = async (): Promise<{ url: string; stop: () => Promise<void> } | undefined> => {
  const url = process.env.TEST_DATABASE_URL
  if (url) return { url, stop: async () => {} }
  const binDir = findPostgresBinDir()
  return binDir === undefined ? undefined : startCluster(binDir, { server: noSyncArgs })
}

await runBenchmark(async (processes, folder) => {
  const needsPostgres = values.only.some(usesPostgres)
  const postgres = needsPostgres ? await startPostgres() : undefined
  const skipped = postgres ? [] : values.only.filter(usesPostgres)
  if (skipped.length > 0) {
    const missing = "PostgreSQL was not found. Install it or set TEST_DATABASE_URL."
    process.stderr.write(`Skipped: ${skipped.join(", ")}. ${missing}\n`)
  }
  const nodeOptions = values["node-options"].split(" ").filter(Boolean)
  const measure = await createRows(processes, {
    folder,
    postgres: postgres?.url,
    main: values.main,
    seconds,
    windows,
    nodeOptions,
  })
  const rows: Row[] = []
  for (const attack of values.only.filter((name) => !skipped.includes(name))) {
    const row = await measure(attack)
    rows.push(row)
    process.stderr.write(`${formatRows([row])}\n\n`)
  }
  console.log(
    `Node ${process.version}, ${cpus()[0]?.model}; ${placing}; ms, ${rate} requests per second, ` +
      `median of ${windows} windows of ${seconds} s\n`,
  )
  console.log(formatRows(rows))
  await postgres?.stop()
  return rows.every(passes)
})
