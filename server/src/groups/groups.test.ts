import { randomUUIDv7 } from "node:crypto"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { createTestBackground } from "../../test/harness/background.ts"
import { chooseDatabases, type OpenedDatabase } from "../../test/harness/databases.ts"
import { createAudit } from "../audit/audit.ts"
import { createLocalBus } from "../bus/bus.ts"
import { createGrants } from "../grants/grants.ts"
import { systemActor } from "../http/caller.ts"
import { ListQuery } from "../http/pagination.ts"
import { createGroups, type Groups } from "./groups.ts"
import { GroupListQuery } from "./schema.ts"
import { createGroupStore } from "./store.ts"

const now = () => 1_800_000_000

describe.each(chooseDatabases())("groups on $name", ({ open }) => {
  let database: OpenedDatabase
  let groups: Groups

  beforeAll(async () => {
    database = await open()
    const { db } = database
    const parts = {
      db,
      audit: createAudit({ now }),
      bus: createLocalBus(createTestBackground()),
      nowMs: Date.now,
    }
    groups = createGroups({ ...parts, store: createGroupStore(db), newId: () => randomUUIDv7() })
  })
  afterAll(() => database.remove())

  const add = (name: string) => groups.create(systemActor, { name, description: "", pays: true })
  const addUsers = async (count: number): Promise<string[]> => {
    const ids = Array.from({ length: count }, () => randomUUIDv7())
    await database.db.transact(async (tx) => {
      for (const id of ids) {
        const row = { id, email: id, email_key: id, name: `User ${id}`, name_key: `user ${id}` }
        const rest = {
          role: "user",
          active: 1,
          source: "local",
          created_ms: 1,
          updated_ms: 1,
        } as const
        await tx
          .insertInto("users")
          .values({ ...row, ...rest, hidden: 0 })
          .execute()
      }
    })
    return ids
  }

  it("reject a name already in use, regardless of case", async () => {
    await add("Ärzte")
    await expect(add("ÄRZTE")).rejects.toMatchObject({ code: "conflict" })
    const { id } = await add("Nurses")
    const rename = groups.update(systemActor, id, { name: "äRZTE" })
    await expect(rename).rejects.toMatchObject({ code: "conflict" })
    expect(await groups.update(systemActor, id, { name: "NURSES" })).toMatchObject({
      name: "NURSES",
    })
  })

  it("give a contested name to exactly one group", async () => {
    const created = await Promise.all([1, 2, 3, 4].map((n) => add(`wants ${n}`)))
    const renames = created.map(({ id }) => groups.update(systemActor, id, { name: "wanted" }))
    const outcomes = await Promise.allSettled([...renames, add("Wanted")])
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1)
    for (const outcome of outcomes) {
      if (outcome.status === "rejected") expect(outcome.reason).toMatchObject({ code: "conflict" })
    }
  })

  it("store more members than fit in one statement, without duplicates", async () => {
    const { id } = await add("crowd")
    const ids = await addUsers(1203)
    const added = await groups.changeMembers(systemActor, id, { add: [...ids, ...ids.slice(0, 5)] })
    expect(added.member_count).toBe(1203)
    const repeated = await groups.changeMembers(systemActor, id, {
      add: ids,
      remove: ids.slice(0, 601),
    })
    expect(repeated.member_count).toBe(602)
    const page = await groups.members(id, ListQuery.parse({ page: "2", page_size: "200" }))
    expect([page.items.length, page.total]).toEqual([200, 602])
  })

  it("keep all members added concurrently, and reject changes with unknown users entirely", async () => {
    const { id } = await add("at once")
    const ids = await addUsers(20)
    await Promise.all(ids.map((userId) => groups.changeMembers(systemActor, id, { add: [userId] })))
    expect((await groups.get(id)).member_count).toBe(20)
    const stranger = { add: ["nobody"], remove: ids }
    await expect(groups.changeMembers(systemActor, id, stranger)).rejects.toMatchObject({
      code: "not_found",
    })
    expect((await groups.get(id)).member_count).toBe(20)
  })

  it("record an account's membership once, however often it is added", async () => {
    const { id } = await add("joined")
    const [member = ""] = await addUsers(1)
    const join = () =>
      database.db.transact((tx) =>
        groups.changeMembershipsOf(tx, systemActor, member, { join: [id], leave: [] }),
      )
    expect([await join(), await join()]).toEqual([[id], []])
    const events = database.db.read.selectFrom("audit_events").select("after")
    expect(
      await events
        .where("target_id", "=", id)
        .where("action", "=", "group.members_changed")
        .execute(),
    ).toEqual([{ after: JSON.stringify({ added: [member] }) }])
  })

  it("are deleted with their grants but without their members", async () => {
    const { id } = await add("gone soon")
    const [member = ""] = await addUsers(1)
    await groups.changeMembers(systemActor, id, { add: [member] })
    const grants = createGrants(database.db)
    const grant = { principal_type: "group", principal_id: id, permission: "read" } as const
    await database.db.transact((tx) => grants.replace(tx, "model", "m", [grant]))
    await groups.remove(systemActor, id)
    expect((await grants.groupByResource("model")).get("m")).toBeUndefined()
    const users = database.db.read.selectFrom("users").select("id").where("id", "=", member)
    expect(await users.execute()).toHaveLength(1)
    await expect(groups.remove(systemActor, id)).rejects.toMatchObject({ code: "not_found" })
  })

  it("are found by a part of their name, sorted", async () => {
    for (const name of ["team 10%", "team b", "Team A", "team_1"]) await add(name)
    const find = async (query: object) =>
      (await groups.list(GroupListQuery.parse(query))).items.map(({ name }) => name)
    expect(await find({ query: "TEAM" })).toEqual(["team 10%", "Team A", "team b", "team_1"])
    expect(await find({ query: "team_" })).toEqual(["team_1"])
    expect(await find({ query: "0%" })).toEqual(["team 10%"])
    const last = { query: "team", direction: "desc", page_size: "1" }
    expect(await find(last)).toEqual(["team_1"])
  })
})
