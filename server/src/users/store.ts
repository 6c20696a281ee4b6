import { sql } from "kysely"
import type { Database, Reader, Tx } from "../db/database.ts"
import { foldCase } from "../db/fold-case.ts"
import { countRows, orderNullsFirst, readPage } from "../db/paged-queries.ts"
import { columnContains, escapeLike } from "../db/text-matching.ts"
import { tryUniqueWrite } from "../db/write-conflicts.ts"
import type { Page } from "../http/pagination.ts"
import { removeGrantsOnObjectsOf, removeGrantsTo } from "./grant-removal.ts"
import type { User, UserEmail, UserListQuery } from "./schema.ts"
import {
  type StoredUser,
  toEmailRows,
  toPublicUser,
  toStoredUser,
  toUserEmail,
  toUserRow,
} from "./user-rows.ts"

/** Text is sorted by its case-folded form, which is the same on every database. */
const sortColumns = {
  name: "name_key",
  email: "email_key",
  role: "role",
  created_at: "created_ms",
  last_active_at: "last_active_at",
} as const

export interface UserStore {
  byId(id: string, reader?: Reader): Promise<StoredUser | undefined>
  byEmail(email: string, reader?: Reader): Promise<StoredUser | undefined>
  /** All accounts with this externalId, including deleted and released ones. */
  byExternalId(externalId: string, reader?: Reader): Promise<StoredUser[]>
  /** Whether a deleted account had this e-mail address, which has since been released. */
  wasDeletedWithEmail(email: string, reader?: Reader): Promise<boolean>
  list(query: UserListQuery): Promise<Page<User>>
  count(): Promise<number>
  hasAny(reader?: Reader): Promise<boolean>
  /** Whether there is an active administrator other than `id`. */
  hasOtherAdmin(tx: Tx, id: string): Promise<boolean>
  /** @returns false if the e-mail address is taken */
  insert(tx: Tx, user: StoredUser, emails: readonly UserEmail[]): Promise<boolean>
  /** @returns false if another account has the e-mail address; `tx` can then only be rolled back */
  update(tx: Tx, user: StoredUser): Promise<boolean>
  remove(tx: Tx, id: string): Promise<void>
  emails(id: string, reader?: Reader): Promise<UserEmail[]>
  replaceEmails(tx: Tx, id: string, emails: readonly UserEmail[]): Promise<void>
}

export const createUserStore = (db: Database): UserStore => ({
  byId: (id, reader = db.read) => findUser(reader, "id", id),
  byEmail: (email, reader = db.read) => findUser(reader, "email_key", foldCase(email)),

  byExternalId: async (externalId, reader = db.read) => {
    const rows = await reader
      .selectFrom("users")
      .selectAll()
      .where("external_id", "=", externalId)
      .limit(10)
      .execute()
    return rows.map(toStoredUser)
  },

  wasDeletedWithEmail: async (email, reader = db.read) => {
    const pattern = `${escapeLike(foldCase(email))} %`
    const row = await reader
      .selectFrom("users")
      .select("id")
      .where("hidden", "=", 1)
      .where(sql<boolean>`email_key like ${pattern} escape '\\'`)
      .limit(1)
      .executeTakeFirst()
    return row !== undefined
  },

  list: async (query) => {
    let matching = db.read.selectFrom("users")
    const { query: text } = query
    if (text) {
      matching = matching.where(({ or }) =>
        or([columnContains("email_key", text), columnContains("name_key", text)]),
      )
    }
    if (query.role) matching = matching.where("role", "=", query.role)
    if (query.active !== undefined) matching = matching.where("active", "=", query.active ? 1 : 0)
    const sorted = matching
      .selectAll()
      .orderBy(sortColumns[query.order_by], orderNullsFirst(query.direction))
      .orderBy("id", query.direction)
    const { items, total } = await readPage(sorted, query)
    return { items: items.map((row) => toPublicUser(toStoredUser(row))), total }
  },

  count: () => countRows(db.read.selectFrom("users")),

  hasAny: async (reader = db.read) =>
    (await reader.selectFrom("users").select("id").limit(1).executeTakeFirst()) !== undefined,

  hasOtherAdmin: async (tx, id) =>
    (await tx
      .selectFrom("users")
      .select("id")
      .where("role", "=", "admin")
      .where("active", "=", 1)
      .where("id", "!=", id)
      .limit(1)
      .executeTakeFirst()) !== undefined,

  insert: async (tx, user, emails) => {
    const inserted = await tx
      .insertInto("users")
      .values(toUserRow(user))
      .onConflict((conflict) => conflict.column("email_key").doNothing())
      .returning("id")
      .executeTakeFirst()
    if (!inserted) return false
    await replaceEmails(tx, user.id, emails)
    return true
  },

  update: async (tx, user) => {
    const { id, ...row } = toUserRow(user)
    return tryUniqueWrite(() => tx.updateTable("users").set(row).where("id", "=", id).execute())
  },

  remove: async (tx, id) => {
    await removeGrantsTo(tx, "user", id)
    await removeGrantsOnObjectsOf(tx, id)
    await tx.deleteFrom("users").where("id", "=", id).execute()
  },

  emails: async (id, reader = db.read) => {
    const rows = await reader
      .selectFrom("user_emails")
      .selectAll()
      .where("user_id", "=", id)
      .orderBy("position")
      .execute()
    return rows.map(toUserEmail)
  },

  replaceEmails,
})

const findUser = async (reader: Reader, column: "id" | "email_key", value: string) => {
  const row = await reader
    .selectFrom("users")
    .selectAll()
    .where(column, "=", value)
    .executeTakeFirst()
  return row && toStoredUser(row)
}

const replaceEmails = async (tx: Tx, id: string, emails: readonly UserEmail[]): Promise<void> => {
  await tx.deleteFrom("user_emails").where("user_id", "=", id).execute()
  if (emails.length === 0) return
  await tx.insertInto("user_emails").values(toEmailRows(id, emails)).execute()
}
