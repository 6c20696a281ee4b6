import { sql } from "kysely"
import type { Reader, Tx } from "../../db/database.ts"
import type { LimitWarning, WarningLevel } from "./warning-level.ts"

const toLevel = (level: number): WarningLevel => {
  if (level >= 100) return 100
  return level >= 80 ? 80 : 0
}

/** The last warnings of limits, by the limit's ID. */
export const readWarnings = async (
  reader: Reader,
  limitIds: readonly string[],
): Promise<Map<string, LimitWarning>> => {
  const rows = await reader
    .selectFrom("limit_warnings")
    .selectAll()
    .where("limit_id", "in", limitIds)
    .execute()
  return new Map(
    rows.map(({ limit_id, period, level, amount, warned_ms: warnedMs }) => [
      limit_id,
      { period, level: toLevel(level), amount, warnedMs },
    ]),
  )
}

/** Limits that still exist, and stay until `tx` ends. */
export const lockExisting = async (
  tx: Tx,
  limitIds: readonly string[],
  { isPostgres }: { isPostgres: boolean },
): Promise<Set<string>> => {
  const query = tx.selectFrom("limits").select("id").where("id", "in", limitIds).orderBy("id")
  const rows = await (isPostgres ? query.forKeyShare() : query).execute()
  return new Set(rows.map(({ id }) => id))
}

export const saveWarnings = async (
  tx: Tx,
  warnings: readonly (LimitWarning & { limitId: string })[],
): Promise<void> => {
  if (warnings.length === 0) return
  await tx
    .insertInto("limit_warnings")
    .values(
      warnings.map(({ limitId, period, level, amount, warnedMs }) => ({
        ...{ limit_id: limitId, period, level, amount, warned_ms: warnedMs },
      })),
    )
    .onConflict((conflict) =>
      conflict.column("limit_id").doUpdateSet({
        period: sql.ref("excluded.period"),
        level: sql.ref("excluded.level"),
        amount: sql.ref("excluded.amount"),
        warned_ms: sql.ref("excluded.warned_ms"),
      }),
    )
    .execute()
}
