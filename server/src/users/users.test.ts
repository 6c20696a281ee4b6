import { randomUUIDv7 } from "node:crypto"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { createTestBackground } from "../../test/harness/background.ts"
import { chooseDatabases, type OpenedDatabase } from "../../test/harness/databases.ts"
import { nextMillisecond } from "../../test/harness/timing.ts"
import { createAudit } from "../audit/audit.ts"
import { createLocalBus } from "../bus/bus.ts"
import { systemActor } from "../http/caller.ts"
import { UserListQuery } from "./schema.ts"
import { createUserStore } from "./store.ts"
import { createUsers, type Users } from "./users.ts"

const now = () => 1_800_000_000

const usersOn = ({ db }: OpenedDatabase): Users =>
  createUsers({
    db,
    store: createUserStore(db),
    audit: createAudit({ now }),
    bus: createLocalBus(createTestBackground()),
    newId: () => randomUUIDv7(),
    nowMs: () => now() * 1000,
    hashPassword: async (password) => `hash of ${password}`,
    endSessions: async () => {},
    queue: { add: async () => {}, register: () => {} },
    refreshCaller: async (_tx, caller) => caller,
  })

const list = async (users: Users, query: Record<string, string>): Promise<string[]> => {
  const { items } = await users.list(UserListQuery.parse({ page_size: "200", ...query }))
  return items.map(({ name }) => name)
}

describe.each(chooseDatabases())("users on $name", ({ open }) => {
  let database: OpenedDatabase
  let users: Users
  const add = (email: string, name = email) =>
    users.create(systemActor, { email, name, role: "user", source: "local" })

  beforeAll(async () => {
    database = await open()
    users = usersOn(database)
  })
  afterAll(() => database.remove())

  it.each([
    ["ada@example.com", "ADA@Example.COM"],
    ["jürgen@example.com", "JÜRGEN@example.com"],
    ["ΑΘΗΝΑΣ@example.com", "αθηνας@example.com"],
    ["e\u0301va@example.com", "\u00c9VA@example.com"],
  ])(
    "rejects an e-mail address already in use, regardless of case: %s, %s",
    async (email, repeated) => {
      await add(email)
      await expect(add(repeated)).rejects.toMatchObject({ code: "conflict" })
      expect(await users.findForSignIn(repeated)).toMatchObject({ email })
      const other = await add(`other-${randomUUIDv7()}@example.com`)
      await expect(users.update(systemActor, other.id, { email: repeated })).rejects.toMatchObject({
        code: "conflict",
      })
    },
  )

  it("lets an account change the case of its own e-mail", async () => {
    const { id } = await add("case@example.com")
    expect(await users.update(systemActor, id, { email: "Case@Example.com" })).toMatchObject({
      email: "Case@Example.com",
    })
  })

  it("creates one account when many requests use the same address concurrently", async () => {
    const attempts = Array.from({ length: 8 }, (_, n) => add(n % 2 ? "race@x.org" : "RACE@x.org"))
    const created = (await Promise.allSettled(attempts)).filter(
      ({ status }) => status === "fulfilled",
    )
    expect(created).toHaveLength(1)
  })

  it("gives a contested address to exactly one account", async () => {
    const owners = await Promise.all([1, 2, 3, 4].map((n) => add(`wants-${n}@x.org`)))
    const changes = owners.map(({ id }) => users.update(systemActor, id, { email: "wanted@x.org" }))
    const outcomes = await Promise.allSettled(changes)
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1)
    for (const outcome of outcomes) {
      if (outcome.status === "rejected") expect(outcome.reason).toMatchObject({ code: "conflict" })
    }
  })

  it("applies both of two concurrent changes to an account", async () => {
    for (let round = 0; round < 5; round++) {
      const { id } = await add(`both-${round}@x.org`, "Old")
      await Promise.all([
        users.update(systemActor, id, { name: "New" }),
        users.update(systemActor, id, { active: false }),
      ])
      expect(await users.get(id)).toMatchObject({ name: "New", active: false })
    }
  })

  it("keeps one of the last two administrators who remove each other concurrently", async () => {
    const admin = { role: "admin", source: "local" } as const
    const one = await users.create(systemActor, { email: "one@admins.org", name: "One", ...admin })
    const two = await users.create(systemActor, { email: "two@admins.org", name: "Two", ...admin })
    const outcomes = await Promise.allSettled([
      users.remove(systemActor, one.id),
      users.update(systemActor, two.id, { active: false }),
    ])
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1)
    const failed = outcomes.find((outcome) => outcome.status === "rejected")
    expect(failed?.reason).toMatchObject({ code: "last_admin" })
  })

  it("matches %, _ and \\ in searches literally", async () => {
    for (const name of ["50% off", "snake_case", "back\\slash", "plain"]) {
      await add(`${Buffer.from(name).toString("hex")}@search.org`, name)
    }
    expect(await list(users, { query: "0% o" })).toEqual(["50% off"])
    expect(await list(users, { query: "e_c" })).toEqual(["snake_case"])
    expect(await list(users, { query: "k\\s" })).toEqual(["back\\slash"])
    expect(await list(users, { query: "%" })).toEqual(["50% off"])
    expect(await list(users, { query: "SNAKE_" })).toEqual(["snake_case"])
  })

  it("sorts by folded bytes, regardless of the database's locale", async () => {
    const names = ["Zoë", "émile", "Émile", "ada", "Ada B", "_under", "Ångström", "10", "9", "😀"]
    for (const [n, name] of names.entries()) {
      await add(`${n}@order.org`, `order ${name}`)
      // Names that differ only in case are sorted by id, which has a resolution of milliseconds.
      await nextMillisecond()
    }
    const found = await list(users, { query: "order ", order_by: "name" })
    const expected = [
      "10",
      "9",
      "_under",
      "ada",
      "Ada B",
      "Zoë",
      "Ångström",
      "émile",
      "Émile",
      "😀",
    ]
    expect(found).toEqual(expected.map((name) => `order ${name}`))
    const back = await list(users, { query: "order ", order_by: "name", direction: "desc" })
    expect(back).toHaveLength(expected.length)
    expect(back[0]).toBe("order 😀")
  })

  it("sorts users never seen first, and pages without gaps or duplicates", async () => {
    for (const n of [1, 2, 3]) await add(`${n}@seen.org`, `seen ${n}`)
    const [second] = (await users.list(UserListQuery.parse({ query: "seen 2" }))).items
    await database.db.transact(async (tx) => {
      await tx
        .updateTable("users")
        .set({ last_active_at: 5 })
        .where("id", "=", second?.id ?? "")
        .execute()
    })
    const order = { query: "seen ", order_by: "last_active_at" }
    expect(await list(users, order)).toEqual(["seen 1", "seen 3", "seen 2"])
    expect(await list(users, { ...order, direction: "desc" })).toEqual([
      "seen 2",
      "seen 3",
      "seen 1",
    ])
    const pages = await Promise.all(
      ["1", "2", "3", "4"].map((page) => list(users, { ...order, page, page_size: "1" })),
    )
    expect(pages.flat()).toEqual(["seen 1", "seen 3", "seen 2"])
    const beyond = { page: "9007199254740991", page_size: "200" }
    expect(await users.list(UserListQuery.parse({ ...beyond, query: "seen" }))).toMatchObject({
      items: [],
      total: 3,
    })
  })
})
