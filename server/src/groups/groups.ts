import type { Tx } from "../db/database.ts"
import { fail, failInvalid } from "../errors.ts"
import type { Actor } from "../http/caller.ts"
import { type DeletionConfirmation, requireUnused } from "../http/in-use.ts"
import type { Page } from "../http/pagination.ts"
import { translatable } from "../i18n/message.ts"
import { grantsLock } from "../users/grant-removal.ts"
import {
  createGroupWriter,
  type GroupChangePolicy,
  type GroupWriter,
  type GroupWriterDeps,
  groupLock,
} from "./group-writer.ts"
import { readObjectsOfGroup } from "./objects-of-group.ts"
import type {
  Group,
  GroupChanges,
  GroupListQuery,
  GroupMember,
  MemberListQuery,
  NamedGroup,
  NewGroup,
  OwnGroup,
} from "./schema.ts"
import { type StoredGroup, toCountedGroup } from "./store.ts"

export interface GroupsDeps extends GroupWriterDeps {
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

const inUseReason =
  "This group was given access to objects or has service keys, which would be lost."

interface MemberChanges {
  add?: readonly string[]
  /** More accounts to add, by email address. */
  addEmails?: readonly string[]
  remove?: readonly string[]
}

/** The rules for groups, except those that only an identity provider changes. */
export interface Groups extends GroupWriter {
  get(id: string): Promise<Group>
  list(query: GroupListQuery): Promise<Page<Group>>
  listNames(ids: readonly string[]): Promise<NamedGroup[]>
  /** The groups of a user, sorted by name. */
  groupsOf(userId: string): Promise<OwnGroup[]>
  members(id: string, query: MemberListQuery): Promise<Page<GroupMember>>
  create(actor: Actor, input: NewGroup): Promise<Group>
  update(actor: Actor, id: string, changes: GroupChanges): Promise<Group>
  /** @throws {Failure} `in_use` if it was granted access, unless the deletion was confirmed */
  remove(actor: Actor, id: string, confirmation?: DeletionConfirmation): Promise<void>
  /** @throws {Failure} `not_found`, or `conflict` if the identity provider manages its members */
  requireLocalGroups(tx: Tx, ids: readonly string[]): Promise<void>
  /** Those of the groups that exist and that the identity provider does not manage. */
  localAmong(tx: Tx, ids: readonly string[]): Promise<string[]>
  /**
   * Adds and removes members; takes effect on their next request.
   * @param authorize called in the transaction; throws if the caller may not change the members
   */
  changeMembers(
    actor: Actor,
    id: string,
    changes: MemberChanges,
    authorize?: (tx: Tx) => Promise<void>,
  ): Promise<Group>
  /**
   * Adds one account to groups and removes it from others, inside `tx`.
   * @returns the groups that it was newly added to
   */
  changeMembershipsOf(
    tx: Tx,
    actor: Actor,
    userId: string,
    options: { join: readonly string[]; leave: readonly string[] },
  ): Promise<string[]>
}

export const createGroups = (deps: GroupsDeps): Groups => {
  const { db, store, newId, nowMs } = deps
  const writer = createGroupWriter(deps)
  const { lockGroup, editMembers, insertGroup, changeGroup, removeGroup } = writer

  const getGroup = async (id: string, tx?: Tx): Promise<Group> =>
    (await store.byId(id, tx)) ?? failNotFound(id)

  const userIdsWith = async (tx: Tx, emails: readonly string[]): Promise<string[]> => {
    const ids: string[] = []
    for (const email of emails) {
      const found = await store.userIdByEmail(tx, email)
      ids.push(found ?? failInvalid("emails", translatable("no_account_with_email", { email })))
    }
    return ids
  }

  return {
    ...writer,

    get: (id) => getGroup(id),
    list: (query) => store.list(query),
    listNames: (ids) => store.listNames(ids),
    groupsOf: (userId) => store.groupsOf(userId),

    members: async (id, query) => {
      await getGroup(id)
      return store.members(id, query)
    },

    create: (actor, input) =>
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

    update: (actor, id, changes) =>
      db.transactLocked([groupLock(id)], async (tx) => {
        const before = await lockGroup(tx, id)
        const set = Object.fromEntries(Object.entries(changes).filter(([, v]) => v !== undefined))
        const after: StoredGroup = { ...before, ...set, updated_ms: nowMs() }
        if (after.name !== before.name) requireLocal(before)
        const members = { added: [], removed: [] }
        const record = { actor, action: "group.updated", changed: Object.keys(set), policy }
        const paying = before.pays !== after.pays && {
          before: { pays: before.pays },
          after: { pays: after.pays },
        }
        await changeGroup(tx, { before, after, members }, { ...record, ...paying })
        return getGroup(id, tx)
      }),

    remove: (actor, id, confirmation = {}) =>
      db.essential.transactLocked([groupLock(id)], async (tx) => {
        const { name } = await lockGroup(tx, id)
        await db.acquireLock(tx, grantsLock)
        requireUnused(await readObjectsOfGroup(tx, id), confirmation, inUseReason)
        await removeGroup(tx, id, { actor, action: "group.deleted", before: { name } })
      }),

    requireLocalGroups: async (tx, ids) => {
      for (const id of ids) requireLocal((await store.byIdUncounted(tx, id)) ?? failNotFound(id))
    },

    localAmong: async (tx, ids) => {
      const found = await Promise.all(ids.map((id) => store.byIdUncounted(tx, id)))
      return found.flatMap((group) => (group && group.source !== "scim" ? group.id : []))
    },

    changeMembers: (actor, id, { add: ids = [], addEmails = [], remove = [] }, authorize) => {
      const adds = ids.length + addEmails.length > 0
      // Removing members, like deleting, works on a nearly full disk.
      return (adds ? db : db.essential).transactLocked([groupLock(id)], async (tx) => {
        await authorize?.(tx)
        const group = await lockGroup(tx, id)
        requireLocal(group)
        const editor = editMembers(tx, id, policy)
        await editor.add([...ids, ...(await userIdsWith(tx, addEmails))])
        await editor.remove(remove)
        const change = { before: group, after: group, members: editor }
        await changeGroup(tx, change, { actor, action: "group.members_changed", policy })
        return getGroup(id, tx)
      })
    },

    changeMembershipsOf: async (tx, actor, userId, { join, leave }) => {
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
