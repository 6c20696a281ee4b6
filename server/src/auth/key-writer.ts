import { hash, randomBytes } from "node:crypto"
import type { Audit } from "../audit/audit.ts"
import type { Bus } from "../bus/bus.ts"
import type { Tx } from "../db/database.ts"
import { failInvalid } from "../errors.ts"
import type { Actor } from "../http/caller.ts"
import { translatable } from "../i18n/message.ts"
import { type KeyOwner, type KeyStore, ownerOf, type StoredKey } from "./key-store.ts"
import { type ApiKey, ApiKeyRestrictions, type CreatedApiKey, type NewApiKey } from "./schema.ts"

export interface KeyWriterDeps {
  store: KeyStore
  audit: Audit
  bus: Bus
  newId: () => string
  now: () => number
}

interface KeyToInsert {
  owner: KeyOwner
  input: NewApiKey
  /** Random if it is left out. */
  secret?: string
}

export const withoutSecrets = ({ user_id, group_id, hash: _, ...key }: StoredKey): ApiKey => key

const newSecret = (): string => `sk-${randomBytes(32).toString("base64url")}`

/** As recorded in the audit log: keys are deleted, and with them whose they were. */
const recordedOwner = ({ type, id }: KeyOwner) =>
  type === "user" ? { user_id: id } : { group_id: id }

/**
 * Writes API keys and service keys. Every change passes here, whoever makes it, together with its
 * audit event and the revocation of what the key opened.
 */
export const createKeyWriter = ({ store, audit, bus, newId, now }: KeyWriterDeps) => ({
  /** @throws {Failure} `validation_failed` if the key would have expired already */
  checkExpiry: ({ expires_at }: NewApiKey): void => {
    if (expires_at !== null && expires_at <= now()) {
      failInvalid("expires_at", translatable("time_not_in_future"))
    }
  },

  insert: async (
    tx: Tx,
    actor: Actor,
    { owner, input, secret = newSecret() }: KeyToInsert,
  ): Promise<CreatedApiKey> => {
    const key: StoredKey = {
      id: newId(),
      user_id: owner.type === "user" ? owner.id : null,
      group_id: owner.type === "group" ? owner.id : null,
      ...input,
      hash: hash("sha256", secret),
      hint: secret.slice(-4),
      last_used_at: null,
      created_at: now(),
    }
    await store.insertKey(tx, key)
    const target = { type: "key", id: key.id }
    const after = { name: key.name, ...recordedOwner(owner), ...ApiKeyRestrictions.parse(key) }
    await audit.record(tx, { actor, action: "key.created", target, after })
    return { ...withoutSecrets(key), api_key: secret }
  },

  /** @returns false if there is no such key, or it belongs to another owner */
  remove: async (tx: Tx, actor: Actor, id: string, owner?: KeyOwner): Promise<boolean> => {
    const removed = await store.removeKey(tx, id, owner)
    if (!removed) return false
    const removedOwner = ownerOf(removed)
    const before = { name: removed.name, ...recordedOwner(removedOwner) }
    await audit.record(tx, { actor, action: "key.revoked", target: { type: "key", id }, before })
    // A service key's caller has the key's own id.
    const callerId = removedOwner.type === "user" ? removedOwner.id : id
    await bus.publish(tx, { topic: "user", id: callerId })
    return true
  },
})

export type KeyWriter = ReturnType<typeof createKeyWriter>
