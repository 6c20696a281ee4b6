import type { Selectable } from "kysely"
import type { Database, Reader, Tx } from "../db/database.ts"
import type { InvitationRow } from "../db/invitation-tables.ts"
import { countRows } from "../db/paged-queries.ts"
import type { ListQuery } from "../http/pagination.ts"

/** Settled invitations are listed for this long after they expire. */
const keptSeconds = 90 * 86_400

/** An invitation with what its state depends on. */
export interface StoredInvitation extends Selectable<InvitationRow> {
  creator_name: string
  creator_role: string
  creator_active: number
  account_email: string | null
}

export const createInvitationStore = ({ read }: Pick<Database, "read">) => {
  const select = (reader: Reader) =>
    reader
      .selectFrom("invitations")
      .innerJoin("users as creator", "creator.id", "invitations.created_by")
      .leftJoin("users as account", "account.id", "invitations.accepted_by")
      .selectAll("invitations")
      .select([
        "creator.name as creator_name",
        "creator.role as creator_role",
        "creator.active as creator_active",
        "account.email as account_email",
      ])

  return {
    byId: (id: string, reader: Reader = read): Promise<StoredInvitation | undefined> =>
      select(reader).where("invitations.id", "=", id).executeTakeFirst(),

    byHash: (hash: string, reader: Reader = read): Promise<StoredInvitation | undefined> =>
      select(reader).where("invitations.hash", "=", hash).executeTakeFirst(),

    list: async ({ page, page_size }: Pick<ListQuery, "page" | "page_size">) => {
      const items: StoredInvitation[] = await select(read)
        .orderBy("invitations.created_at", "desc")
        .orderBy("invitations.id", "desc")
        .limit(page_size)
        .offset((page - 1) * page_size)
        .execute()
      return { items, total: await countRows(read.selectFrom("invitations")) }
    },

    /** Drops those that expired long before `now`. */
    dropExpired: async (tx: Tx, now: number): Promise<void> => {
      await tx
        .deleteFrom("invitations")
        .where("expires_at", "<", now - keptSeconds)
        .execute()
    },

    insert: async (tx: Tx, row: InvitationRow): Promise<void> => {
      await tx.insertInto("invitations").values(row).execute()
    },

    /** Marks an open invitation. @returns false if it is not open: of two calls, one gets true */
    settle: async (
      tx: Tx,
      id: string,
      set: Partial<Pick<InvitationRow, "revoked_at" | "accepted_at">>,
    ): Promise<boolean> => {
      const settled = await tx
        .updateTable("invitations")
        .set(set)
        .where("id", "=", id)
        .where("accepted_at", "is", null)
        .where("revoked_at", "is", null)
        .returning("id")
        .execute()
      return settled.length > 0
    },

    setAccount: async (tx: Tx, id: string, userId: string): Promise<void> => {
      await tx
        .updateTable("invitations")
        .set({ accepted_by: userId })
        .where("id", "=", id)
        .execute()
    },
  }
}
