import { type Line, type Mark, passes } from "./line.ts"

const fixed = (digits: number) => (value: number | undefined) =>
  value === undefined ? "" : value.toFixed(digits)

const whole = fixed(0)
const ms = fixed(2)

type Column = { title: string; cell: (line: Line) => string; left?: boolean }

const columns: readonly Column[] = [
  { title: "row", cell: ({ row }) => row, left: true },
  { title: "server", cell: ({ server }) => server, left: true },
  { title: "req/s", cell: ({ rate, loadBound }) => (loadBound ? "≥ " : "") + whole(rate) },
  { title: "CPU µs/req", cell: ({ cpu }) => whole(cpu) },
  { title: "× nginx", cell: ({ ratio }) => ms(ratio) },
  { title: "at half load", cell: ({ cpuHalf }) => whole(cpuHalf) },
  { title: "× nginx", cell: ({ ratioHalf }) => ms(ratioHalf) },
  { title: "p50 ms", cell: ({ p50 }) => ms(p50) },
  { title: "p99 ms", cell: ({ p99 }) => ms(p99) },
  { title: "added p99 ms", cell: ({ added }) => ms(added) },
  { title: "first byte ms", cell: ({ first }) => ms(first) },
  { title: "RSS MB", cell: ({ rss }) => whole(rss) },
]

const padded = (text: string, width: number, left = false) =>
  left ? text.padEnd(width) : text.padStart(width)

/** Formats rows as an aligned Markdown table. */
export const formatTable = (lines: readonly Line[]): string => {
  const widths = columns.map(({ title, cell }) =>
    Math.max(title.length, ...lines.map((line) => cell(line).length)),
  )
  const format = (cell: (column: Column, width: number) => string) =>
    `| ${columns.map((column, index) => cell(column, widths[index] ?? 0)).join(" | ")} |`
  return [
    format(({ title, left }, width) => padded(title, width, left)),
    format(({ left }, width) => (left ? "-".repeat(width) : `${"-".repeat(width - 1)}:`)),
    ...lines.map((line) => format(({ cell, left }, width) => padded(cell(line), width, left))),
  ].join("\n")
}

const shown = (value: number, unit: string) => {
  const text = Number.isInteger(value) || unit === "MB" ? value.toFixed(0) : value.toFixed(2)
  return unit === "" ? text : `${text} ${unit}`
}

/** Formats each limit with its measured value and pass or FAIL. */
export const formatMarks = (marks: readonly Mark[]): string => {
  const width = Math.max(...marks.map(({ what }) => what.length))
  return marks
    .map((mark) => {
      const { what, value, unit, limit } = mark
      return `${passes(mark) ? "pass" : "FAIL"}  ${what.padEnd(width)}  ${shown(value, unit)} (at most ${shown(limit, unit)})`
    })
    .join("\n")
}
