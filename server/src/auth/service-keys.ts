import type { Database } from "../db/database.ts"
import { maxRows } from "../db/max-rows.ts"
import { fail } from "../errors.ts"
import type { GroupAccess } from "../groups/group-access.ts"
import { type GroupWriter, groupLock } from "../groups/group-writer.ts"
import type { Actor, Caller } from "../http/caller.ts"
import { translatable } from "../i18n/message.ts"
import type { KeyOwner, KeyStore } from "./key-store.ts"
import { type KeyWriter, withoutSecrets } from "./key-writer.ts"
import type { ApiKey, CreatedApiKey, NewApiKey } from "./schema.ts"

export interface ServiceKeysDeps {
  db: Database
  store: KeyStore
  writer: KeyWriter
  groups: Pick<GroupWriter, "lockGroup">
  groupAccess: GroupAccess
}

/**
 * Keys that belong to a group instead of a user, and that outlive the accounts of people. They may
 * only call models; see `Caller`. All methods throw `forbidden` unless the caller is an administrator
 * or a manager of the group.
 */
export interface ServiceKeys {
  list(caller: Caller, groupId: string): Promise<ApiKey[]>
  create(actor: Actor, caller: Caller, groupId: string, input: NewApiKey): Promise<CreatedApiKey>
  revoke(actor: Actor, caller: Caller, key: { groupId: string; id: string }): Promise<void>
}

export const createServiceKeys = (deps: ServiceKeysDeps): ServiceKeys => {
  const { db, store, writer, groups, groupAccess } = deps
  const ownerWith = (id: string): KeyOwner => ({ type: "group", id })

  return {
    list: async (caller, groupId) => {
      await groupAccess.requireManager(caller, groupId)
      return (await store.keysOf(ownerWith(groupId))).map(withoutSecrets)
    },

    create: async (actor, caller, groupId, input) => {
      writer.checkExpiry(input)
      return db.transactLocked([groupLock(groupId)], async (tx) => {
        await groupAccess.requireManager(caller, groupId, tx)
        await groups.lockGroup(tx, groupId)
        const owner = ownerWith(groupId)
        const max = maxRows.keysPerGroup
        if ((await store.keysOf(owner, tx)).length >= max)
          fail("limit_reached", translatable("service_key_limit_reached", { max }))
        return writer.insert(tx, actor, { owner, input })
      })
    },

    revoke: (actor, caller, { groupId, id }) =>
      db.essential.transactLocked([groupLock(groupId)], async (tx) => {
        await groupAccess.requireManager(caller, groupId, tx)
        if (!(await writer.remove(tx, actor, id, ownerWith(groupId))))
          fail("not_found", `The group has no service key with the ID ${id}.`)
      }),
  }
}
