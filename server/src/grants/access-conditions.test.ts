import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { chooseDatabases, type OpenedDatabase } from "../../test/harness/databases.ts"
import { createUserStore } from "../users/store.ts"
import { newStoredUser } from "../users/user-rows.ts"
import { mayRead, mayWrite, type Principal, type SharedObject } from "./access.ts"
import { filterOwnOrGranted, filterReadable, selectWritable } from "./access-conditions.ts"
import type { AccessGrant } from "./schema.ts"

/** Users and groups share IDs, so that a condition that mixes them up selects other rows. */
const ids = ["a", "b", "c", "*"]

const principals: Principal[] = (["user", "admin"] as const).flatMap((role) =>
  ["a", "b", "c"].flatMap((id) =>
    [[], ["a"], ["b", "c"]].map((groups) => ({ user: { id, role }, groups: new Set(groups) })),
  ),
)

const singleGrants: AccessGrant[] = (["user", "group"] as const).flatMap((principal_type) =>
  ids.flatMap((principal_id) =>
    (["read", "write"] as const).map((permission) => ({
      principal_type,
      principal_id,
      permission,
    })),
  ),
)

/** Nothing granted, every single grant, and every pair of neighbors. */
const grantLists: AccessGrant[][] = [
  [],
  ...singleGrants.map((grant) => [grant]),
  ...singleGrants.slice(1).map((grant, at) => singleGrants.slice(at, at + 1).concat(grant)),
]

const owners = ["a", "d"]
const objects = owners.flatMap((user_id) =>
  grantLists.map((access_grants, at) => ({ id: `${user_id}${at}`, user_id, access_grants })),
)

const idsOf = (found: readonly { id: string }[]): string[] => found.map(({ id }) => id).sort()
const expectedIds = (isExpected: (object: SharedObject) => boolean): string[] =>
  idsOf(objects.filter(isExpected))

describe.each(chooseDatabases())("conditions for lists on $name", ({ open }) => {
  let database: OpenedDatabase

  beforeAll(async () => {
    database = await open()
    const times = { created_at: 1, updated_at: 1 }
    const users = createUserStore(database.db)
    await database.db.transact(async (tx) => {
      for (const id of owners) {
        const attributes = {
          email: `${id}@example.com`,
          name: id,
          role: "user",
          source: "local",
        } as const
        await users.insert(tx, newStoredUser({ id, ...attributes }, 1), [])
      }
      for (const { id, user_id, access_grants } of objects) {
        const prompt = { id, user_id, command: id, title: id, title_key: id, content: "" }
        const collection = { id, user_id, name: id, name_key: id, description: "", search: "dense" }
        await tx
          .insertInto("prompts")
          .values({ ...prompt, ...times })
          .execute()
        await tx
          .insertInto("collections")
          .values({ ...collection, ...times })
          .execute()
        const rows = access_grants.flatMap((grant) =>
          ["prompt", "collection"].map((resource_type) => ({ resource_type, ...grant })),
        )
        for (const row of rows)
          await tx
            .insertInto("access_grants")
            .values({ ...row, resource_id: id })
            .execute()
      }
    })
  })
  afterAll(() => database.remove())

  const select = (type: "prompt" | "collection") =>
    database.db.read.selectFrom(type === "prompt" ? "prompts" : "collections").select("id")

  it.each(["prompt", "collection"] as const)("of a %s select what mayRead allows", async (type) => {
    for (const principal of principals) {
      const readable = await filterReadable(select(type), type, principal).execute()
      expect(idsOf(readable)).toEqual(expectedIds((object) => mayRead(object, principal)))
    }
  })

  it("give administrators no more access than others where only shared rows are listed", async () => {
    for (const { user, groups } of principals) {
      const granted = await filterOwnOrGranted(select("prompt"), "prompt", {
        user: { ...user, role: "admin" },
        groups,
      }).execute()
      const asUser: Principal = { user: { ...user, role: "user" }, groups }
      expect(idsOf(granted)).toEqual(expectedIds((object) => mayRead(object, asUser)))
    }
  })

  it("mark what mayWrite allows", async () => {
    for (const principal of principals) {
      const rows = await database.db.read
        .selectFrom("prompts")
        .select("id")
        .select(selectWritable("prompt", principal).as("writable"))
        .execute()
      const writable = rows.filter((row) => row.writable === 1)
      expect(idsOf(writable)).toEqual(expectedIds((object) => mayWrite(object, principal)))
    }
  })
})
