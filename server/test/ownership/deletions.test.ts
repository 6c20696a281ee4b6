import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { startFakeOpenAI } from "../fakes/openai.ts"
import { chooseDatabases } from "../harness/databases.ts"
import { waitForModels } from "../models/wait-for-models.ts"
import { type OwnershipTest, type Person, startOwnershipTest } from "./owned-objects-setup.ts"

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

interface Deletion {
  /** Deletes; `confirm` deletes it all the same. */
  remove: (confirm?: "delete") => Promise<{ status: number; body: unknown }>
  /** What the refusal names. */
  named: { type: string; id: string }
  exists: () => Promise<boolean>
  /** Removes the dependency, after which no confirmation is needed. */
  release: () => Promise<unknown>
}

describe.each(chooseDatabases())("deleting what others need on $name", ({ createDatabase }) => {
  let test: OwnershipTest
  let member: Person

  beforeAll(async () => {
    test = await startOwnershipTest(createDatabase)
    member = await test.newPerson()
  })
  afterAll(() => test.stop())

  const call = (method: string, path: string, body?: unknown) =>
    test.gateway.call(method, path, body)
  const deleteAt =
    (path: string): Deletion["remove"] =>
    (confirm) =>
      call("DELETE", confirm ? `${path}?confirm=${confirm}` : path)
  const existsAt = (path: string) => async () => (await test.get(path)).status === 200
  const deleteModel = (id: string, confirm?: string) =>
    call("POST", "/api/v1/models/model/delete", { id, ...(confirm && { confirm }) })

  const newConnection = async (models: string[]) => {
    const upstream = await startFakeOpenAI({ models })
    const body = { kind: "openai", name: models.join(), base_url: upstream.url }
    const { id } = await test.post("/api/v1/connections/create", body)
    await waitForModels(test.gateway, models)
    await upstream.close()
    return `/api/v1/connections/${id}`
  }

  const setDefault = (default_model: string) => test.post("/api/v1/settings", { default_model })

  let count = 0
  const deletions: [string, () => Promise<Deletion>][] = [
    [
      "a group that was given access",
      async () => {
        const group = await test.newGroup(member)
        const access_grants = [
          { principal_type: "group", principal_id: group.id, permission: "read" },
        ]
        const prompt = await test.newPrompt(test.gateway, { access_grants })
        const path = `/api/v1/groups/${group.id}`
        return {
          remove: deleteAt(path),
          named: { type: "prompt", id: prompt.id },
          exists: existsAt(path),
          release: () => test.post(`/api/v1/prompts/${prompt.id}/update`, { access_grants: [] }),
        }
      },
    ],
    [
      "a collection that a model searches",
      async () => {
        const { id } = await test.newCollection(member)
        const model = await test.newModel(test.gateway, { meta: { knowledge: [{ id }] } })
        const path = `/api/v1/knowledge/${id}`
        return {
          remove: (confirm) => deleteAt(`${path}/delete`)(confirm),
          named: { type: "model", id: model.id },
          exists: existsAt(path),
          release: () => deleteModel(model.id),
        }
      },
    ],
    [
      "a model on which another one is based",
      async () => {
        const base = await test.newModel(test.gateway)
        const model = await test.newModel(test.gateway, { base_model_id: base.id })
        return {
          remove: (confirm) => deleteModel(base.id, confirm),
          named: { type: "model", id: model.id },
          exists: existsAt(`/api/v1/models/model?id=${base.id}`),
          release: () => deleteModel(model.id),
        }
      },
    ],
    [
      "the default model",
      async () => {
        const { id } = await test.newModel(test.gateway)
        await setDefault(id)
        return {
          remove: (confirm) => deleteModel(id, confirm),
          named: { type: "setting", id: "default_model" },
          exists: existsAt(`/api/v1/models/model?id=${id}`),
          release: () => setDefault(""),
        }
      },
    ],
    [
      "a connection on whose models others are based",
      async () => {
        const id = `only-here-${++count}`
        const path = await newConnection([id])
        const model = await test.newModel(test.gateway, { base_model_id: id })
        return {
          remove: deleteAt(path),
          named: { type: "model", id: model.id },
          exists: existsAt(path),
          release: () => deleteModel(model.id),
        }
      },
    ],
    [
      "a connection of the default model",
      async () => {
        const id = `only-here-${++count}`
        const path = await newConnection([id])
        await setDefault(id)
        return {
          remove: deleteAt(path),
          named: { type: "setting", id: "default_model" },
          exists: existsAt(path),
          release: () => setDefault(""),
        }
      },
    ],
  ]

  it.each(deletions)("is refused for %s, with a list", async (_what, create) => {
    const { remove, named, exists, release } = await create()
    expect(await remove()).toMatchObject({
      status: 409,
      body: { code: "in_use", in_use: { total: 1, counts: { [named.type]: 1 }, items: [named] } },
    })
    expect(await exists()).toBe(true)
    await release()
    expect((await remove()).status).toBe(200)
    expect(await exists()).toBe(false)
  })

  it.each(deletions)("deletes %s if that is confirmed", async (_what, create) => {
    const { remove, exists } = await create()
    expect((await remove("delete")).status).toBe(200)
    expect(await exists()).toBe(false)
    await setDefault("")
  })

  it("does not count models that another connection offers as well", async () => {
    const id = `offered-twice-${++count}`
    const paths = [await newConnection([id]), await newConnection([id])]
    await test.newModel(test.gateway, { base_model_id: id })
    const statuses: number[] = []
    for (const path of paths) statuses.push((await deleteAt(path)()).status)
    expect(statuses).toEqual([200, 409])
  })

  it("names models based on the connection indirectly too", async () => {
    const id = `chain-${++count}`
    const path = await newConnection([id])
    const first = await test.newModel(test.gateway, { base_model_id: id })
    const second = await test.newModel(test.gateway, { base_model_id: first.id })
    const { body } = await call("DELETE", path)
    const ids = body.in_use.items.map((item: { id: string }) => item.id)
    expect(ids.sort()).toEqual([first.id, second.id].sort())
  })

  it("never overlooks access that a group is being given at the same moment", async () => {
    for (let round = 0; round < 12; round++) {
      const group = await test.newGroup()
      const prompt = await test.newPrompt(test.gateway)
      const access_grants = [
        { principal_type: "group", principal_id: group.id, permission: "read" },
      ]
      const [, removed] = await Promise.all([
        call("POST", `/api/v1/prompts/${prompt.id}/update`, { access_grants }),
        call("DELETE", `/api/v1/groups/${group.id}`),
      ])
      const isDeleted = (await test.get(`/api/v1/groups/${group.id}`)).status === 404
      expect(removed.status).toBe(isDeleted ? 200 : 409)
    }
  })

  it("accepts no other confirmation than delete", async () => {
    const group = await test.newGroup()
    const { status } = await call("DELETE", `/api/v1/groups/${group.id}?confirm=yes`)
    expect(status).toBe(422)
  })
})
