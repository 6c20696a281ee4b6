import { type Selectable, sql } from "kysely"
import type { UsageRow } from "../db/tables.ts"
import type { ChargedRequest, RequestCost } from "./charged-request.ts"
import { RequestOutcome } from "./schema.ts"
import { secondsPerHour } from "./sum-columns.ts"
import { createUsageSummation, type SummedCounts } from "./sum-usage.ts"
import { createUsageSumsStore, markOutdated, type SumsDatabase } from "./sums-store.ts"
import { noTokens, tokenKinds } from "./token-counts.ts"
import { isWithin, type UsageSpan } from "./usage-parts.ts"

/** Few: the event loop of a gateway beside it waits for each transaction. */
const recordsPerBatch = 100
const marksPerBatch = 100

type Connection = NonNullable<ChargedRequest["connection"]>

interface Deps {
  db: SumsDatabase
  requestCost: RequestCost
  connectionsById: ReadonlyMap<string, Connection>
  newId: () => string
  now: () => number
}

export interface RepricedCounts {
  records: number
  changed: number
  /** Records that keep their cost, because their connection or its model is not known any more. */
  skipped: number
}

const hourOf = (column: string) =>
  sql`${sql.ref(column)} / ${sql.lit(secondsPerHour)} * ${sql.lit(secondsPerHour)}`

/** Computes sums and costs again from the kept records, while gateways may run. */
export const createUsageRebuild = (deps: Deps) => {
  const { db, requestCost, connectionsById, newId, now } = deps
  const sumUsage = createUsageSummation({ store: createUsageSumsStore({ db, newId }), now })

  /** Undefined if it cannot be computed. */
  const costOf = (row: Selectable<UsageRow>): number | null | undefined => {
    const connection = row.connection_id === null ? null : connectionsById.get(row.connection_id)
    if (connection === undefined || (connection && row.upstream_model === null)) return undefined
    const counts = tokenKinds.map((kind) => [kind, row[kind] ?? 0] as const)
    return requestCost({
      connection,
      upstreamModel: row.upstream_model,
      serviceTier: row.service_tier,
      tokens: { ...noTokens, ...Object.fromEntries(counts) },
      durationMs: row.duration_ms,
      outcome: RequestOutcome.parse(row.outcome),
      at: row.at,
    })
  }

  /** @returns the last record's place; undefined after the last batch */
  const repriceBatch = (
    span: UsageSpan,
    after: { at: number; id: string },
    total: RepricedCounts,
  ) =>
    db.transactRelaxed(async (tx) => {
      const rows = await tx
        .selectFrom("usage")
        .selectAll()
        .where("at", ">=", after.at)
        .where("at", "<", span.to)
        .where(({ or, eb }) => or([eb("at", ">", after.at), eb("id", ">", after.id)]))
        .orderBy("at")
        .orderBy("id")
        .limit(recordsPerBatch)
        .execute()
      const changed = rows.flatMap((row) => {
        const cost = costOf(row)
        if (cost === undefined) total.skipped++
        return cost === undefined || cost === row.cost ? [] : [{ id: row.id, cost }]
      })
      for (const { id, cost } of changed)
        await tx.updateTable("usage").set({ cost }).where("id", "=", id).execute()
      if (changed.length > 0) {
        const ids = sql.join(changed.map(({ id }) => id))
        const starts = sql`select ${hourOf("at")} as start from usage where id in (${ids})`
        await markOutdated(tx, { part: "hour", starts, version: newId() })
      }
      total.records += rows.length
      total.changed += changed.length
      return rows.at(-1)
    })

  /** In the background: reading all records in a transaction would block a gateway beside it. */
  const findHours = async (span: UsageSpan): Promise<number[]> => {
    const { rows } = await sql<{ start: number }>`
      select ${hourOf("at")} as start from usage where ${isWithin("at", span)}
      union
      select start from usage_sums where part in ('hour', 'deleted') and ${isWithin("start", span)}
      order by start`.execute(db.backgroundReader)
    return rows.map(({ start }) => start)
  }

  /** A day may be summed although nothing of its hours is left. */
  const findDays = async (span: UsageSpan): Promise<number[]> => {
    const { rows } = await sql<{ start: number }>`
      select distinct start from usage_sums where part = 'day' and ${isWithin("start", span)}
      order by start`.execute(db.backgroundReader)
    return rows.map(({ start }) => start)
  }

  const markAll = async (part: "hour" | "day", starts: readonly number[]): Promise<void> => {
    for (let at = 0; at < starts.length; at += marksPerBatch) {
      const marked = starts.slice(at, at + marksPerBatch)
      const rows = marked.map((start) => sql`select ${sql.lit(start)} as start`)
      const union = sql.join(rows, sql` union all `)
      await db.transactRelaxed((tx) => markOutdated(tx, { part, starts: union, version: newId() }))
    }
  }

  return {
    /** Computes costs with the prices that held at the time of each request. */
    reprice: async (span: UsageSpan): Promise<RepricedCounts> => {
      const total: RepricedCounts = { records: 0, changed: 0, skipped: 0 }
      let after: { at: number; id: string } | undefined = { at: span.from, id: "" }
      while (after) after = await repriceBatch(span, after, total)
      return total
    },

    /** Sums all hours and days of a span again. Those that are not over yet follow later. */
    sum: async (span: UsageSpan): Promise<SummedCounts> => {
      await markAll("day", await findDays(span))
      await markAll("hour", await findHours(span))
      return sumUsage(undefined, span)
    },
  }
}
