import { hash, randomBytes } from "node:crypto"
import type { Audit } from "../audit/audit.ts"
import type { Bus } from "../bus/bus.ts"
import type { Database, Tx } from "../db/database.ts"
import { maxRows } from "../db/max-rows.ts"
import { fail, failInvalid } from "../errors.ts"
import { type Actor, noCredentialLimits } from "../http/caller.ts"
import { translatable } from "../i18n/message.ts"
import type { Users } from "../users/users.ts"
import { type ApiKey, ApiKeyRestrictions, type CreatedApiKey, type NewApiKey } from "./schema.ts"
import type { AuthStore, StoredKey } from "./store.ts"

/** The single key that ecosystem scripts create and replace through `/auths/api_key`. */
const scriptKeyName = "Script key"

interface Deps {
  db: Database
  store: AuthStore
  users: Pick<Users, "lockUser">
  audit: Audit
  bus: Bus
  newId: () => string
  now: () => number
}

const withoutSecrets = ({ user_id, hash: _, ...key }: StoredKey): ApiKey => key

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
}

export const createApiKeys = ({ db, store, users, audit, bus, newId, now }: Deps): ApiKeys => {
  const insert = async (
    tx: Tx,
    actor: Actor,
    { userId, input, secret }: { userId: string; input: NewApiKey; secret: string },
  ): Promise<CreatedApiKey> => {
    const key: StoredKey = {
      id: newId(),
      user_id: userId,
      ...input,
      hash: hash("sha256", secret),
      hint: secret.slice(-4),
      last_used_at: null,
      created_at: now(),
    }
    await store.insertKey(tx, key)
    const target = { type: "key", id: key.id }
    const after = { name: key.name, ...ApiKeyRestrictions.parse(key) }
    await audit.record(tx, { actor, action: "key.created", target, after })
    return { ...withoutSecrets(key), api_key: secret }
  }

  const remove = async (tx: Tx, actor: Actor, userId: string, id: string): Promise<void> => {
    const removed = await store.removeKey(tx, userId, id)
    if (!removed) return fail("not_found", `You have no API key with the ID ${id}.`)
    const target = { type: "key", id }
    await audit.record(tx, { actor, action: "key.revoked", target, before: removed })
    await bus.publish(tx, { topic: "user", id: userId })
  }

  /** Locks the account: deactivating it removes its keys, and none may be created afterwards. */
  const lockActiveUser = async (tx: Tx, userId: string): Promise<void> => {
    const { active } = await users.lockUser(tx, userId)
    if (!active) fail("unauthorized", translatable("account_deactivated"))
  }

  const newSecret = (): string => `sk-${randomBytes(32).toString("base64url")}`

  const scriptKey = async (userId: string, tx?: Tx): Promise<StoredKey | undefined> =>
    (await store.keysOf(userId, tx)).find(({ name }) => name === scriptKeyName)

  return {
    list: async (userId) => (await store.keysOf(userId)).map(withoutSecrets),

    create: async (actor, userId, input) => {
      if (input.expires_at !== null && input.expires_at <= now()) {
        failInvalid("expires_at", translatable("time_not_in_future"))
      }
      return db.transact(async (tx) => {
        await lockActiveUser(tx, userId)
        const { length } = await store.keysOf(userId, tx)
        if (length >= maxRows.keysPerUser) {
          fail("limit_reached", translatable("api_key_limit_reached", { max: maxRows.keysPerUser }))
        }
        return insert(tx, actor, { userId, input, secret: newSecret() })
      })
    },

    revoke: (actor, userId, id) => db.essential.transact((tx) => remove(tx, actor, userId, id)),

    insertPredefined: (tx, actor, userId, secret) => {
      const input = { name: "ADMIN_API_KEY", ...noCredentialLimits }
      return insert(tx, actor, { userId, input, secret })
    },

    scriptKey,

    replaceScriptKey: async (actor, userId) => {
      const input = { name: scriptKeyName, ...noCredentialLimits }
      return db.transact(async (tx) => {
        await lockActiveUser(tx, userId)
        const old = await scriptKey(userId, tx)
        if (old) await remove(tx, actor, userId, old.id)
        return insert(tx, actor, { userId, input, secret: newSecret() })
      })
    },
  }
}
