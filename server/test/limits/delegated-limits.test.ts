import { randomUUID } from "node:crypto"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { chooseDatabases } from "../harness/databases.ts"
import {
  type DelegatedLimits,
  limitedModel as model,
  type Person,
  limitsPath as path,
  perDay,
  startDelegatedLimits,
} from "./delegated-limits-setup.ts"

describe.each(chooseDatabases())("limits that users set on $name", ({ createDatabase }) => {
  let setup: DelegatedLimits
  beforeAll(async () => {
    setup = await startDelegatedLimits(createDatabase)
  })
  beforeEach(() => setup.removeAll())
  afterAll(() => setup.stop())

  it("of managers stay within the group's own", async () => {
    const { admin, as, manager, member, group, create, createByAdmin } = setup
    const month = { metric: "cost", window: "month" }
    const target = { type: "user", id: member.id }
    const until = Math.floor(Date.now() / 1000) + 3600
    const set = (values: object) =>
      create(manager, target, { group_id: group, ...month, ...values })
    expect((await set({ amount: 90e9 })).status).toBe(200)
    const id = await createByAdmin({ type: "group", id: group }, { ...month, amount: 50e9 })
    await createByAdmin({ type: "group", id: group }, { ...month, amount: 5e9, model })
    const refused = await set({ amount: 50e9 + 1 })
    expect(refused).toMatchObject({
      status: 422,
      body: { errors: [{ path: "amount", id: "limit_above_group_cost", values: { dollars: 50 } }] },
    })
    const made = await set({ amount: 50e9 })
    expect(made.status).toBe(200)
    const update = (change: object) => as(manager, "POST", `${path}/${made.body.id}/update`, change)
    expect((await update({ amount: 51e9 })).body.errors).toMatchObject([{ path: "amount" }])
    const raise = { amount: 60e9, until }
    expect((await update({ raise })).body.errors).toMatchObject([{ path: "raise.amount" }])
    await admin("POST", `${path}/${id}/update`, { raise })
    expect((await update({ raise })).status).toBe(200)
    expect((await set({ amount: 6e9, model })).body.errors).toMatchObject([{ path: "amount" }])
    // Other windows and metrics are not comparable.
    expect((await set({ amount: 60e9, window: "week" })).status).toBe(200)
    expect((await set({ amount: 60e9, metric: "tokens" })).status).toBe(200)
  })

  it("of managers apply to members, and no longer once they leave", async () => {
    const { gateway, as, changeMembers, manager, member, group, create, ask } = setup
    const target = { type: "user", id: member.id }
    expect((await create(manager, target, { group_id: group, amount: 0 })).status).toBe(200)
    expect(await ask(member.key)).toBe(429)
    await changeMembers(group, "remove", [member.id])
    expect(await ask(member.key)).toBe(200)
    expect((await as(member, "GET", `${path}/own`)).body.total).toBe(0)
    expect((await create(manager, target, { group_id: group })).status).toBe(422)
    await changeMembers(group, "add", [member.id])
    expect(await ask(member.key)).toBe(429)
    const { key } = await gateway.createUser(`Guest${randomUUID().slice(0, 8)}`)
    expect(await ask(key)).toBe(200)
  })

  it("of managers are no longer theirs once they are members only", async () => {
    const { admin, as, colleague, member, group, create, idsListedFor } = setup
    const target = { type: "user", id: member.id }
    const { id } = (await create(colleague, target, { group_id: group })).body
    const managers = { user_ids: [colleague.id] }
    await admin("POST", `/api/v1/groups/${group}/managers/remove`, managers)
    expect((await create(colleague, target, { group_id: group })).status).toBe(403)
    expect((await as(colleague, "DELETE", `${path}/${id}`)).status).toBe(404)
    expect(await idsListedFor(colleague)).toEqual([])
    await admin("POST", `/api/v1/groups/${group}/managers/add`, managers)
    expect((await as(colleague, "DELETE", `${path}/${id}`)).status).toBe(200)
  })

  it("of managers are not for administrators and other managers, also if they become that", async () => {
    const { admin, as, manager, member, group, create, changeMembers } = setup
    const target = { type: "user", id: member.id }
    const { id } = (await create(manager, target, { group_id: group })).body
    const outcomes = async () => [
      (await create(manager, target, { group_id: group })).status,
      (await as(manager, "POST", `${path}/${id}/update`, { amount: 0 })).status,
    ]
    expect(await outcomes()).toEqual([200, 200])
    const setRole = (role: string) => admin("POST", `/api/v1/users/${member.id}/update`, { role })
    await setRole("admin")
    expect(await outcomes()).toEqual([403, 403])
    await setRole("user")
    const managers = { user_ids: [member.id] }
    await admin("POST", `/api/v1/groups/${group}/managers/add`, managers)
    expect(await outcomes()).toEqual([403, 403])
    await admin("POST", `/api/v1/groups/${group}/managers/remove`, managers)
    await changeMembers(group, "remove", [member.id])
    expect(await outcomes()).toEqual([422, 422])
    expect((await as(manager, "DELETE", `${path}/${id}`)).status).toBe(200)
    await changeMembers(group, "add", [member.id])
  })

  it("of managers are also set by administrators", async () => {
    const { gateway, admin, as, manager, member, stranger, group } = setup
    const target = { type: "user", id: member.id }
    const made = await admin("POST", path, { ...perDay, target, group_id: group })
    expect(made).toMatchObject({ set_by: "manager", group_id: group })
    expect((await as(manager, "DELETE", `${path}/${made.id}`)).status).toBe(200)
    const outside = { ...perDay, target: { type: "user", id: stranger.id }, group_id: group }
    expect((await gateway.call("POST", path, outside)).status).toBe(422)
  })

  it("can be at most 20 for each key and member", async () => {
    const { manager, member, group, keys, create, createByAdmin } = setup
    const ofMember = { type: "user", id: member.id }
    await createByAdmin(ofMember)
    const statusesOf = async (person: Person, target: object, values: object = {}) => {
      const statuses: number[] = []
      for (let index = 0; index <= 20; index++)
        statuses.push((await create(person, target, values)).status)
      return statuses
    }
    const expected = [...Array.from({ length: 20 }, () => 200), 409]
    expect(await statusesOf(manager, ofMember, { group_id: group })).toEqual(expected)
    expect(await statusesOf(member, { type: "key", id: keys.member })).toEqual(expected)
  })

  it("can be at most 200 for the keys of a user, and 5000 for a group", async () => {
    const { gateway, as, newKey, manager, colleague, member, group, keys, create } = setup
    const { db } = gateway.gateway
    const ofMember = { type: "user", id: member.id }
    const made = [
      (await create(manager, ofMember, { group_id: group })).body,
      (await create(member, { type: "key", id: keys.member })).body,
    ]
    const copy = async (id: string, count: number, targetOf: (index: number) => string) => {
      const row = await db.read
        .selectFrom("limits")
        .selectAll()
        .where("id", "=", id)
        .executeTakeFirstOrThrow()
      const ids = Array.from({ length: count }, (_, index) => index)
      for (let at = 0; at < count; at += 1000) {
        const rows = ids.slice(at, at + 1000)
        const values = rows.map((index) => ({
          ...{ ...row, id: `${id} ${index}`, target_id: targetOf(index) },
        }))
        await db.execute((writer) => writer.insertInto("limits").values(values).execute())
      }
    }
    const [ofGroup, ofKey] = made
    await copy(ofGroup.id, 4998, (index) => `user ${index}`)
    const others: string[] = []
    for (let index = 0; index < 10; index++) others.push((await newKey(member)).id)
    await copy(ofKey.id, 198, (index) => others[index % 10] ?? "")
    const last = async (person: Person, target: object, values: object = {}) => [
      (await create(person, target, values)).status,
      (await create(person, target, values)).status,
    ]
    expect(await last(colleague, ofMember, { group_id: group })).toEqual([200, 409])
    expect(await last(member, { type: "key", id: keys.member })).toEqual([200, 409])
    for (const id of others) await as(member, "DELETE", `/api/v1/auths/api_keys/${id}`)
    await db.execute((writer) => writer.deleteFrom("limits").where("id", "like", "% %").execute())
  })

  it("restrict a key, which can then not shed them", async () => {
    const { as, newKey, member, create, ask } = setup
    const key = await newKey(member)
    const holder = { ...member, key: key.api_key }
    const own = await create(holder, { type: "key", id: key.id }, { amount: 1 })
    expect(own.status).toBe(200)
    const refused = { status: 403, body: { code: "forbidden" } }
    const attempts: [string, string, object?][] = [
      ["DELETE", `${path}/${own.body.id}`],
      ["POST", `${path}/${own.body.id}/update`, { amount: 9 }],
      ["POST", "/api/v1/auths/api_keys", { name: "Unlimited" }],
      ["POST", "/api/v1/auths/api_key"],
    ]
    for (const [method, url, body] of attempts)
      expect(await as(holder, method, url, body)).toMatchObject(refused)
    const listed = await as(holder, "GET", `${path}/own`)
    expect(listed.body.items).toMatchObject([{ target: { type: "key", id: key.id }, amount: 1 }])
    expect([await ask(key.api_key), await ask(key.api_key)]).toEqual([200, 429])
    expect((await as(member, "DELETE", `${path}/${own.body.id}`)).status).toBe(200)
    expect(await ask(key.api_key)).toBe(200)
    expect((await as(holder, "POST", "/api/v1/auths/api_key")).status).toBe(200)
  })

  it("stay with a script key that is replaced, with what is used of them", async () => {
    const { admin, as, member, createByAdmin, ask } = setup
    const scriptKey = "/api/v1/auths/api_key"
    const first = (await as(member, "POST", scriptKey)).body.api_key
    const { body: listed } = await as(member, "GET", "/api/v1/auths/api_keys")
    const { id } = listed.find(({ name }: { name: string }) => name === "Script key")
    const limit = await createByAdmin({ type: "key", id }, { amount: 2 })
    expect(await ask(first)).toBe(200)
    const second = (await as(member, "POST", scriptKey)).body.api_key
    expect(await ask(first)).toBe(401)
    expect([await ask(second), await ask(second)]).toEqual([200, 429])
    const [found] = (await admin("GET", path)).items
    expect(found).toMatchObject({ id: limit, spent: 2 })
    expect(found.target.id).not.toBe(id)
    await as(member, "DELETE", scriptKey)
  })

  it("are recorded with who set them", async () => {
    const { admin, manager, group, keys, create } = setup
    const { id } = (await create(manager, { type: "key", id: keys.group })).body
    const { items } = await admin("GET", `/api/v1/audit?target=${id}`)
    expect(items).toMatchObject([
      {
        ...{ action: "limit.created", actor_type: "key", actor_id: manager.id },
        after: { set_by: "manager", group_id: group, target: { type: "key", id: keys.group } },
      },
    ])
  })
})
