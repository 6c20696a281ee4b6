import { readInChunks } from "../db/chunked-queries.ts"
import type { Database, Reader, Tx } from "../db/database.ts"
import type { SessionRow } from "../db/tables.ts"
import { fail } from "../errors.ts"
import {
  type AuthenticatedCredential,
  type Caller,
  isServiceKey,
  noCredentialLimits,
  type RefreshCaller,
  type UserAccess,
} from "../http/caller.ts"
import { translatable } from "../i18n/message.ts"
import { Role as RoleSchema } from "../users/schema.ts"
import { parseLimits } from "./key-store.ts"
import { apiKeyRestrictionNames } from "./schema.ts"

/** An active user and the credential that identifies them. */
export type CredentialHolder = Omit<Caller, "confirmed_at">

/** A fixed order prevents deadlocks between processes that write concurrently. */
const sortById = (seen: ReadonlyMap<string, number>): [string, number][] =>
  [...seen].sort(([one], [other]) => (one < other ? -1 : 1))

interface UserColumns {
  user_id: string
  email: string
  user_name: string
  role: string
}

const maxSessionsEnded = 500

export interface AuthStore {
  /** Role and groups of the active users among `userIds`. */
  accessByUser(userIds: ReadonlySet<string>, reader?: Reader): Promise<Map<string, UserAccess>>
  refreshCaller: RefreshCaller
  /** Role and groups by credential id, for those that exist and belong to an active user. */
  accessByCredential(
    credentials: readonly AuthenticatedCredential[],
  ): Promise<Map<string, UserAccess>>
  /** The active user or the group that a key belongs to, by the key's SHA-256. */
  byKeyHash(hash: string): Promise<CredentialHolder | undefined>
  /** The active user that an existing session belongs to. */
  bySession(id: string): Promise<CredentialHolder | undefined>
  insertSession(tx: Tx, session: SessionRow): Promise<void>
  /**
   * Ends a user's oldest sessions beyond the newest `max`. @returns the ids of the ended sessions
   */
  endOldestSessions(tx: Tx, userId: string, max: number): Promise<string[]>
  sessionsOf(userId: string): Promise<SessionRow[]>
  /** @returns false if the user has no such session */
  endSession(tx: Tx, userId: string, id: string): Promise<boolean>
  endSessions(tx: Tx, userId: string): Promise<void>
  dropExpiredSessions(tx: Tx, now: number): Promise<void>
  removeKeys(tx: Tx, userId: string): Promise<void>
  /** Writes when users, keys and sessions were last used; each map is id → epoch seconds. */
  recordLastUse(
    tx: Tx,
    seen: Record<"users" | "api_keys" | "sessions", Map<string, number>>,
  ): Promise<void>
}

export const createAuthStore = (db: Database): AuthStore => {
  const userColumns = ["users.id as user_id", "email", "users.name as user_name", "role"] as const

  const toHolder = async (
    row: UserColumns,
    credential: AuthenticatedCredential,
  ): Promise<CredentialHolder> => {
    const groups = await db.read
      .selectFrom("group_members")
      .innerJoin("groups", "groups.id", "group_members.group_id")
      .select(["group_id", "pays"])
      .where("user_id", "=", row.user_id)
      // Ids begin with the time of creation.
      .orderBy("group_id")
      .execute()
    return {
      user: {
        id: row.user_id,
        email: row.email,
        name: row.user_name,
        role: RoleSchema.parse(row.role),
      },
      groups: new Set(groups.map(({ group_id }) => group_id)),
      paying_group: groups.find(({ pays }) => pays === 1)?.group_id ?? null,
      credential,
    }
  }

  const byServiceKeyHash = async (hash: string): Promise<CredentialHolder | undefined> => {
    const row = await db.read
      .selectFrom("api_keys")
      .innerJoin("groups", "groups.id", "api_keys.group_id")
      .select(["api_keys.id", "api_keys.name", "groups.id as group_id"])
      .select(apiKeyRestrictionNames)
      .where("api_keys.hash", "=", hash)
      .executeTakeFirst()
    if (!row) return undefined
    const { id, name } = row
    return {
      user: { id, email: "", name, role: "user" },
      groups: new Set([row.group_id]),
      // Whether or not the group pays for its members.
      paying_group: row.group_id,
      credential: { type: "service_key", id, limits: parseLimits(row) },
    }
  }

  const byKeyHash = async (hash: string): Promise<CredentialHolder | undefined> => {
    const row = await db.read
      .selectFrom("api_keys")
      .innerJoin("users", "users.id", "api_keys.user_id")
      .select([...userColumns, "api_keys.id as key_id"])
      .select(apiKeyRestrictionNames)
      .where("api_keys.hash", "=", hash)
      .where("users.active", "=", 1)
      .executeTakeFirst()
    if (!row) return byServiceKeyHash(hash)
    return toHolder(row, { type: "key", id: row.key_id, limits: parseLimits(row) })
  }

  const accessByUser = async (
    userIds: ReadonlySet<string>,
    reader: Reader = db.read,
  ): Promise<Map<string, UserAccess>> => {
    const ids = [...userIds]
    const users = await readInChunks(ids, (some) =>
      reader
        .selectFrom("users")
        .select(["id", "role"])
        .where("id", "in", some)
        .where("active", "=", 1)
        .execute(),
    )
    const members = await readInChunks(ids, (some) =>
      reader.selectFrom("group_members").selectAll().where("user_id", "in", some).execute(),
    )
    const groupsByUser = Map.groupBy(members, ({ user_id }) => user_id)
    const accessOf = ({ id, role }: (typeof users)[number]): UserAccess => ({
      role: RoleSchema.parse(role),
      groups: new Set(groupsByUser.get(id)?.map(({ group_id }) => group_id)),
    })
    return new Map(users.map((user) => [user.id, accessOf(user)]))
  }

  const findOwners = (
    table: "api_keys" | "sessions",
    credentials: readonly AuthenticatedCredential[] = [],
  ) =>
    readInChunks(
      credentials.map(({ id }) => id),
      (some) =>
        db.read
          .selectFrom(table)
          .select(["id", "user_id"])
          .where("id", "in", some)
          .where("user_id", "is not", null)
          .$narrowType<{ user_id: string }>()
          .execute(),
    )

  /** Access of the service keys that exist, by their id. */
  const accessByServiceKey = async (
    ids: readonly string[],
    reader: Reader = db.read,
  ): Promise<[string, UserAccess][]> => {
    const rows = await readInChunks(ids, (some) =>
      reader
        .selectFrom("api_keys")
        .select(["id", "group_id"])
        .where("id", "in", some)
        .where("group_id", "is not", null)
        .$narrowType<{ group_id: string }>()
        .execute(),
    )
    return rows.map(({ id, group_id }) => [id, { role: "user", groups: new Set([group_id]) }])
  }

  const accessByCredential = async (
    credentials: readonly AuthenticatedCredential[],
  ): Promise<Map<string, UserAccess>> => {
    const { key, session, service_key = [] } = Object.groupBy(credentials, ({ type }) => type)
    const owners = [
      ...(await findOwners("api_keys", key)),
      ...(await findOwners("sessions", session)),
    ]
    const accessOfUsers = await accessByUser(new Set(owners.map(({ user_id }) => user_id)))
    const entries = owners.flatMap(({ id, user_id }): [string, UserAccess][] => {
      const access = accessOfUsers.get(user_id)
      return access ? [[id, access]] : []
    })
    const serviceKeys = await accessByServiceKey(service_key.map(({ id }) => id))
    return new Map([...entries, ...serviceKeys])
  }

  const refreshCaller: RefreshCaller = async (tx, caller) => {
    const { id } = caller.user
    const accessById = isServiceKey(caller)
      ? new Map(await accessByServiceKey([id], tx))
      : await accessByUser(new Set([id]), tx)
    const access = accessById.get(id)
    if (!access) return fail("unauthorized", translatable("account_not_active"))
    const { role, groups } = access
    return { ...caller, user: { ...caller.user, role }, groups }
  }

  return {
    accessByUser,
    refreshCaller,
    accessByCredential,
    byKeyHash,

    bySession: async (id) => {
      const row = await db.read
        .selectFrom("sessions")
        .innerJoin("users", "users.id", "sessions.user_id")
        .select([...userColumns, "expires_at"])
        .where("sessions.id", "=", id)
        .where("users.active", "=", 1)
        .executeTakeFirst()
      if (!row) return undefined
      const { expires_at } = row
      return toHolder(row, { type: "session", id, limits: { ...noCredentialLimits, expires_at } })
    },

    insertSession: async (tx, session) => {
      await tx.insertInto("sessions").values(session).execute()
    },

    endOldestSessions: async (tx, userId, max) => {
      const oldest = await tx
        .selectFrom("sessions")
        .select("id")
        .where("user_id", "=", userId)
        .orderBy("created_at", "desc")
        .orderBy("id", "desc")
        .offset(max)
        // SQLite does not support OFFSET without LIMIT.
        .limit(maxSessionsEnded)
        .execute()
      const ids = oldest.map(({ id }) => id)
      if (ids.length > 0) await tx.deleteFrom("sessions").where("id", "in", ids).execute()
      return ids
    },

    sessionsOf: (userId) =>
      db.read
        .selectFrom("sessions")
        .selectAll()
        .where("user_id", "=", userId)
        .orderBy("id", "desc")
        .execute(),

    endSession: async (tx, userId, id) => {
      const ended = await tx
        .deleteFrom("sessions")
        .where("user_id", "=", userId)
        .where("id", "=", id)
        .returning("id")
        .execute()
      return ended.length > 0
    },

    endSessions: async (tx, userId) => {
      await tx.deleteFrom("sessions").where("user_id", "=", userId).execute()
    },

    dropExpiredSessions: async (tx, now) => {
      await tx.deleteFrom("sessions").where("expires_at", "<=", now).execute()
    },

    removeKeys: async (tx, userId) => {
      await tx.deleteFrom("api_keys").where("user_id", "=", userId).execute()
    },

    recordLastUse: async (tx, seen) => {
      for (const [id, last_active_at] of sortById(seen.users)) {
        await tx.updateTable("users").set({ last_active_at }).where("id", "=", id).execute()
      }
      for (const table of ["api_keys", "sessions"] as const) {
        for (const [id, last_used_at] of sortById(seen[table])) {
          await tx.updateTable(table).set({ last_used_at }).where("id", "=", id).execute()
        }
      }
    },
  }
}
