import type { Insertable, Selectable } from "kysely"
import type { Database, Reader, Tx } from "../db/database.ts"
import type { PriceRow } from "../db/tables.ts"
import type { PriceEntry } from "./schema.ts"

/** Six parameters each, which is well below either database's limit. */
const rowsPerStatement = 500

const toRow = (entry: PriceEntry, updated_at: number): Insertable<PriceRow> => {
  const { model, provider = "", connection = "", from, ...rest } = entry
  return {
    ...{ model, provider, connection_id: connection, valid_from: from },
    ...{ entry: JSON.stringify(rest), updated_at },
  }
}

const toEntry = ({ model, provider, connection_id, ...row }: Selectable<PriceRow>): PriceEntry => ({
  ...{ model, from: row.valid_from },
  ...(provider !== "" && { provider }),
  ...(connection_id !== "" && { connection: connection_id }),
  ...JSON.parse(row.entry),
})

/** The entries of administrators. */
export const createPriceStore = (db: Pick<Database, "read">) => ({
  list: async (reader: Reader = db.read): Promise<PriceEntry[]> => {
    const rows = await reader
      .selectFrom("prices")
      .selectAll()
      .orderBy("model")
      .orderBy("provider")
      .orderBy("connection_id")
      .orderBy("valid_from")
      .execute()
    return rows.map(toEntry)
  },

  listOf: async (model: string, reader: Reader): Promise<PriceEntry[]> => {
    const rows = await reader.selectFrom("prices").selectAll().where("model", "=", model).execute()
    return rows.map(toEntry)
  },

  count: async (reader: Reader): Promise<number> => {
    const { count } = await reader
      .selectFrom("prices")
      .select(({ fn }) => fn.countAll<number>().as("count"))
      .executeTakeFirstOrThrow()
    return Number(count)
  },

  /** Adds entries; replaces those of the same model, provider, connection and time. */
  save: async (tx: Tx, entries: readonly PriceEntry[], now: number): Promise<void> => {
    for (let at = 0; at < entries.length; at += rowsPerStatement) {
      await tx
        .insertInto("prices")
        .values(entries.slice(at, at + rowsPerStatement).map((entry) => toRow(entry, now)))
        .onConflict((conflict) =>
          conflict
            .columns(["model", "provider", "connection_id", "valid_from"])
            .doUpdateSet(({ ref }) => ({
              entry: ref("excluded.entry"),
              updated_at: ref("excluded.updated_at"),
            })),
        )
        .execute()
    }
  },

  remove: async (tx: Tx, entries: readonly PriceEntry[]): Promise<void> => {
    for (const { model, provider = "", connection = "", from } of entries) {
      await tx
        .deleteFrom("prices")
        .where("model", "=", model)
        .where("provider", "=", provider)
        .where("connection_id", "=", connection)
        .where("valid_from", "=", from)
        .execute()
    }
  },
})

export type PriceStore = ReturnType<typeof createPriceStore>
