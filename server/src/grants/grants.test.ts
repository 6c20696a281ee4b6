import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { chooseDatabases, type OpenedDatabase } from "../../test/harness/databases.ts"
import { createGrants, type Grants, hasPermission } from "./grants.ts"
import type { AccessGrant } from "./schema.ts"

const grant = (
  principal_type: AccessGrant["principal_type"],
  principal_id: string,
  permission: AccessGrant["permission"] = "read",
): AccessGrant => ({ principal_type, principal_id, permission })

const principal = (id: string, groups: string[] = [], role: "user" | "admin" = "user") => ({
  user: { id, role },
  groups: new Set(groups),
})

describe("access", () => {
  it.each([
    ["a stranger", principal("eve"), false, false],
    ["a reader", principal("reader"), true, false],
    ["a writer", principal("writer"), true, true],
    ["a member of a reading group", principal("x", ["readers"]), true, false],
    ["a member of a writing group", principal("x", ["none", "writers"]), true, true],
    ["a user named like a group", principal("readers"), false, false],
    ["a member of a group named like a user", principal("x", ["reader"]), false, false],
    ["an administrator", principal("boss", [], "admin"), true, true],
  ])("of %s follows from the grants", (_who, who, reads, writes) => {
    const grants = [
      grant("user", "reader"),
      grant("user", "writer", "write"),
      grant("group", "readers"),
      grant("group", "writers", "write"),
    ]
    expect([hasPermission(grants, who, "read"), hasPermission(grants, who, "write")]).toEqual([
      reads,
      writes,
    ])
    expect(hasPermission([], who, "read")).toBe(who.user.role === "admin")
  })

  it.each(["user", "group"] as const)("is granted to everyone by * of type %s", (type) => {
    const everyone = [grant(type, "*")]
    expect(hasPermission(everyone, principal("anyone"), "read")).toBe(true)
    expect(hasPermission(everyone, principal("anyone"), "write")).toBe(false)
  })
})

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
