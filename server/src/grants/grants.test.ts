import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { chooseDatabases, type OpenedDatabase } from "../../test/harness/databases.ts"
import { createGrants, type Grants } from "./grants.ts"
import type { AccessGrant } from "./schema.ts"

const grant = (
  principal_type: AccessGrant["principal_type"],
  principal_id: string,
  permission: AccessGrant["permission"] = "read",
): AccessGrant => ({ principal_type, principal_id, permission })

describe.each(chooseDatabases())("grants on $name", ({ open }) => {
  let database: OpenedDatabase
  let grants: Grants

  beforeAll(async () => {
    database = await open()
    grants = createGrants(database.db)
  })
  afterAll(() => database.remove())

  const replace = (id: string, list: AccessGrant[]) =>
    database.db.transact((tx) => grants.replace(tx, "model", id, list))
  const grantsOf = async (id: string) => (await grants.groupByResource("model")).get(id) ?? []

  it("are replaced entirely, without duplicates", async () => {
    const read = grant("user", "ada")
    await replace("m", [read, read, grant("group", "g", "write")])
    expect(await grantsOf("m")).toHaveLength(2)
    await replace("m", [read])
    expect(await grantsOf("m")).toEqual([read])
    await replace("m", [])
    expect(await grantsOf("m")).toEqual([])
  })

  it("are separate for each resource and type", async () => {
    await replace("one", [grant("user", "a")])
    await replace("ONE", [grant("user", "b")])
    await database.db.transact((tx) =>
      grants.replace(tx, "connection", "one", [grant("user", "c")]),
    )
    expect(await grantsOf("one")).toEqual([grant("user", "a")])
    expect(await grantsOf("ONE")).toEqual([grant("user", "b")])
    expect((await grants.groupByResource("connection")).get("one")).toEqual([grant("user", "c")])
  })

  it("of up to a thousand are replaced concurrently without mixing", async () => {
    const lists = Array.from({ length: 4 }, (_, list) =>
      Array.from({ length: 1000 }, (_, n) => grant("user", `${list}-${n}`)),
    )
    await Promise.all(
      lists.map((list) =>
        database.db.transact(async (tx) => {
          await database.db.acquireLock(tx, "model big")
          await grants.replace(tx, "model", "big", list)
        }),
      ),
    )
    const stored = await grantsOf("big")
    expect(stored).toHaveLength(1000)
    expect(new Set(stored.map(({ principal_id }) => principal_id.split("-")[0])).size).toBe(1)
  })
})
