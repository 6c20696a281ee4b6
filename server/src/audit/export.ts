import type { AuditReader } from "./reader.ts"
import type { AuditEvent, AuditExportQuery } from "./schema.ts"

const columns = [
  ...(["at", "action", "outcome", "status", "count"] as const),
  ...(["actor_type", "actor_id", "actor_name", "key_id", "address"] as const),
  ...(["target_type", "target_id", "target_name", "changed", "ignored"] as const),
  ...(["before", "after", "request_id", "block", "id"] as const),
]

/** A spreadsheet runs what begins like a formula; a quote before it makes it text again. */
const harmless = (text: string): string => (/^[=+\-@\t\r]/.test(text) ? `'${text}` : text)

const cell = (value: unknown): string => {
  if (value === null) return ""
  if (typeof value === "number") return String(value)
  const text = harmless(typeof value === "string" ? value : JSON.stringify(value))
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** RFC 4180, with the time for people. */
const csvLine = (event: AuditEvent): string =>
  columns
    .map((name) => cell(name === "at" ? new Date(event.at * 1000).toISOString() : event[name]))
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
    line: (event: AuditEvent) => `${csvLine(event)}\r\n`,
  },
} as const

/**
 * Events as a file that is written as it is read: a page is fetched once the client has taken the
 * one before.
 */
export const exportResponse = (
  reader: AuditReader,
  { format, ...filters }: AuditExportQuery,
): Response => {
  const { type, head, line } = formats[format]
  const pages = reader.each(filters)
  const encoder = new TextEncoder()
  const stream = new ReadableStream<Uint8Array>(
    {
      start: (controller) => {
        if (head !== "") controller.enqueue(encoder.encode(head))
      },
      pull: async (controller) => {
        const { value, done } = await pages.next()
        if (done) return controller.close()
        controller.enqueue(encoder.encode(value.map(line).join("")))
      },
      cancel: async () => {
        await pages.return(undefined)
      },
    },
    { highWaterMark: 1 },
  )
  return new Response(stream, {
    headers: {
      "content-type": type,
      "content-disposition": `attachment; filename="portico-audit.${format}"`,
      "cache-control": "no-store",
    },
  })
}
