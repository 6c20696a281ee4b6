import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { chooseDatabases } from "../harness/databases.ts"
import {
  type DelegatedLimits,
  limitedModel as model,
  type Person,
  limitsPath as path,
  startDelegatedLimits,
} from "./delegated-limits-setup.ts"

/** Everything that a limit may be for. */
const targetsOf = (
  setup: DelegatedLimits,
): Record<string, { target: object; group_id?: string }> => {
  const { manager, colleague, member, stranger, group, otherGroup, keys } = setup
  return {
    everyone: { target: { type: "everyone" } },
    model: { target: { type: "model", id: model } },
    connection: { target: { type: "connection", id: "openai" } },
    "the group": { target: { type: "group", id: group } },
    "another group": { target: { type: "group", id: otherGroup } },
    themselves: { target: { type: "user", id: member.id } },
    "a member": { target: { type: "user", id: member.id }, group_id: group },
    "the manager": { target: { type: "user", id: manager.id }, group_id: group },
    "another manager": { target: { type: "user", id: colleague.id }, group_id: group },
    "no member": { target: { type: "user", id: stranger.id }, group_id: group },
    "a member by another group": {
      ...{ target: { type: "user", id: stranger.id }, group_id: otherGroup },
    },
    "a user without a group": { target: { type: "user", id: stranger.id } },
    "a member's key": { target: { type: "key", id: keys.member } },
    "a member's key by the group": { target: { type: "key", id: keys.member }, group_id: group },
    "the manager's key": { target: { type: "key", id: keys.manager } },
    "a service key": { target: { type: "key", id: keys.group } },
    "a service key by its group": { target: { type: "key", id: keys.group }, group_id: group },
    "a service key of another group": { target: { type: "key", id: keys.otherGroup } },
    "a service key by another group": {
      ...{ target: { type: "key", id: keys.otherGroup }, group_id: group },
    },
    "the group by itself": { target: { type: "group", id: group }, group_id: group },
    "a key that does not exist": { target: { type: "key", id: "nothing" } },
    "a member of an unknown group": {
      ...{ target: { type: "user", id: member.id }, group_id: "nothing" },
    },
  }
}

describe.each(chooseDatabases())("who may set and see limits on $name", ({ createDatabase }) => {
  let setup: DelegatedLimits
  beforeAll(async () => {
    setup = await startDelegatedLimits(createDatabase)
  })
  beforeEach(() => setup.removeAll())
  afterAll(() => setup.stop())

  /** For whom each target can be limited, and by what authority; all others are refused with 403. */
  const outcomesByPerson: Record<
    "member" | "manager" | "stranger",
    Record<string, string | number>
  > = {
    member: { "a member's key": "owner" },
    manager: {
      "a member": "manager",
      "the manager": "manager",
      "no member": 422,
      "a member's key by the group": 422,
      "the manager's key": "owner",
      "a service key": "manager",
      "a service key by its group": "manager",
      "a service key by another group": 422,
      "the group by itself": 422,
    },
    stranger: {},
  }

  /** The authority by which a person has set a limit, or the status of the refusal. */
  const outcomeOf = async (
    person: Person,
    { target, group_id }: { target: object; group_id?: string },
  ): Promise<string | number> => {
    const { status, body } = await setup.create(person, target, { group_id })
    if (status !== 200) return status
    expect(body.group_id).toBe(body.set_by === "manager" ? setup.group : null)
    return body.set_by
  }

  it.each(["member", "manager", "stranger"] as const)(
    "lets a %s set their own only",
    async (who) => {
      const expected = outcomesByPerson[who]
      const outcomes: Record<string, string | number> = {}
      for (const [what, limit] of Object.entries(targetsOf(setup))) {
        const outcome = await outcomeOf(setup[who], limit)
        if (outcome !== 403) outcomes[what] = outcome
      }
      expect(outcomes).toEqual(expected)
      const made = Object.values(expected).filter((one) => one !== 422)
      expect((await setup.admin("GET", path)).total).toBe(made.length)
    },
  )

  it("of administrators are changed by nobody else, and by managers and owners only their own", async () => {
    const { admin, as, manager, colleague, member, stranger, group, keys, create, createByAdmin } =
      setup
    const ids = {
      "the group": await createByAdmin({ type: "group", id: group }),
      "a member": await createByAdmin({ type: "user", id: member.id }),
      "a member's key": await createByAdmin({ type: "key", id: keys.member }),
      "a service key": await createByAdmin({ type: "key", id: keys.group }),
      "the owner's": (await create(member, { type: "key", id: keys.member })).body.id,
      "the manager's": (await create(manager, { type: "user", id: member.id }, { group_id: group }))
        .body.id,
      "a service key's": (await create(manager, { type: "key", id: keys.group })).body.id,
    }
    const changeableBy = async (person: Person): Promise<Record<string, number>> => {
      const found: Record<string, number> = {}
      for (const [what, id] of Object.entries(ids)) {
        const { status } = await as(person, "POST", `${path}/${id}/update`, { amount: 7 })
        if (status !== 200)
          expect((await as(person, "DELETE", `${path}/${id}`)).status).toBe(status)
        found[what] = status
      }
      return found
    }
    const nothing = Object.fromEntries(Object.keys(ids).map((what) => [what, 404]))
    expect(await changeableBy(stranger)).toEqual(nothing)
    const forMember = { "a member": 403, "a member's key": 403, "the manager's": 403 }
    expect(await changeableBy(member)).toEqual({ ...nothing, ...forMember, "the owner's": 200 })
    const forManager = { "the group": 403, "a service key": 403 }
    const ofManager = { "the manager's": 200, "a service key's": 200 }
    for (const person of [manager, colleague])
      expect(await changeableBy(person)).toEqual({ ...nothing, ...forManager, ...ofManager })
    await admin("POST", `${path}/${ids["the owner's"]}/update`, { amount: 3 })
    expect((await as(member, "DELETE", `${path}/${ids["the owner's"]}`)).status).toBe(200)
    expect((await as(colleague, "DELETE", `${path}/${ids["the manager's"]}`)).status).toBe(200)
  })

  it("cannot change who may change them", async () => {
    const { as, member, otherGroup, keys, create } = setup
    const { id } = (await create(member, { type: "key", id: keys.member })).body
    const changes = [{ set_by: "administrator" }, { group_id: otherGroup }]
    for (const change of changes)
      expect((await as(member, "POST", `${path}/${id}/update`, change)).status).toBe(422)
    const target = { type: "key", id: keys.member }
    expect((await create(member, target, { set_by: "administrator" })).status).toBe(422)
  })

  it("are listed for those that they concern", async () => {
    const { admin, manager, member, stranger, group, keys, create, createByAdmin, idsListedFor } =
      setup
    const everyone = await createByAdmin({ type: "everyone" })
    const ofGroup = await createByAdmin({ type: "group", id: group })
    const ofMember = await createByAdmin({ type: "user", id: member.id })
    const byManager = (await create(manager, { type: "user", id: member.id }, { group_id: group }))
      .body.id
    const ofServiceKey = await createByAdmin({ type: "key", id: keys.group })
    const ofKey = (await create(member, { type: "key", id: keys.member })).body.id
    const all = [everyone, ofGroup, ofMember, byManager, ofServiceKey, ofKey]
    const { items } = await admin("GET", path)
    expect(items.map(({ id }: { id: string }) => id)).toEqual(all)
    expect(await idsListedFor(member)).toEqual([ofMember, byManager, ofKey])
    expect(await idsListedFor(manager)).toEqual([ofGroup, byManager, ofServiceKey])
    expect(await idsListedFor(stranger)).toEqual([])
    const ofGroupOnly = `target_type=group&target_id=${group}`
    expect(await idsListedFor(manager, ofGroupOnly)).toEqual([ofGroup])
    expect(await idsListedFor(member, ofGroupOnly)).toEqual([])
  })

  it("show members only the used part of what they share", async () => {
    const { admin, as, manager, member, stranger, group, otherGroup, create, createByAdmin, ask } =
      setup
    await createByAdmin({ type: "everyone" }, { amount: 8 })
    await createByAdmin({ type: "group", id: group }, { amount: 3 })
    await createByAdmin({ type: "group", id: otherGroup })
    await createByAdmin({ type: "user", id: member.id }, { amount: 50 })
    await create(manager, { type: "user", id: member.id }, { group_id: group, amount: 2 })
    expect(await ask(member.key)).toBe(200)
    const own = async (person: Person) => (await as(person, "GET", `${path}/own`)).body
    const hidden = { amount: null, spent: null, reserved: null }
    const { name } = await admin("GET", `/api/v1/groups/${group}`)
    expect(await own(member)).toMatchObject({
      total: 4,
      items: [
        { target: { type: "everyone" }, ...hidden, used: 0.13, target_name: null },
        { target: { type: "group", id: group }, ...hidden, used: 0.34, target_name: name },
        { target: { type: "user" }, amount: 50, spent: 1, used: 0.02, set_by: "administrator" },
        { target: { type: "user" }, amount: 2, spent: 1, used: 0.5, set_by: "manager" },
      ],
    })
    const ofManager = await own(manager)
    expect(ofManager.items).toMatchObject([hidden, { amount: 3, spent: 1, used: 0.34 }])
    expect((await own(stranger)).total).toBe(2)
    const second = await as(member, "GET", `${path}/own?page=2&page_size=3`)
    expect(second.body).toMatchObject({ total: 4, items: [{ amount: 2 }] })
  })
})
