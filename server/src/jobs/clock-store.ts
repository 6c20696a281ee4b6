import type { Database } from "../db/database.ts"
import type { ClockStateRow } from "../db/tables.ts"

export type ClockState = Pick<ClockStateRow, "seen_at" | "doubt_ms">

const id = "clock"

/** The time at which the gateway last ran, in epoch milliseconds. */
export const createClockStore = (db: Database) => ({
  read: (): Promise<ClockState | undefined> =>
    db.read
      .selectFrom("clock_state")
      .select(["seen_at", "doubt_ms"])
      .where("id", "=", id)
      .executeTakeFirst(),

  /** When the newest audit event was recorded: every sign-in and every change adds one. */
  newestRecord: async (): Promise<number | null> => {
    const newest = await db.read
      .selectFrom("audit_events")
      .select("at")
      .orderBy("id", "desc")
      .limit(1)
      .executeTakeFirst()
    return newest ? Number(newest.at) * 1000 : null
  },

  write: (state: ClockState): Promise<void> =>
    db.essential.transactRelaxed(async (tx) => {
      await tx
        .insertInto("clock_state")
        .values({ id, ...state })
        .onConflict((conflict) => conflict.column("id").doUpdateSet(state))
        .execute()
    }),
})

export type ClockStore = ReturnType<typeof createClockStore>
