import type { Insertable, Selectable, Updateable } from "kysely"
import { isEnvironmentId } from "../connections/connection-registry.ts"
import type { Database, Reader, Tx } from "../db/database.ts"
import type { LimitRow } from "../db/limit-tables.ts"
import { countRows } from "../db/paged-queries.ts"
import { amountAt, type RaisableAmount } from "./ledger/limit-rule.ts"
import {
  type Limit,
  LimitMetric,
  LimitSetter,
  type LimitTarget,
  LimitTargetType,
  LimitWindow,
} from "./schema.ts"

/** A limit without its state, which is that of its accounts, and without its target's name. */
export type StoredLimit = Omit<
  Limit,
  "target_name" | "target_detail" | "spent" | "reserved" | "resets_at" | "created_at" | "updated_at"
> & {
  /** Epoch ms. */
  createdMs: number
  updatedMs: number
}

type AmountOfLimit = Pick<Limit, "amount" | "raise">

const toRaisableAmount = ({ amount, raise }: AmountOfLimit): RaisableAmount => ({
  amount,
  raiseAmount: raise?.amount ?? null,
  raiseUntil: raise === null ? null : raise.until * 1000,
})

/** The amount that holds at a time in epoch ms, with a raise that has not ended. */
export const limitAmountAt = (limit: AmountOfLimit, at: number): number =>
  amountAt(toRaisableAmount(limit), at)

const raiseOf = ({ raise_amount, raise_until_ms }: Selectable<LimitRow>): Limit["raise"] =>
  raise_amount === null || raise_until_ms === null
    ? null
    : { amount: raise_amount, until: Math.floor(raise_until_ms / 1000) }

const toLimit = (row: Selectable<LimitRow>): StoredLimit => ({
  id: row.id,
  target: {
    type: LimitTargetType.parse(row.target_type),
    ...(row.target_id !== null && { id: row.target_id }),
  },
  ...(row.model !== null && { model: row.model }),
  metric: LimitMetric.parse(row.metric),
  amount: row.amount,
  window: LimitWindow.parse(row.time_window),
  mode: row.mode === "soft" ? "soft" : "hard",
  time_zone: row.time_zone,
  rolling: row.rolling === 1,
  raise: raiseOf(row),
  set_by: LimitSetter.parse(row.set_by),
  group_id: row.group_id,
  createdMs: row.created_ms,
  updatedMs: row.updated_ms,
})

const toChangeableColumns = (limit: StoredLimit) => {
  const { raiseAmount, raiseUntil, amount } = toRaisableAmount(limit)
  return {
    amount,
    time_window: limit.window,
    mode: limit.mode,
    time_zone: limit.time_zone,
    rolling: limit.rolling ? 1 : 0,
    raise_amount: raiseAmount,
    raise_until_ms: raiseUntil,
    updated_ms: limit.updatedMs,
  } satisfies Updateable<LimitRow>
}

const toRow = (limit: StoredLimit): Insertable<LimitRow> => ({
  ...toChangeableColumns(limit),
  id: limit.id,
  target_type: limit.target.type,
  target_id: limit.target.id ?? null,
  model: limit.model ?? null,
  metric: limit.metric,
  arrival_ms: null,
  set_by: limit.set_by,
  group_id: limit.group_id,
  created_ms: limit.createdMs,
})

const tableByTarget = { group: "groups", user: "users", key: "api_keys" } as const
type TableTarget = keyof typeof tableByTarget

export const isTableTarget = (type: string): type is TableTarget =>
  Object.hasOwn(tableByTarget, type)

/** What was set; `ledger/sql-ledger-store.ts` has what is used of it. */
export const createLimitStore = (db: Database) => ({
  list: async (): Promise<StoredLimit[]> => {
    const rows = await db.read
      .selectFrom("limits")
      .selectAll()
      .orderBy("created_ms")
      .orderBy("id")
      .execute()
    return rows.map(toLimit)
  },

  findById: async (id: string): Promise<StoredLimit | undefined> => {
    const query = db.read.selectFrom("limits").selectAll().where("id", "=", id)
    const row = await query.executeTakeFirst()
    return row && toLimit(row)
  },

  /** Locks the limit until the end of `tx`, as the ledger does. */
  lockById: async (tx: Tx, id: string): Promise<StoredLimit | undefined> => {
    const query = tx.selectFrom("limits").selectAll().where("id", "=", id)
    const row = await (db.dialect === "postgres" ? query.forUpdate() : query).executeTakeFirst()
    return row && toLimit(row)
  },

  count: (reader: Reader): Promise<number> => countRows(reader.selectFrom("limits")),

  insert: async (tx: Tx, limit: StoredLimit): Promise<void> => {
    await tx.insertInto("limits").values(toRow(limit)).execute()
  },

  update: async (tx: Tx, limit: StoredLimit): Promise<void> => {
    await tx
      .updateTable("limits")
      .set(toChangeableColumns(limit))
      .where("id", "=", limit.id)
      .execute()
  },

  /** Whether the group, user or key exists. */
  hasTarget: async (reader: Reader, type: TableTarget, id: string): Promise<boolean> => {
    const row = await reader
      .selectFrom(tableByTarget[type])
      .select("id")
      .where("id", "=", id)
      .executeTakeFirst()
    return row !== undefined
  },

  listOfTarget: async (tx: Tx, { type, id = "" }: LimitTarget): Promise<StoredLimit[]> => {
    const rows = await tx
      .selectFrom("limits")
      .selectAll()
      .where("target_type", "=", type)
      .where("target_id", "=", id)
      .execute()
    return rows.map(toLimit)
  },

  /** How many limits a user has set for their own keys. */
  countOwn: (tx: Tx, userId: string): Promise<number> =>
    countRows(
      tx
        .selectFrom("limits")
        .innerJoin("api_keys", "api_keys.id", "limits.target_id")
        .where("limits.target_type", "=", "key")
        .where("limits.set_by", "=", "owner")
        .where("api_keys.user_id", "=", userId),
    ),

  /** How many limits the managers of a group have set. */
  countOfGroup: (tx: Tx, groupId: string): Promise<number> =>
    countRows(tx.selectFrom("limits").where("group_id", "=", groupId)),

  /**
   * Gives a key the limits of the one that it replaces, with what is used of them.
   * @returns their ids
   */
  moveKeyLimits: async (
    tx: Tx,
    { from, to }: { from: string; to: string },
  ): Promise<readonly string[]> => {
    const query = tx
      .selectFrom("limits")
      .select("id")
      .where("target_type", "=", "key")
      .where("target_id", "=", from)
      // As the ledger does: two transactions must not wait for each other.
      .orderBy("id")
    const rows = await (db.dialect === "postgres" ? query.forUpdate() : query).execute()
    const ids = rows.map(({ id }) => id)
    if (ids.length > 0)
      await tx.updateTable("limits").set({ target_id: to }).where("id", "in", ids).execute()
    return ids
  },

  /** Ids of limits of groups, users, keys and connections, or of groups' managers, that no longer exist. */
  findOrphans: async (): Promise<string[]> => {
    const found: string[] = []
    for (const [type, table] of Object.entries({
      ...tableByTarget,
      connection: "connections" as const,
    })) {
      const rows = await db.read
        .selectFrom("limits")
        .select(["limits.id", "target_id"])
        .where("target_type", "=", type)
        .where("target_id", "not in", (eb) => eb.selectFrom(table).select("id"))
        .execute()
      for (const { id, target_id } of rows)
        if (target_id !== null && !isEnvironmentId(target_id)) found.push(id)
    }
    const ofManagers = await db.read
      .selectFrom("limits")
      .select("limits.id")
      .where("group_id", "is not", null)
      .where("group_id", "not in", (eb) => eb.selectFrom("groups").select("id"))
      .execute()
    return [...new Set([...found, ...ofManagers.map(({ id }) => id)])]
  },

  remove: async (tx: Tx, ids: readonly string[]): Promise<void> => {
    await tx.deleteFrom("limits").where("id", "in", ids).execute()
  },
})

export type LimitStore = ReturnType<typeof createLimitStore>
