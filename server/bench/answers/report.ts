import type { ListingScores } from "./listings.ts"
import type { DatabaseScores } from "./measure-database.ts"
import type { SetScores } from "./measure-set.ts"
import type { QuestionSet } from "./question-set.ts"
import type { Scores } from "./scores.ts"
import type { VersionScores } from "./version-scores.ts"

/** Maximum difference between the scores on the two databases. */
const maxDifference = 0.005

export interface MeasuredSet {
  set: QuestionSet
  sqlite: SetScores
  /** Undefined if PostgreSQL is not installed. */
  postgres: SetScores | undefined
}

const columns = [
  "Set",
  "Questions",
  "Recall",
  "Target",
  "MRR",
  "nDCG@10",
  "Tokens",
  "Rewritten recall",
  "Lexical recall",
  "MRR",
  "nDCG@10",
  "PostgreSQL",
]

const versionColumns = [
  "Set",
  "Questions",
  "Newest given",
  "Newest first",
  "Older passages",
  "Marked",
  "Wrongly marked",
]

const listingColumns = ["Collection", "Named", "Grouped", "Repeated", "Tokens"]

const format = (figure: number): string => figure.toFixed(3)

const figuresOf = ({ found }: Scores): string[] =>
  found ? [found.recall, found.mrr, found.ndcg].map(format) : ["", "", ""]

const differenceOf = (a: Scores | undefined, b: Scores | undefined): number => {
  if (!a?.found || !b?.found) return 0
  const { recall, mrr, ndcg } = a.found
  return Math.max(
    Math.abs(recall - b.found.recall),
    Math.abs(mrr - b.found.mrr),
    Math.abs(ndcg - b.found.ndcg),
  )
}

const isSame = ({ sqlite, postgres }: MeasuredSet): boolean =>
  !postgres ||
  (differenceOf(sqlite.hybrid, postgres.hybrid) <= maxDifference &&
    differenceOf(sqlite.rewritten, postgres.rewritten) <= maxDifference &&
    differenceOf(sqlite.lexical, postgres.lexical) <= maxDifference)

const formatPostgres = (measured: MeasuredSet): string => {
  const { postgres } = measured
  if (!postgres) return "not measured"
  if (isSame(measured)) return "same"
  return [...figuresOf(postgres.hybrid), ...figuresOf(postgres.lexical)].join(" ")
}

const formatRow = (measured: MeasuredSet): string[] => {
  const { set, sqlite } = measured
  const { recall: target } = set.targets
  const [recall = "", mrr = "", ndcg = ""] = figuresOf(sqlite.hybrid)
  return [
    set.name,
    `${sqlite.hybrid.questions}`,
    recall,
    target === undefined ? "" : target.toFixed(2),
    mrr,
    ndcg,
    sqlite.hybrid.tokens.toFixed(0),
    sqlite.rewritten?.found ? format(sqlite.rewritten.found.recall) : "",
    ...figuresOf(sqlite.lexical),
    formatPostgres(measured),
  ]
}

/** Formats a Markdown table; all columns but the first are aligned right. */
const formatRows = (columns: readonly string[], body: readonly string[][]): string => {
  const rows = [columns, ...body]
  const widths = columns.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)))
  const pad = (cell: string, at: number): string =>
    at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)
  const lines = rows.map((row) => `| ${row.map(pad).join(" | ")} |`)
  const rule = widths.map((width, at) =>
    "-".repeat(at === 0 ? width : width - 1).concat(at === 0 ? "" : ":"),
  )
  lines.splice(1, 0, `| ${rule.join(" | ")} |`)
  return lines.join("\n")
}

const formatVersions = ([name, scores]: [string, VersionScores]): string[] => [
  name,
  `${scores.questions}`,
  format(scores.newestGiven),
  format(scores.newestFirst),
  `${scores.outdated}`,
  `${scores.marked}`,
  `${scores.wronglyMarked}`,
]

const formatListing = ({ files, named, grouped, repeated, tokens }: ListingScores): string[] => [
  `${files} files`,
  format(named),
  format(grouped),
  `${repeated}`,
  `${tokens}`,
]

/** Formats the Markdown tables for docs/knowledge.md. */
export const formatTables = (
  measured: readonly MeasuredSet[],
  { versions, listings }: Pick<DatabaseScores, "versions" | "listings">,
): string =>
  [
    ...(measured.length > 0 ? [formatRows(columns, measured.map(formatRow))] : []),
    ...(versions.size > 0 ? [formatRows(versionColumns, [...versions].map(formatVersions))] : []),
    ...(listings.length > 0 ? [formatRows(listingColumns, listings.map(formatListing))] : []),
  ].join("\n\n")

interface Mark {
  text: string
  isReached: boolean
}

const atLeast = (what: string, figure: number, target: number): Mark => ({
  text: `${what} ${format(figure)} (at least ${format(target)})`,
  isReached: figure >= target,
})

const databasesOf = ({ sqlite, postgres }: MeasuredSet): [string, SetScores][] => [
  ["SQLite", sqlite],
  ...(postgres ? [["PostgreSQL", postgres] satisfies [string, SetScores]] : []),
]

/** Checks the targets of a set on each database. */
export const marksOf = (measured: MeasuredSet): Mark[] => {
  const { name, targets } = measured.set
  const marks = databasesOf(measured).flatMap(([database, { hybrid, lexical }]) => {
    const reached: Mark[] = []
    if (targets.recall !== undefined) {
      const what = `${name}, ${database}: recall`
      reached.push(atLeast(what, hybrid.found?.recall ?? 0, targets.recall))
    }
    if (targets.lexicalNdcg !== undefined) {
      const what = `${name}, ${database}: lexical nDCG@10`
      reached.push(atLeast(what, lexical.found?.ndcg ?? 0, targets.lexicalNdcg))
    }
    return reached
  })
  const text = `${name}: scores of the two databases differ by at most ${maxDifference}`
  return [...marks, { text, isReached: isSame(measured) }]
}
