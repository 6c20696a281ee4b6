import { setImmediate as yieldToEventLoop } from "node:timers/promises"
import { type RawBuilder, sql } from "kysely"
import type { Database } from "../db/database.ts"
import { fail } from "../errors.ts"
import { formatCsvRows } from "../http/csv-rows.ts"
import { formatExactDollars } from "./exact-dollars.ts"
import { columnList, errors, sumList } from "./sum-columns.ts"
import { tokenKinds } from "./token-counts.ts"
import { usageParts } from "./usage-parts.ts"

const maxRows = 200_000
const rowsPerTurn = 500

const sumNames = ["requests", "attempts", ...tokenKinds, "cost", "unpriced"] as const

type ExportedRow = Record<(typeof sumNames)[number] | "errors", number> & {
  user_id: string
  user_name: string | null
  email: string | null
  group_id: string | null
  group_name: string | null
  key_id: string | null
  key_name: string | null
  model: string
  connection_id: string | null
}

const columns = [
  ...["month", "user_id", "user", "email", "group_id", "group", "key_id", "key", "model"],
  ...["connection", "requests", "errors", "attempts", ...tokenKinds],
  ...["cost_usd", "unpriced_requests"],
]

const toCells = (month: string, row: ExportedRow): string[] =>
  [
    ...[month, row.user_id, row.user_name, row.email, row.group_id, row.group_name],
    ...[row.key_id, row.key_name, row.model, row.connection_id],
    ...[row.requests, row.errors, row.attempts, ...tokenKinds.map((kind) => row[kind])],
    ...[formatExactDollars(row.cost), row.unpriced],
  ].map((value) => `${value ?? ""}`)

const nameOf = (table: string, column: string, id: string): RawBuilder<unknown> =>
  sql`(select ${sql.ref(column)} from ${sql.table(table)} as named where named.id = ${sql.ref(id)})`

const monthSpan = (month: string) => {
  const from = Date.parse(`${month}-01T00:00:00Z`) / 1000
  const end = new Date(from * 1000)
  end.setUTCMonth(end.getUTCMonth() + 1)
  return { from, to: end.getTime() / 1000 }
}

/** Exports what accounting needs. */
export const createUsageExport = (db: Pick<Database, "backgroundReader">) => {
  const readMonth = async (month: string): Promise<ExportedRow[]> => {
    const parts = usageParts({ span: monthSpan(month), filter: {}, isByHour: false })
    const dimensions = columnList(["user_id", "group_id", "key_id", "model", "connection_id"])
    const { rows } = await sql<ExportedRow>`
      select sums.*, ${nameOf("users", "name", "user_id")} as user_name,
        ${nameOf("users", "email", "user_id")} as email,
        ${nameOf("groups", "name", "group_id")} as group_name,
        ${nameOf("api_keys", "name", "key_id")} as key_name
      from (
        select ${dimensions}, ${sumList(sumNames)}, ${errors} as errors
        from (${parts}) as parts group by ${dimensions}
      ) as sums order by ${dimensions} limit ${sql.lit(maxRows + 1)}`.execute(db.backgroundReader)
    return rows
  }

  return {
    /** A row for each user, group, key, model and connection. @param month `2026-01`, in UTC */
    month: async (month: string): Promise<string> => {
      const rows = await readMonth(month)
      if (rows.length > maxRows) {
        fail("bad_request", `The export would have more than ${maxRows} rows.`)
      }
      let text = formatCsvRows([columns])
      for (let at = 0; at < rows.length; at += rowsPerTurn) {
        const chunk = rows.slice(at, at + rowsPerTurn)
        text += formatCsvRows(chunk.map((row) => toCells(month, row)))
        await yieldToEventLoop()
      }
      return text
    },
  }
}

export type UsageExport = ReturnType<typeof createUsageExport>
