import { setImmediate as yieldToEventLoop } from "node:timers/promises"
import { z } from "zod"
import { type FieldError, fail, toFieldError } from "../errors.ts"
import { type CsvLimits, formatCsvRows, readCsvRows } from "../http/csv-rows.ts"
import { describeIssue, messageOfIssue } from "../http/issue-messages.ts"
import { tokenPriceNames, unitPriceNames } from "./price-schema.ts"
import { maxImportedEntries } from "./request-schema.ts"
import { NewPriceEntry, type PriceEntry } from "./schema.ts"

const numberColumns = [
  ...["from", ...tokenPriceNames, ...unitPriceNames],
  ...["context_length", "max_output"],
]
const jsonColumns = ["tiers", "service_tiers"]
const columns = [
  ...["model", "provider", "connection", "from"],
  ...[...tokenPriceNames, ...unitPriceNames],
  ...["context_length", "max_output", "capabilities"],
  ...["end_of_life", "successor", "source", ...jsonColumns],
]

const formatValue = (value: unknown): string => {
  if (value === undefined) return ""
  if (typeof value === "string" || typeof value === "number") return String(value)
  return JSON.stringify(value)
}

const toRow = ({ capabilities, ...entry }: PriceEntry): string[] => {
  const cells: Record<string, unknown> = { ...entry, capabilities: capabilities?.join(" ") }
  return columns.map((name) => formatValue(cells[name]))
}

/** Writes a line for each entry, below one with the names of the columns. */
export const formatPriceCsv = (entries: readonly PriceEntry[]): string =>
  formatCsvRows([columns, ...entries.map(toRow)])

/** What is no JSON stays text, which the schema then rejects. */
const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const Day = z.iso.date()

/** Epoch seconds, or a day such as `2026-01-31`, which begins at midnight UTC. */
const parseTime = (text: string): unknown =>
  Day.safeParse(text).success ? Date.parse(text) / 1000 : parseNumber(text)

const parseNumber = (text: string): unknown => {
  const trimmed = text.trim()
  return /^[\d.]+(?:[eE][+-]?\d+)?$/.test(trimmed) ? Number(trimmed) : text
}

const parseValue = (name: string, text: string): unknown => {
  if (name === "from") return parseTime(text)
  if (numberColumns.includes(name)) return parseNumber(text)
  if (jsonColumns.includes(name)) return parseJson(text)
  if (name === "capabilities") return text.split(/[\s,;]+/).filter(Boolean)
  return text
}

const toFieldErrors = (line: number, issues: readonly z.core.$ZodIssue[]): FieldError[] =>
  issues.map((issue) => ({
    ...toFieldError(issue.path.join(".") || "line", messageOfIssue(issue)),
    line,
  }))

const failLines = (errors: readonly FieldError[]): never => {
  const [first] = errors
  return fail("invalid", `Line ${first?.line}, ${first?.path}: ${first?.message}`, {
    errors: [...errors],
  })
}

/** @throws {Failure} `invalid` if a name is unknown or repeated */
const readNames = (cells: readonly string[]): readonly string[] => {
  const names = cells.map((name) => name.trim())
  const unknown = names.filter((name) => !columns.includes(name))
  if (unknown.length > 0) fail("invalid", `Unknown columns: ${unknown.join(", ")}`)
  const repeated = names.filter((name, at) => names.indexOf(name) < at)
  if (repeated.length > 0) fail("invalid", `Repeated columns: ${repeated.join(", ")}`)
  if (!names.includes("model")) fail("invalid", "The first line must contain the column model.")
  return names
}

/** A price with a decimal comma would be two. */
const hasExtraCells = (cells: readonly string[], names: readonly string[]): boolean =>
  cells.slice(names.length).some((cell) => cell !== "")

const readEntry = (cells: readonly string[], names: readonly string[]) =>
  NewPriceEntry.safeParse(
    Object.fromEntries(
      names.flatMap((name, column) => {
        const cell = cells[column] ?? ""
        return cell === "" ? [] : [[name, parseValue(name, cell)] as const]
      }),
    ),
    { error: describeIssue },
  )

/** The first line contains the names. */
const limits: CsvLimits = {
  maxRows: maxImportedEntries + 1,
  maxCells: 50,
  maxCellLength: 50_000,
}
/** Further ones would not be read. */
const maxErrors = 50
/** Some milliseconds of work. */
const rowsPerTurn = 20

/**
 * Reads what `formatPriceCsv` writes; columns may be left out, and in any order.
 * @throws {Failure} `invalid`, with the lines that cannot be read
 */
export const parsePriceCsv = async (text: string): Promise<NewPriceEntry[]> => {
  const rows = readCsvRows(text, limits)
  const names = readNames(rows.next().value?.cells ?? [])
  const errors: FieldError[] = []
  const entries: NewPriceEntry[] = []
  for (const { line, cells } of rows) {
    if (entries.length % rowsPerTurn === 0) await yieldToEventLoop()
    if (hasExtraCells(cells, names)) {
      errors.push({ ...toFieldError("line", "The line has more cells than the first one."), line })
    }
    const parsed = readEntry(cells, names)
    if (parsed.success) entries.push(parsed.data)
    else errors.push(...toFieldErrors(line, parsed.error.issues))
    if (errors.length >= maxErrors) break
  }
  return errors.length === 0 ? entries : failLines(errors)
}
