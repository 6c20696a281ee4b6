import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { chooseDatabases, type OpenedDatabase } from "../../test/harness/databases.ts"
import { createGrants } from "../grants/grants.ts"
import { createSecrets } from "../secrets/secrets.ts"
import { type ConnectionConfig, NewConnection } from "./schema.ts"
import { createConnectionStore } from "./store.ts"

const connection = (id: string, own: object = {}): ConnectionConfig => ({
  ...NewConnection.parse({ kind: "openai", name: id, base_url: "https://example.com/v1", ...own }),
  id,
  source: "database",
  created_at: 1,
  updated_at: 1,
})

describe.each(chooseDatabases())("connections on $name", ({ open }) => {
  let database: OpenedDatabase
  const storeWith = (secretKey: string) => {
    const { db } = database
    return createConnectionStore({
      db,
      grants: createGrants(db),
      secrets: createSecrets(secretKey),
    })
  }

  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.remove())

  const save = (config: ConnectionConfig) =>
    database.db.transact((tx) => storeWith("key").save(tx, config))
  const find = async (id: string) => (await storeWith("key").list()).find((one) => one.id === id)

  it("come back as they were written, and nothing secret can be read in the rows", async () => {
    const whole = connection("whole", {
      api_key: "sk-secret",
      headers: { "x-team": "header-secret" },
      id_prefix: "p",
      allowed_models: ["a", "b/c:d"],
      connect_timeout: 0.5,
      idle_timeout: 30,
      access_grants: [{ principal_type: "group", principal_id: "g", permission: "read" }],
      enabled: false,
      position: 7,
    })
    await save(whole)
    expect(await find("whole")).toEqual(whole)
    const plain = connection("plain")
    await save(plain)
    expect(await find("plain")).toEqual(plain)
    const rows = JSON.stringify(
      await database.db.read.selectFrom("connections").selectAll().execute(),
    )
    expect(rows).not.toContain("sk-secret")
    expect(rows).not.toContain("header-secret")
    await expect(storeWith("another key").list()).rejects.toThrow("another SECRET_KEY")
  })

  it("tell everyone from nobody in what they grant", async () => {
    await save(connection("open", { access_grants: null }))
    await save(connection("shut", { access_grants: [] }))
    expect((await find("open"))?.access_grants).toBeNull()
    expect((await find("shut"))?.access_grants).toEqual([])
  })

  it("are listed by position, then by id", async () => {
    for (const [id, position] of [
      ["order-b", 2],
      ["order-c", 1],
      ["order-a", 2],
    ] as const) {
      await save(connection(id, { position }))
    }
    const ids = (await storeWith("key").list()).map(({ id }) => id)
    expect(ids.filter((id) => id.startsWith("order-"))).toEqual(["order-c", "order-a", "order-b"])
  })

  it("keep the models they had last, and lose them when they go", async () => {
    const store = storeWith("key")
    await save(connection("listed"))
    const unknown = { context_length: null, digest: null, listing: null, capabilities: {} }
    const one = { name: "m", created: 1, owned_by: "x", ...unknown }
    await store.saveModels("listed", [one], 1)
    await store.saveModels("listed", [one, { ...one, name: "n" }], 2)
    expect((await store.loadModels()).get("listed")?.map(({ name }) => name)).toEqual(["m", "n"])
    await database.db.transact((tx) => store.remove(tx, "listed"))
    expect(await find("listed")).toBeUndefined()
    expect((await store.loadModels()).get("listed")).toBeUndefined()
  })
})
