import type { Database, Tx } from "../db/database.ts"
import { maxRows } from "../db/max-rows.ts"
import { fail } from "../errors.ts"
import { type Actor, noCredentialLimits } from "../http/caller.ts"
import type { Page } from "../http/pagination.ts"
import { translatable } from "../i18n/message.ts"
import type { Users } from "../users/users.ts"
import type { KeyOwner, KeyStore, StoredKey } from "./key-store.ts"
import { type KeyWriter, withoutSecrets } from "./key-writer.ts"
import type { AdministeredKey, ApiKey, CreatedApiKey, KeyListQuery, NewApiKey } from "./schema.ts"

/** The single key that ecosystem scripts create and replace through `/auths/api_key`. */
const scriptKeyName = "Script key"

const secondsPerDay = 86_400

/** What is limited of the requests with a key. */
interface KeyLimits {
  /**
   * Gives a key the limits of the one that it replaces, with what is used of them.
   * @returns await it after `tx`: applies this to the requests of this process
   */
  moveKeyLimits(tx: Tx, keys: { from: string; to: string }): Promise<() => Promise<void>>
}

export interface ApiKeysDeps {
  db: Database
  store: KeyStore
  writer: KeyWriter
  users: Pick<Users, "lockUser">
  /** Created later. */
  keyLimits: () => KeyLimits
  now: () => number
}

export interface ApiKeys {
  list(userId: string): Promise<ApiKey[]>
  create(actor: Actor, userId: string, input: NewApiKey): Promise<CreatedApiKey>
  revoke(actor: Actor, userId: string, id: string): Promise<void>
  /**
   * Stores a predefined key in the transaction that creates the account, for unattended setups.
   */
  insertPredefined(tx: Tx, actor: Actor, userId: string, secret: string): Promise<CreatedApiKey>
  scriptKey(userId: string, tx?: Tx): Promise<StoredKey | undefined>
  replaceScriptKey(actor: Actor, userId: string): Promise<CreatedApiKey>
  /** The keys of all users and groups, for administrators. */
  listAll(query: KeyListQuery): Promise<Page<AdministeredKey>>
  /** Revokes a key of any user or group, for administrators. */
  revokeAny(actor: Actor, id: string): Promise<void>
}

export const createApiKeys = ({
  db,
  store,
  writer,
  users,
  keyLimits,
  now,
}: ApiKeysDeps): ApiKeys => {
  const ownerWith = (id: string): KeyOwner => ({ type: "user", id })

  const remove = async (tx: Tx, actor: Actor, userId: string, id: string): Promise<void> => {
    if (!(await writer.remove(tx, actor, id, ownerWith(userId))))
      fail("not_found", `You have no API key with the ID ${id}.`)
  }

  /** Locks the account: deactivating it removes its keys, and none may be created afterwards. */
  const lockActiveUser = async (tx: Tx, userId: string): Promise<void> => {
    const { active } = await users.lockUser(tx, userId)
    if (!active) fail("unauthorized", translatable("account_deactivated"))
  }

  const scriptKey = async (userId: string, tx?: Tx): Promise<StoredKey | undefined> =>
    (await store.keysOf(ownerWith(userId), tx)).find(({ name }) => name === scriptKeyName)

  return {
    list: async (userId) => (await store.keysOf(ownerWith(userId))).map(withoutSecrets),

    create: async (actor, userId, input) => {
      writer.checkExpiry(input)
      const owner = ownerWith(userId)
      return db.transact(async (tx) => {
        await lockActiveUser(tx, userId)
        const { length } = await store.keysOf(owner, tx)
        if (length >= maxRows.keysPerUser) {
          fail("limit_reached", translatable("api_key_limit_reached", { max: maxRows.keysPerUser }))
        }
        return writer.insert(tx, actor, { owner, input })
      })
    },

    revoke: (actor, userId, id) => db.essential.transact((tx) => remove(tx, actor, userId, id)),

    insertPredefined: (tx, actor, userId, secret) => {
      const input = { name: "ADMIN_API_KEY", ...noCredentialLimits }
      return writer.insert(tx, actor, { owner: ownerWith(userId), input, secret })
    },

    scriptKey,

    replaceScriptKey: async (actor, userId) => {
      const input = { name: scriptKeyName, ...noCredentialLimits }
      const { created, applyLimits } = await db.transact(async (tx) => {
        await lockActiveUser(tx, userId)
        const old = await scriptKey(userId, tx)
        if (old) await remove(tx, actor, userId, old.id)
        const key = await writer.insert(tx, actor, { owner: ownerWith(userId), input })
        const moved = old && (await keyLimits().moveKeyLimits(tx, { from: old.id, to: key.id }))
        return { created: key, applyLimits: moved }
      })
      await applyLimits?.()
      return created
    },

    listAll: (query) => {
      const days = query.unused_for_days
      const unusedSince = days === undefined ? null : now() - days * secondsPerDay
      return store.listKeys({ ...query, unusedSince })
    },

    revokeAny: (actor, id) =>
      db.essential.transact(async (tx) => {
        if (!(await writer.remove(tx, actor, id)))
          fail("not_found", `No API key with the ID ${id}.`)
      }),
  }
}
