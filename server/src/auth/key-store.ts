import type { Selectable } from "kysely"
import type { Database, Reader, Tx } from "../db/database.ts"
import { orderNullsFirst, readPage } from "../db/paged-queries.ts"
import type { ApiKeyRow } from "../db/tables.ts"
import { columnContains, columnContainsFolding } from "../db/text-matching.ts"
import type { CredentialLimits } from "../http/caller.ts"
import type { Page } from "../http/pagination.ts"
import type { AdministeredKey, ApiKey, ApiKeyRestrictions, KeyListQuery } from "./schema.ts"

/** Who a key belongs to: a service key belongs to a group. */
export interface KeyOwner {
  type: "user" | "group"
  id: string
}

export interface StoredKey extends ApiKey {
  /** Null for a service key; otherwise, `group_id` is. */
  user_id: string | null
  group_id: string | null
  hash: string
}

const columnByOwner = { user: "user_id", group: "group_id" } as const

const parseList = (text: string | null): string[] | null =>
  text === null ? null : JSON.parse(text)
const serializeList = (items: readonly string[] | null): string | null =>
  items === null ? null : JSON.stringify(items)

export const parseLimits = (row: Pick<ApiKeyRow, keyof CredentialLimits>): ApiKeyRestrictions => ({
  allowed_models: parseList(row.allowed_models),
  allowed_routes: parseList(row.allowed_routes),
  expires_at: row.expires_at,
})
const serializeLimits = (limits: CredentialLimits): Pick<ApiKeyRow, keyof CredentialLimits> => ({
  allowed_models: serializeList(limits.allowed_models),
  allowed_routes: serializeList(limits.allowed_routes),
  expires_at: limits.expires_at,
})

const toKey = (row: Selectable<ApiKeyRow>): StoredKey => ({ ...row, ...parseLimits(row) })

/** The owner of a stored key. */
export const ownerOf = ({ user_id, group_id }: Pick<StoredKey, "user_id" | "group_id">) =>
  user_id === null
    ? { type: "group" as const, id: group_id ?? "" }
    : { type: "user" as const, id: user_id }

type NamedKeyRow = Selectable<ApiKeyRow> & {
  user_name: string | null
  email: string | null
  group_name: string | null
}

const toAdministeredKey = ({ user_name, email, group_name, ...row }: NamedKeyRow) => {
  const { user_id, group_id, hash, ...key } = toKey(row)
  const name = user_name ?? group_name ?? ""
  return { ...key, owner: { ...ownerOf({ user_id, group_id }), name, email } }
}

const sortColumns = {
  created_at: "api_keys.id",
  last_used_at: "api_keys.last_used_at",
  expires_at: "api_keys.expires_at",
} as const

/** A page of keys, and the time since which a key was not used to be listed. */
export type KeyListOptions = KeyListQuery & {
  /** Epoch seconds. */
  unusedSince: number | null
}

export interface KeyStore {
  keysOf(owner: KeyOwner, reader?: Reader): Promise<StoredKey[]>
  listKeys(options: KeyListOptions): Promise<Page<AdministeredKey>>
  insertKey(tx: Tx, key: StoredKey): Promise<void>
  /** @returns undefined if there is no such key, or it belongs to another owner */
  removeKey(
    tx: Tx,
    id: string,
    owner?: KeyOwner,
  ): Promise<Pick<StoredKey, "name" | "user_id" | "group_id"> | undefined>
}

export const createKeyStore = (db: Database): KeyStore => ({
  keysOf: async ({ type, id }, reader = db.read) => {
    const rows = await reader
      .selectFrom("api_keys")
      .selectAll()
      .where(columnByOwner[type], "=", id)
      .orderBy("id")
      .execute()
    return rows.map(toKey)
  },

  listKeys: async ({ id, query, owner_type, never_used, unusedSince, ...options }) => {
    let keys = db.backgroundReader
      .selectFrom("api_keys")
      .leftJoin("users", "users.id", "api_keys.user_id")
      .leftJoin("groups", "groups.id", "api_keys.group_id")
    if (id !== undefined) keys = keys.where("api_keys.id", "=", id)
    if (owner_type) keys = keys.where(`api_keys.${columnByOwner[owner_type]}`, "is not", null)
    if (never_used) keys = keys.where("api_keys.last_used_at", "is", null)
    if (unusedSince !== null) {
      // A new key is not unused yet.
      keys = keys.where(({ fn, eb }) =>
        eb(fn.coalesce("api_keys.last_used_at", "api_keys.created_at"), "<", unusedSince),
      )
    }
    if (query) {
      keys = keys.where(({ eb, or }) =>
        or([
          columnContainsFolding("api_keys.name", query),
          eb("api_keys.hint", "=", query.slice(-4)),
          columnContains("users.email_key", query),
          columnContains("users.name_key", query),
          columnContains("groups.name_key", query),
        ]),
      )
    }
    const { order_by, direction } = options
    const sorted = keys
      .selectAll("api_keys")
      .select(["users.name as user_name", "users.email", "groups.name as group_name"])
      .orderBy(sortColumns[order_by], orderNullsFirst(direction))
      .orderBy("api_keys.id", direction)
    const { items, total } = await readPage(sorted, options)
    return { items: items.map(toAdministeredKey), total }
  },

  insertKey: async (tx, key) => {
    await tx
      .insertInto("api_keys")
      .values({ ...key, ...serializeLimits(key) })
      .execute()
  },

  removeKey: (tx, id, owner) => {
    const removal = tx
      .deleteFrom("api_keys")
      .where("id", "=", id)
      .returning(["name", "user_id", "group_id"])
    return (
      owner ? removal.where(columnByOwner[owner.type], "=", owner.id) : removal
    ).executeTakeFirst()
  },
})
