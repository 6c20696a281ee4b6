import type { Audit } from "../audit/audit.ts"
import type { Bus } from "../bus/bus.ts"
import type { Database, Tx } from "../db/database.ts"
import { fail } from "../errors.ts"
import type { Actor } from "../http/caller.ts"
import type { ListQuery } from "../http/pagination.ts"
import type { Group, GroupChanges, GroupListQuery, NewGroup, OwnGroup } from "./schema.ts"
import { counted, type GroupStore, type StoredGroup } from "./store.ts"

interface Deps {
  db: Database
  store: GroupStore
  audit: Audit
  bus: Bus
  newId: () => string
  nowMs: () => number
}

export const createGroups = ({ db, store, audit, bus, newId, nowMs }: Deps) => {
  const unknown = (id: string): never => fail("not_found", `No group with the ID ${id}`)

  const known = async (id: string, tx?: Tx): Promise<Group> =>
    (await store.byId(id, tx)) ?? unknown(id)

  /** Reads a group and locks it until `tx` ends. */
  const hold = async (tx: Tx, id: string): Promise<StoredGroup> => {
    await db.exclusive(tx, `group ${id}`)
    return (await store.uncounted(tx, id)) ?? unknown(id)
  }

  const taken = (name: string): never =>
    fail("conflict", `A group named ${name} already exists. Choose another name.`)

  /**
   * Provisioned groups must be changed at the identity provider, or the next sync would revert it.
   */
  const notProvisioned = ({ source, name }: StoredGroup): void => {
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
  const move = async (
    tx: Tx,
    actor: Actor,
    { id, userId, joins }: { id: string; userId: string; joins: boolean },
  ): Promise<boolean> => {
    await hold(tx, id)
    const change = joins ? store.addMembers : store.removeMembers
    const moved = await change(tx, id, [userId])
    if (moved.length === 0) return false
    const [added, removed] = joins ? [moved, []] : [[], moved]
    await recordMembers(tx, actor, id, { added, removed })
    return true
  }

  return {
    known,
    hold,

    get: (id: string): Promise<Group> => known(id),
    list: (query: GroupListQuery) => store.list(query),
    named: (ids: readonly string[]): Promise<OwnGroup[]> => store.named(ids),

    members: async (id: string, query: ListQuery) => {
      await known(id)
      return store.members(id, query)
    },

    create: (actor: Actor, input: NewGroup): Promise<Group> =>
      db.transact(async (tx) => {
        const at = nowMs()
        const times = { created_ms: at, updated_ms: at }
        const identity = { id: newId(), external_id: null, source: "local" as const }
        const group: StoredGroup = { ...input, ...identity, ...times }
        if (!(await store.insert(tx, group))) taken(group.name)
        const target = { type: "group", id: group.id }
        await audit.record(tx, { actor, action: "group.created", target })
        return counted(group, 0)
      }),

    update: (actor: Actor, id: string, changes: GroupChanges): Promise<Group> =>
      db.transact(async (tx) => {
        const before = await hold(tx, id)
        const set = Object.fromEntries(Object.entries(changes).filter(([, v]) => v !== undefined))
        const after: StoredGroup = { ...before, ...set, updated_ms: nowMs() }
        if (after.name !== before.name) notProvisioned(before)
        if (!(await store.update(tx, after))) taken(after.name)
        const target = { type: "group", id }
        const changed = Object.keys(set)
        await audit.record(tx, { actor, action: "group.updated", target, changed })
        return known(id, tx)
      }),

    remove: (actor: Actor, id: string): Promise<void> =>
      db.transact(async (tx) => {
        await hold(tx, id)
        await store.remove(tx, id)
        await audit.record(tx, { actor, action: "group.deleted", target: { type: "group", id } })
        await bus.publish(tx, { topic: "groups" })
      }),

    /** Adds and removes members; takes effect on their next request. */
    changeMembers: (
      actor: Actor,
      id: string,
      { add = [], remove = [] }: { add?: readonly string[]; remove?: readonly string[] },
    ): Promise<Group> =>
      db.transact(async (tx) => {
        notProvisioned(await hold(tx, id))
        const wanted = [...new Set(add)]
        const users = new Set(await store.knownUsers(tx, wanted))
        const stranger = wanted.find((userId) => !users.has(userId))
        if (stranger !== undefined) fail("not_found", `No user with the ID ${stranger}`)
        await store.addMembers(tx, id, wanted)
        await store.removeMembers(tx, id, remove)
        await recordMembers(tx, actor, id, { added: add, removed: remove })
        await bus.publish(tx, { topic: "groups" })
        return known(id, tx)
      }),

    /**
     * Adds one account to groups and removes it from others, inside `tx`.
     * @returns the groups that it was newly added to
     */
    moveMember: async (
      tx: Tx,
      actor: Actor,
      userId: string,
      { join, leave }: { join: readonly string[]; leave: readonly string[] },
    ): Promise<string[]> => {
      const joined: string[] = []
      // In a fixed order, to avoid deadlocks between concurrent calls.
      for (const id of [...join, ...leave].sort()) {
        const joins = join.includes(id)
        const moved = await move(tx, actor, { id, userId, joins })
        if (moved && joins) joined.push(id)
      }
      await bus.publish(tx, { topic: "groups" })
      return joined
    },
  }
}

export type Groups = ReturnType<typeof createGroups>
