import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { chooseDatabases, type OpenedDatabase } from "../../test/harness/databases.ts"
import { createGrants } from "../grants/grants.ts"
import type { WorkspaceModel } from "./schema.ts"
import { createModelStore, type ModelStore } from "./store.ts"

const model = (id: string, own: Partial<WorkspaceModel> = {}): WorkspaceModel => ({
  id,
  user_id: "owner",
  name: id,
  base_model_id: "base",
  meta: {
    description: "ünïcödé 😀",
    tags: ["a", "b"],
    starters: ["Hello"],
    claude_alias: true,
    anything: { deep: [1, null] },
  },
  params: { system: "Be brief.", temperature: 0.5 },
  access_grants: [{ principal_type: "user", principal_id: "*", permission: "read" }],
  is_active: true,
  created_at: 1,
  updated_at: 1,
  ...own,
})

describe.each(chooseDatabases())("workspace models on $name", ({ open }) => {
  let database: OpenedDatabase
  let store: ModelStore

  beforeAll(async () => {
    database = await open()
    const { db } = database
    store = createModelStore({ db, grants: createGrants(db) })
  })
  afterAll(() => database.remove())

  const insert = (wanted: WorkspaceModel) => database.db.transact((tx) => store.insert(tx, wanted))
  const find = (id: string) => store.byId(id)

  it("come back as they were written", async () => {
    const whole = model("a/b:c", { is_active: false })
    expect(await insert(whole)).toBe(true)
    expect(await find("a/b:c")).toEqual(whole)
    const { params, meta, ...summary } = whole
    const { description, tags, starters, claude_alias } = meta
    expect(await store.summary("a/b:c")).toEqual({
      ...summary,
      meta: { description, tags, starters, claude_alias },
    })
    const changes = { name: "New", params: {}, access_grants: [], is_active: true, updated_at: 2 }
    await database.db.transact((tx) => store.update(tx, "a/b:c", changes))
    expect(await find("a/b:c")).toEqual({ ...whole, ...changes })
  })

  it("keep the fields that a change does not name", async () => {
    const whole = model("fields")
    await insert(whole)
    const changed = { ...whole, updated_at: 2 }
    for (const changes of [
      { name: "New" },
      { meta: { description: "x", tags: [], starters: ["Hi"], claude_alias: false } },
    ]) {
      Object.assign(changed, changes)
      await database.db.transact((tx) => store.update(tx, "fields", { ...changes, updated_at: 2 }))
      expect(await find("fields")).toEqual(changed)
    }
  })

  it("have ids of their own, which differ by case, and one of many at once gets one", async () => {
    expect([await insert(model("id")), await insert(model("ID"))]).toEqual([true, true])
    const duplicate = model("id", { name: "Twin", access_grants: [] })
    expect(await insert(duplicate)).toBe(false)
    expect(await find("id")).toMatchObject({ name: "id", access_grants: [{ principal_id: "*" }] })
    const outcomes = await Promise.all(Array.from({ length: 6 }, () => insert(model("race"))))
    expect(outcomes.filter(Boolean)).toHaveLength(1)
  })

  it("leave no grants behind to whoever takes their id next", async () => {
    await insert(model("gone"))
    await database.db.transact((tx) => store.remove(tx, "gone"))
    expect(await find("gone")).toBeUndefined()
    await insert(model("gone", { access_grants: [] }))
    expect((await find("gone"))?.access_grants).toEqual([])
  })

  it("are listed in the order of their ids' bytes", async () => {
    for (const id of ["z", "Z", "ä", "10", "9"]) await insert(model(`order-${id}`))
    const ids = (await store.listIds()).filter((id) => id.startsWith("order-"))
    expect(ids).toEqual(["order-10", "order-9", "order-Z", "order-z", "order-ä"])
  })
})
