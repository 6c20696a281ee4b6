import type { Audit } from "../audit/audit.ts"
import type { Bus } from "../bus/bus.ts"
import type { Database, Tx } from "../db/database.ts"
import { fail } from "../errors.ts"
import type { Actor } from "../http/caller.ts"
import type { ListQuery } from "../http/pagination.ts"
import type { Group, GroupChanges, GroupListQuery, NewGroup, OwnGroup } from "./schema.ts"
import { type GroupStore, type StoredGroup, toCountedGroup } from "./store.ts"

interface Deps {
  db: Database
  store: GroupStore
  audit: Audit
  bus: Bus
  newId: () => string
  nowMs: () => number
}

export const createGroups = ({ db, store, audit, bus, newId, nowMs }: Deps) => {
  const failNotFound = (id: string): never => fail("not_found", `No group with the ID ${id}.`)

  const getGroup = async (id: string, tx?: Tx): Promise<Group> =>
    (await store.byId(id, tx)) ?? failNotFound(id)

  /** Reads a group and locks it until `tx` ends. */
  const lockGroup = async (tx: Tx, id: string): Promise<StoredGroup> => {
    await db.acquireLock(tx, `group ${id}`)
    return (await store.byIdUncounted(tx, id)) ?? failNotFound(id)
  }

  const failNameTaken = (name: string): never =>
    fail("conflict", `A group named ${name} already exists. Choose another name.`)

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

  const recordMembers = (
    tx: Tx,
    actor: Actor,
    id: string,
    { added, removed }: { added: readonly string[]; removed: readonly string[] },
  ): Promise<void> =>
    audit.record(tx, {
      actor,
      action: "group.members_changed",
      target: { type: "group", id },
      changed: ["members"],
      before: { removed },
      after: { added },
    })

  /** @returns whether the membership changed */
  const changeMembership = async (
    tx: Tx,
    actor: Actor,
    { id, userId, joins }: { id: string; userId: string; joins: boolean },
  ): Promise<boolean> => {
    await lockGroup(tx, id)
    const change = joins ? store.addMembers : store.removeMembers
    const moved = await change(tx, id, [userId])
    if (moved.length === 0) return false
    const [added, removed] = joins ? [moved, []] : [[], moved]
    await recordMembers(tx, actor, id, { added, removed })
    return true
  }

  return {
    getGroup,
    lockGroup,

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
        if (!(await store.insert(tx, group))) failNameTaken(group.name)
        const target = { type: "group", id: group.id }
        await audit.record(tx, {
          actor,
          action: "group.created",
          target,
          after: { name: group.name },
        })
        return toCountedGroup(group, 0)
      }),

    update: (actor: Actor, id: string, changes: GroupChanges): Promise<Group> =>
      db.transact(async (tx) => {
        const before = await lockGroup(tx, id)
        const set = Object.fromEntries(Object.entries(changes).filter(([, v]) => v !== undefined))
        const after: StoredGroup = { ...before, ...set, updated_ms: nowMs() }
        if (after.name !== before.name) requireLocal(before)
        if (!(await store.update(tx, after))) failNameTaken(after.name)
        const target = { type: "group", id }
        const changed = Object.keys(set)
        await audit.record(tx, { actor, action: "group.updated", target, changed })
        return getGroup(id, tx)
      }),

    remove: (actor: Actor, id: string): Promise<void> =>
      db.transact(async (tx) => {
        const { name } = await lockGroup(tx, id)
        await store.remove(tx, id)
        const target = { type: "group", id }
        await audit.record(tx, { actor, action: "group.deleted", target, before: { name } })
        await bus.publish(tx, { topic: "groups" })
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
      db.transact(async (tx) => {
        requireLocal(await lockGroup(tx, id))
        const addedIds = [...new Set(add)]
        const users = new Set(await store.existingUserIds(tx, addedIds))
        const unknownId = addedIds.find((userId) => !users.has(userId))
        if (unknownId !== undefined) fail("not_found", `No user with the ID ${unknownId}.`)
        await store.addMembers(tx, id, addedIds)
        await store.removeMembers(tx, id, remove)
        await recordMembers(tx, actor, id, { added: add, removed: remove })
        await bus.publish(tx, { topic: "groups" })
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
      // In a fixed order, to avoid deadlocks between concurrent calls.
      for (const id of [...join, ...leave].sort()) {
        const joins = join.includes(id)
        const moved = await changeMembership(tx, actor, { id, userId, joins })
        if (moved && joins) joined.push(id)
      }
      await bus.publish(tx, { topic: "groups" })
      return joined
    },
  }
}

export type Groups = ReturnType<typeof createGroups>
