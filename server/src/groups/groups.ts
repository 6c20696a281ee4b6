import type { Tx } from "../db/database.ts"
import { fail } from "../errors.ts"
import type { Actor } from "../http/caller.ts"
import { type DeletionConfirmation, requireUnused } from "../http/in-use.ts"
import type { ListQuery } from "../http/pagination.ts"
import { translatable } from "../i18n/message.ts"
import { grantsLock } from "../users/grant-removal.ts"
import { readGrantedObjects } from "./granted-objects.ts"
import {
  createGroupWriter,
  type GroupChangePolicy,
  type GroupWriterDeps,
  groupLock,
} from "./group-writer.ts"
import type { Group, GroupChanges, GroupListQuery, NewGroup, OwnGroup } from "./schema.ts"
import { type StoredGroup, toCountedGroup } from "./store.ts"

interface Deps extends GroupWriterDeps {
  newId: () => string
  nowMs: () => number
}

const failNotFound = (id: string): never => fail("not_found", `No group with the ID ${id}.`)

const policy: GroupChangePolicy = {
  auditsUnchanged: true,
  failNameTaken: (name) => fail("conflict", translatable("group_exists", { name })),
  failUnknownMember: (userId) => fail("not_found", `No user with the ID ${userId}.`),
}

/** For sign-ons and invitations, which often add an account to groups that it is already in. */
const membershipPolicy: GroupChangePolicy = { ...policy, auditsUnchanged: false }

/**
 * Provisioned groups must be changed at the identity provider, or the next sync would revert it.
 */
const requireLocal = ({ source, name }: StoredGroup): void => {
  if (source !== "scim") return
  fail(
    "conflict",
    `${name} is managed by the identity provider. Change its name and members there.`,
  )
}

const inUseReason = "This group was given access to objects, which its members would lose."

export const createGroups = (deps: Deps) => {
  const { db, store, newId, nowMs } = deps
  const writer = createGroupWriter(deps)
  const { lockGroup, editMembers, insertGroup, changeGroup, removeGroup } = writer

  const getGroup = async (id: string, tx?: Tx): Promise<Group> =>
    (await store.byId(id, tx)) ?? failNotFound(id)

  return {
    ...writer,

    get: (id: string): Promise<Group> => getGroup(id),
    list: (query: GroupListQuery) => store.list(query),
    listNames: (ids: readonly string[]): Promise<OwnGroup[]> => store.listNames(ids),

    members: async (id: string, query: ListQuery) => {
      await getGroup(id)
      return store.members(id, query)
    },

    create: (actor: Actor, input: NewGroup): Promise<Group> =>
      db.transact(async (tx) => {
        const at = nowMs()
        const times = { created_ms: at, updated_ms: at }
        const identity = { id: newId(), external_id: null, source: "local" as const }
        const group: StoredGroup = { ...input, ...identity, ...times }
        const after = { name: group.name }
        const record = { actor, action: "group.created", after, policy }
        await insertGroup(tx, { group, memberIds: [] }, record)
        return toCountedGroup(group, 0)
      }),

    update: (actor: Actor, id: string, changes: GroupChanges): Promise<Group> =>
      db.transactLocked([groupLock(id)], async (tx) => {
        const before = await lockGroup(tx, id)
        const set = Object.fromEntries(Object.entries(changes).filter(([, v]) => v !== undefined))
        const after: StoredGroup = { ...before, ...set, updated_ms: nowMs() }
        if (after.name !== before.name) requireLocal(before)
        const members = { added: [], removed: [] }
        const record = { actor, action: "group.updated", changed: Object.keys(set), policy }
        await changeGroup(tx, { before, after, members }, record)
        return getGroup(id, tx)
      }),

    /** @throws {Failure} `in_use` if it was granted access, unless the deletion was confirmed */
    remove: (actor: Actor, id: string, confirmation: DeletionConfirmation = {}): Promise<void> =>
      db.essential.transactLocked([groupLock(id)], async (tx) => {
        const { name } = await lockGroup(tx, id)
        await db.acquireLock(tx, grantsLock)
        requireUnused(await readGrantedObjects(tx, id), confirmation, inUseReason)
        await removeGroup(tx, id, { actor, action: "group.deleted", before: { name } })
      }),

    /** @throws {Failure} `not_found`, or `conflict` if the identity provider manages its members */
    requireLocalGroups: async (tx: Tx, ids: readonly string[]): Promise<void> => {
      for (const id of ids) requireLocal((await store.byIdUncounted(tx, id)) ?? failNotFound(id))
    },

    /** Those of the groups that exist and that the identity provider does not manage. */
    localAmong: async (tx: Tx, ids: readonly string[]): Promise<string[]> => {
      const found = await Promise.all(ids.map((id) => store.byIdUncounted(tx, id)))
      return found.flatMap((group) => (group && group.source !== "scim" ? group.id : []))
    },

    /** Adds and removes members; takes effect on their next request. */
    changeMembers: (
      actor: Actor,
      id: string,
      { add = [], remove = [] }: { add?: readonly string[]; remove?: readonly string[] },
    ): Promise<Group> =>
      // Removing members, like deleting, works on a nearly full disk.
      (add.length === 0 ? db.essential : db).transactLocked([groupLock(id)], async (tx) => {
        const group = await lockGroup(tx, id)
        requireLocal(group)
        const editor = editMembers(tx, id, policy)
        await editor.add(add)
        await editor.remove(remove)
        const change = { before: group, after: group, members: { added: add, removed: remove } }
        await changeGroup(tx, change, { actor, action: "group.members_changed", policy })
        return getGroup(id, tx)
      }),

    /**
     * Adds one account to groups and removes it from others, inside `tx`.
     * @returns the groups that it was newly added to
     */
    changeMembershipsOf: async (
      tx: Tx,
      actor: Actor,
      userId: string,
      { join, leave }: { join: readonly string[]; leave: readonly string[] },
    ): Promise<string[]> => {
      const joined: string[] = []
      const record = { actor, action: "group.members_changed", policy: membershipPolicy }
      // In a fixed order, to avoid deadlocks between concurrent calls.
      for (const id of [...join, ...leave].sort()) {
        const group = await lockGroup(tx, id)
        const members = editMembers(tx, id, policy)
        await (join.includes(id) ? members.add([userId]) : members.remove([userId]))
        await changeGroup(tx, { before: group, after: group, members }, record)
        if (members.added.size > 0) joined.push(id)
      }
      return joined
    },
  }
}

export type Groups = ReturnType<typeof createGroups>
