import type { NodeRequestContext } from "../http/request-context.ts"
import { streamText } from "../http/stream-response.ts"
import type { AuditReader } from "./reader.ts"
import type { AuditEvent, AuditExportQuery } from "./schema.ts"

const columns = [
  ...(["at", "action", "outcome", "status", "count"] as const),
  ...(["actor_type", "actor_id", "actor_name", "key_id", "address"] as const),
  ...(["target_type", "target_id", "target_name", "changed", "ignored"] as const),
  ...(["before", "after", "request_id", "block", "id"] as const),
]

/** Spreadsheets evaluate cells that start like a formula; a leading apostrophe makes them text. */
const escapeFormula = (text: string): string => (/^[=+\-@\t\r]/.test(text) ? `'${text}` : text)

const formatCell = (value: unknown): string => {
  if (value === null) return ""
  if (typeof value === "number") return String(value)
  const text = escapeFormula(typeof value === "string" ? value : JSON.stringify(value))
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** A line of CSV (RFC 4180), with the time in ISO 8601. */
const formatCsvLine = (event: AuditEvent): string =>
  columns
    .map((name) =>
      formatCell(name === "at" ? new Date(event.at * 1000).toISOString() : event[name]),
    )
    .join(",")

const formats = {
  ndjson: {
    type: "application/x-ndjson",
    head: "",
    line: (event: AuditEvent) => `${JSON.stringify(event)}\n`,
  },
  csv: {
    type: "text/csv; charset=utf-8",
    head: `${columns.join(",")}\r\n`,
    line: (event: AuditEvent) => `${formatCsvLine(event)}\r\n`,
  },
} as const

async function* streamLines(
  reader: AuditReader,
  { format, ...filters }: AuditExportQuery,
): AsyncGenerator<string> {
  const { head, line } = formats[format]
  if (head !== "") yield head
  for await (const events of reader.iteratePages(filters)) yield events.map(line).join("")
}

/** Streams events as a file download. */
export const createExportResponse = (
  reader: AuditReader,
  query: AuditExportQuery,
  context: NodeRequestContext,
): Response =>
  new Response(streamText(streamLines(reader, query), context), {
    headers: {
      "content-type": formats[query.format].type,
      "content-disposition": `attachment; filename="portico-audit.${query.format}"`,
      "cache-control": "private, no-store",
    },
  })
