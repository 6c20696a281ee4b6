import type { ExpressionBuilder, Insertable, Selectable } from "kysely"
import { readInChunks } from "../db/chunked-queries.ts"
import type { Database, Reader, Tx } from "../db/database.ts"
import { foldCase } from "../db/fold-case.ts"
import { readPage } from "../db/paged-queries.ts"
import type { GroupRow, Tables } from "../db/tables.ts"
import { columnContains } from "../db/text-matching.ts"
import { tryUniqueWrite } from "../db/write-conflicts.ts"
import type { Page } from "../http/pagination.ts"
import { removeGrantsTo } from "../users/grant-removal.ts"
import { RecordSource } from "../users/schema.ts"
import {
  type Group,
  type GroupListQuery,
  type GroupMember,
  GroupRole,
  type MemberListQuery,
  type NamedGroup,
  type OwnGroup,
} from "./schema.ts"

/** A stored group, without its member count. */
export type StoredGroup = Omit<Group, "member_count" | "created_at" | "updated_at"> & {
  /** Epoch milliseconds. */
  created_ms: number
  updated_ms: number
}

/** Converts a stored group to the API's representation, with times in seconds. */
export const toCountedGroup = (
  { created_ms, updated_ms, ...group }: StoredGroup,
  member_count: number,
): Group => ({
  ...group,
  member_count,
  created_at: Math.floor(created_ms / 1000),
  updated_at: Math.floor(updated_ms / 1000),
})

type CountedRow = Selectable<GroupRow> & { member_count: number | null }

const memberCount = (eb: ExpressionBuilder<Tables, "groups">) =>
  eb
    .selectFrom("group_members")
    .whereRef("group_members.group_id", "=", "groups.id")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .as("member_count")

export const toStoredGroup = ({ name_key, ...row }: Selectable<GroupRow>): StoredGroup => ({
  ...row,
  source: RecordSource.parse(row.source),
  pays: row.pays === 1,
})

const toRow = (group: StoredGroup): Insertable<GroupRow> => ({
  ...group,
  name_key: foldCase(group.name),
  pays: group.pays ? 1 : 0,
})

const toGroup = ({ member_count, ...row }: CountedRow): Group =>
  toCountedGroup(toStoredGroup(row), member_count ?? 0)

export interface GroupStore {
  byId(id: string, reader?: Reader): Promise<Group | undefined>
  /** Reads a group without counting its members, which can be slow. */
  byIdUncounted(tx: Tx, id: string): Promise<StoredGroup | undefined>
  list(query: GroupListQuery): Promise<Page<Group>>
  exists(id: string, reader: Reader): Promise<boolean>
  /** Names of the groups that still exist. */
  listNames(ids: readonly string[]): Promise<NamedGroup[]>
  /** The groups of a user, sorted by name. */
  groupsOf(userId: string): Promise<OwnGroup[]>
  /** Ids of local groups with one of these names, regardless of case. */
  localIdsByName(tx: Tx, names: readonly string[]): Promise<string[]>
  members(id: string, query: MemberListQuery): Promise<Page<GroupMember>>
  /** @returns those of `userIds` that manage the group */
  managersAmong(id: string, userIds: readonly string[], reader: Reader): Promise<string[]>
  /** @returns those of `userIds` that are members and had another role */
  setRole(tx: Tx, id: string, userIds: readonly string[], role: GroupRole): Promise<string[]>
  /** @returns false if the name is taken */
  insert(tx: Tx, group: StoredGroup): Promise<boolean>
  /** @returns false if another group has the name; `tx` can then only be rolled back */
  update(tx: Tx, group: StoredGroup): Promise<boolean>
  remove(tx: Tx, id: string): Promise<void>
  /** Removes the group's service keys. @returns them */
  removeKeys(tx: Tx, id: string): Promise<{ id: string; name: string }[]>
  /** @returns those of `userIds` that belong to accounts */
  existingUserIds(tx: Tx, userIds: readonly string[]): Promise<string[]>
  /** The id of the active account with an email address, regardless of case. */
  userIdByEmail(tx: Tx, email: string): Promise<string | undefined>
  memberIds(tx: Tx, id: string): Promise<string[]>
  /** @returns those of `userIds` that were not members before */
  addMembers(tx: Tx, id: string, userIds: readonly string[]): Promise<string[]>
  /** @returns those of `userIds` that were members */
  removeMembers(tx: Tx, id: string, userIds: readonly string[]): Promise<string[]>
  leaveGroups(tx: Tx, userId: string): Promise<void>
}

export const createGroupStore = (db: Database): GroupStore => ({
  byId: async (id, reader = db.read) => {
    const row = await reader
      .selectFrom("groups")
      .selectAll()
      .select(memberCount)
      .where("id", "=", id)
      .executeTakeFirst()
    return row && toGroup(row)
  },

  byIdUncounted: async (tx, id) => {
    const row = await tx.selectFrom("groups").selectAll().where("id", "=", id).executeTakeFirst()
    return row && toStoredGroup(row)
  },

  list: async (query) => {
    let matching = db.read.selectFrom("groups")
    if (query.query) matching = matching.where(columnContains("name_key", query.query))
    const sorted = matching
      .selectAll()
      .select(memberCount)
      .orderBy(query.order_by === "name" ? "name_key" : "created_ms", query.direction)
      .orderBy("id", query.direction)
    const { items, total } = await readPage(sorted, query)
    return { items: items.map(toGroup), total }
  },

  exists: async (id, reader) => {
    const found = reader.selectFrom("groups").select("id").where("id", "=", id)
    return (await found.executeTakeFirst()) !== undefined
  },

  groupsOf: async (userId) => {
    const rows = await db.read
      .selectFrom("group_members")
      .innerJoin("groups", "groups.id", "group_members.group_id")
      .where("user_id", "=", userId)
      .select(["groups.id", "groups.name", "group_members.role"])
      .execute()
    return rows
      .map((row) => ({ ...row, role: GroupRole.parse(row.role) }))
      .sort((a, b) => a.name.localeCompare(b.name))
  },

  listNames: (ids) =>
    readInChunks(ids, (some) =>
      db.read.selectFrom("groups").select(["id", "name"]).where("id", "in", some).execute(),
    ),

  localIdsByName: async (tx, names) => {
    const keys = [...new Set(names.map(foldCase))]
    const rows = await readInChunks(keys, (some) =>
      tx
        .selectFrom("groups")
        .select("id")
        .where("source", "=", "local")
        .where("name_key", "in", some)
        .execute(),
    )
    return rows.map(({ id }) => id)
  },

  members: async (id, query) => {
    let members = db.read
      .selectFrom("group_members")
      .innerJoin("users", "users.id", "group_members.user_id")
      .where("group_id", "=", id)
    if (query.id !== undefined) members = members.where("users.id", "=", query.id)
    const sorted = members
      .select(["users.id", "users.name", "users.email", "group_members.role"])
      .orderBy("users.name_key", query.direction)
      .orderBy("users.id", query.direction)
    const { items, total } = await readPage(sorted, query)
    return { items: items.map((row) => ({ ...row, role: GroupRole.parse(row.role) })), total }
  },

  managersAmong: async (id, userIds, reader) => {
    const rows = await readInChunks(userIds, (some) =>
      reader
        .selectFrom("group_members")
        .select("user_id")
        .where("group_id", "=", id)
        .where("role", "=", "manager")
        .where("user_id", "in", some)
        .execute(),
    )
    return rows.map(({ user_id }) => user_id)
  },

  setRole: async (tx, id, userIds, role) => {
    const rows = await readInChunks(userIds, (some) =>
      tx
        .updateTable("group_members")
        .set({ role })
        .where("group_id", "=", id)
        .where("role", "!=", role)
        .where("user_id", "in", some)
        .returning("user_id")
        .execute(),
    )
    return rows.map(({ user_id }) => user_id)
  },

  userIdByEmail: async (tx, email) => {
    const found = tx
      .selectFrom("users")
      .select("id")
      .where("email_key", "=", foldCase(email.trim()))
      .where("hidden", "=", 0)
      .where("active", "=", 1)
      .where("role", "!=", "pending")
    return (await found.executeTakeFirst())?.id
  },

  insert: async (tx, group) => {
    const inserted = await tx
      .insertInto("groups")
      .values(toRow(group))
      .onConflict((conflict) => conflict.column("name_key").doNothing())
      .returning("id")
      .executeTakeFirst()
    return inserted !== undefined
  },

  update: async (tx, group) => {
    const { id, ...row } = toRow(group)
    return tryUniqueWrite(() => tx.updateTable("groups").set(row).where("id", "=", id).execute())
  },

  remove: async (tx, id) => {
    await removeGrantsTo(tx, "group", id)
    await tx.deleteFrom("groups").where("id", "=", id).execute()
  },

  removeKeys: (tx, id) =>
    tx.deleteFrom("api_keys").where("group_id", "=", id).returning(["id", "name"]).execute(),

  existingUserIds: async (tx, userIds) => {
    const rows = await readInChunks(userIds, (some) =>
      tx.selectFrom("users").select("id").where("id", "in", some).where("hidden", "=", 0).execute(),
    )
    return rows.map(({ id }) => id)
  },

  memberIds: async (tx, id) => {
    const members = tx.selectFrom("group_members").select("user_id").where("group_id", "=", id)
    return (await members.execute()).map(({ user_id }) => user_id)
  },

  addMembers: async (tx, id, userIds) => {
    const rows = await readInChunks(userIds, (some) =>
      tx
        .insertInto("group_members")
        .values(some.map((user_id) => ({ group_id: id, user_id })))
        .onConflict((conflict) => conflict.doNothing())
        .returning("user_id")
        .execute(),
    )
    return rows.map(({ user_id }) => user_id)
  },

  removeMembers: async (tx, id, userIds) => {
    const rows = await readInChunks(userIds, (some) =>
      tx
        .deleteFrom("group_members")
        .where("group_id", "=", id)
        .where("user_id", "in", some)
        .returning("user_id")
        .execute(),
    )
    return rows.map(({ user_id }) => user_id)
  },

  leaveGroups: async (tx, userId) => {
    await tx.deleteFrom("group_members").where("user_id", "=", userId).execute()
  },
})
