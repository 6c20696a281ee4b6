import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { chooseDatabases } from "../harness/databases.ts"
import { startGatewayOnDatabase, type TestGateway } from "../harness/gateway.ts"
import { measureMinMs } from "../harness/timing.ts"
import { upload } from "./collections.ts"

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const collections = 100
const manyGrants = 1000

const readers = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    principal_type: "user",
    principal_id: `reader-${index}`,
    permission: "read",
  }))

describe.each(chooseDatabases())("lists of collections on $name", ({ createDatabase }) => {
  let gateway: TestGateway

  beforeAll(async () => {
    gateway = await startGatewayOnDatabase(createDatabase)
  })
  afterAll(() => gateway.stop())

  const list = async (key: string, query = `?page_size=${collections}`) => {
    const { status, body } = await gateway.call("GET", `/api/v1/knowledge/${query}`, undefined, {
      key,
    })
    expect(status).toBe(200)
    return body
  }

  it("take a fraction of the time of reading a hundred collections with a thousand grants each", async () => {
    const { key } = await gateway.createUser("Many")
    const input = { name: "Shared", access_grants: readers(manyGrants) }
    const create = () => gateway.call("POST", "/api/v1/knowledge/create", input, { key })
    for (let index = 0; index < collections; index++) await create()
    const { items } = await list(key)
    expect(items).toHaveLength(collections)
    const readOne = async (): Promise<void> => {
      const path = `/api/v1/knowledge/${items[0].id}`
      const { body } = await gateway.call("GET", path, undefined, { key })
      expect(body.access_grants).toHaveLength(manyGrants)
    }
    await readOne()
    const oneMs = await measureMinMs(readOne)
    const listMs = await measureMinMs(() => list(key))
    expect(listMs).toBeLessThan((collections / 4) * oneMs)
  })

  it("include the first grants, those to everyone first, and the total number", async () => {
    const { key } = await gateway.createUser("Grace")
    const everyone = { principal_type: "user", principal_id: "*", permission: "read" }
    const input = { name: "Open", access_grants: [...readers(30), everyone] }
    const { body: made } = await gateway.call("POST", "/api/v1/knowledge/create", input, { key })
    expect(made.grant_count).toBe(31)
    const [listed] = (await list(key, "?query=Open")).items
    expect(listed).toMatchObject({ id: made.id, grant_count: 31 })
    expect(listed.access_grants).toHaveLength(20)
    expect(listed.access_grants[0]).toEqual(everyone)
    const whole = await gateway.call("GET", `/api/v1/knowledge/${made.id}`, undefined, { key })
    expect(whole.body.access_grants).toHaveLength(31)
  })

  it("include the first files of each collection, in the order they were added", async () => {
    const { key } = await gateway.createUser("Filipa")
    const ids: string[] = []
    for (let index = 0; index < 22; index++) {
      const { body } = await upload(gateway, `f${index}.txt`, `File ${index}.`, {
        key,
        query: "?process=false",
      })
      ids.push(body.id)
    }
    const createFilledCollection = async (name: string, fileIds: string[]) => {
      const { body } = await gateway.call("POST", "/api/v1/knowledge/create", { name }, { key })
      const files = fileIds.map((file_id) => ({ file_id }))
      if (files.length === 0) return body.id
      const path = `/api/v1/knowledge/${body.id}/files/batch/add`
      expect((await gateway.call("POST", path, files, { key })).status).toBe(200)
      return body.id
    }
    const full = await createFilledCollection("Full", ids)
    const pair = await createFilledCollection("Pair", ids.slice(3, 5))
    const empty = await createFilledCollection("Empty", [])
    const { items } = await list(key)
    const shownFileIds = (id: string) => {
      const found = items.find((item: { id: string }) => item.id === id)
      return found.files.map((file: { id: string }) => file.id)
    }
    expect(shownFileIds(full)).toEqual(ids.slice(0, 20))
    expect(shownFileIds(pair)).toEqual(ids.slice(3, 5))
    expect(shownFileIds(empty)).toEqual([])
  })
})
