import type { z } from "zod"
import { type FieldError, fail, toFieldError } from "../errors.ts"
import { formatCsvRows, parseCsvRows } from "../http/csv-rows.ts"
import { messageOfIssue } from "../http/issue-messages.ts"
import { tokenPriceNames, unitPriceNames } from "./price-schema.ts"
import { maxImportedEntries } from "./request-schema.ts"
import { NewPriceEntry, type PriceEntry } from "./schema.ts"

const textColumns = ["model", "provider", "connection", "end_of_life", "successor", "source"]
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

/** Epoch seconds, or a day such as `2026-01-31`, which begins at midnight UTC. */
const parseTime = (text: string): unknown =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) / 1000 : parseNumber(text)

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

const readNames = (names: readonly string[]): readonly string[] => {
  const known = new Set([...textColumns, ...numberColumns, ...jsonColumns, "capabilities"])
  const unknown = names.filter((name) => !known.has(name))
  if (unknown.length > 0) fail("invalid", `Unknown columns: ${unknown.join(", ")}`)
  if (!names.includes("model")) fail("invalid", "The first line must contain the column model.")
  return names
}

/**
 * Reads what `formatPriceCsv` writes; columns may be left out, and in any order.
 * @throws {Failure} `invalid`, with the lines that cannot be read
 */
export const parsePriceCsv = (text: string): NewPriceEntry[] => {
  const [first = [], ...rows] = parseCsvRows(text)
  const names = readNames(first.map((name) => name.trim()))
  if (rows.length > maxImportedEntries) {
    fail("invalid", `An import can have at most ${maxImportedEntries} lines.`)
  }
  const errors: FieldError[] = []
  const entries = rows.flatMap((row, at) => {
    const cells = names.flatMap((name, column) => {
      const cell = row[column] ?? ""
      return cell === "" ? [] : [[name, parseValue(name, cell)] as const]
    })
    const parsed = NewPriceEntry.safeParse(Object.fromEntries(cells))
    if (parsed.success) return [parsed.data]
    // The first line contains the names.
    errors.push(...toFieldErrors(at + 2, parsed.error.issues))
    return []
  })
  return errors.length === 0 ? entries : failLines(errors)
}
