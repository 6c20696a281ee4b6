import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { maxRows } from "../../src/db/max-rows.ts"
import { chooseDatabases } from "../harness/databases.ts"
import { startGatewayOnDatabase, type TestGateway } from "../harness/gateway.ts"

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

interface Person {
  id: string
  key: string
}

const path = "/api/v1/prompts"
const content = "Write a {{tone|friendly}} reply to {{name}}."

describe.each(chooseDatabases())("prompts on $name", ({ createDatabase }) => {
  let gateway: TestGateway
  let owner: Person
  let other: Person
  let count = 0

  beforeAll(async () => {
    gateway = await startGatewayOnDatabase(createDatabase, { MAX_STORAGE: "50KB/1GB" })
    owner = await gateway.createUser("Owner")
    other = await gateway.createUser("Other")
  })
  afterAll(() => gateway.stop())

  const as =
    ({ key }: Pick<Person, "key">) =>
    (method: string, url: string, body?: unknown) =>
      gateway.call(method, url, body, { key })

  const create = async (fields: object = {}, by = owner) => {
    const input = { command: `reply-${count++}`, title: "Reply", content, ...fields }
    const { status, body } = await as(by)("POST", `${path}/create`, input)
    expect([status, body]).toEqual([200, expect.objectContaining({ content: input.content })])
    return body
  }

  const grantTo = ({ id }: Person, permission: "read" | "write") => ({
    access_grants: [{ principal_type: "user", principal_id: id, permission }],
  })

  /** What a person may do with a prompt, as statuses of reading, changing and deleting. */
  const statusesFor = async (person: Pick<Person, "key">, id: string): Promise<number[]> => {
    const call = as(person)
    const replies = [
      await call("GET", `${path}/${id}`),
      await call("POST", `${path}/${id}/update`, { title: "Changed" }),
      await call("DELETE", `${path}/${id}/delete`),
    ]
    return replies.map(({ status }) => status)
  }

  it("are private until they are shared", async () => {
    const { id } = await create()
    expect(await statusesFor(other, id)).toEqual([404, 404, 404])
    expect(await statusesFor(owner, id)).toEqual([200, 200, 200])
  })

  it("are used by readers, changed by writers, and deleted by their owner or an administrator", async () => {
    const readable = await create(grantTo(other, "read"))
    expect(await statusesFor(other, readable.id)).toEqual([200, 403, 403])
    const writable = await create(grantTo(other, "write"))
    expect(await statusesFor(other, writable.id)).toEqual([200, 200, 403])
    expect(await statusesFor(gateway, writable.id)).toEqual([200, 200, 200])
  })

  it("are shared only by their owner, so that a writer cannot pass them on", async () => {
    const { id } = await create(grantTo(other, "write"))
    const everyone = { principal_type: "user", principal_id: "*", permission: "read" }
    const share = { access_grants: [everyone] }
    expect((await as(other)("POST", `${path}/${id}/update`, share)).status).toBe(403)
    const same = { title: "Same grants", ...grantTo(other, "write") }
    expect((await as(other)("POST", `${path}/${id}/update`, same)).status).toBe(200)
    expect((await as(owner)("POST", `${path}/${id}/update`, share)).status).toBe(200)
    expect(await statusesFor(other, id)).toEqual([200, 403, 403])
  })

  it("are withdrawn at once when the grant or the group membership ends", async () => {
    const { body: group } = await gateway.call("POST", "/api/v1/groups/create", { name: "Desk" })
    await gateway.call("POST", `/api/v1/groups/${group.id}/members/add`, { user_ids: [other.id] })
    const grant = { principal_type: "group", principal_id: group.id, permission: "read" }
    const { id, command } = await create({ access_grants: [grant] })
    const listed = async () => {
      const { body } = await as(other)("GET", `${path}/?page=1&query=${command}`)
      return body.total
    }
    expect(await listed()).toBe(1)
    await gateway.call("POST", `/api/v1/groups/${group.id}/members/remove`, {
      user_ids: [other.id],
    })
    expect([(await as(other)("GET", `${path}/${id}`)).status, await listed()]).toEqual([404, 0])
    await as(owner)("POST", `${path}/${id}/update`, grantTo(other, "read"))
    expect(await listed()).toBe(1)
    await as(owner)("POST", `${path}/${id}/update`, { access_grants: [] })
    expect(await listed()).toBe(0)
  })

  it("are listed as an array, or as a page if the request names one", async () => {
    const reader = await gateway.createUser("Reader")
    const made = await create({ ...grantTo(reader, "write"), title: "Übersetzen (list)" })
    const own = await create({ title: "Zebra (list)" }, reader)
    const call = as(reader)
    const { body: all } = await call("GET", `${path}/?query=(list)`)
    expect(all.map(({ id }: { id: string }) => id)).toEqual([own.id, made.id])
    const { body: page } = await call("GET", `${path}/?page=1&query=ÜBER`)
    expect(page).toMatchObject({ total: 1, items: [{ id: made.id, content }] })
    expect(page.items[0]).toMatchObject({
      user_name: "Owner",
      grant_count: 1,
      is_public: false,
      writable: true,
    })
    expect(page.items[0]).not.toHaveProperty("access_grants")
    const { body: second } = await call("GET", `${path}/?page=2&page_size=1&query=(list)`)
    expect(second).toMatchObject({ total: 2, items: [{ id: made.id }] })
  })

  it("of other people are listed for administrators unless they ask for granted ones", async () => {
    const { id } = await create({ command: "private-one" })
    const list = async (query: string) => {
      const { body } = await gateway.call("GET", `${path}/?page=1&query=private-one${query}`)
      return body.items.map((item: { id: string }) => item.id)
    }
    expect(await list("")).toEqual([id])
    expect(await list("&granted=true")).toEqual([])
  })

  it("have commands that are unique among the prompts of one owner, whatever their case", async () => {
    await create({ command: "twice" })
    const input = { command: "Twice", title: "Again", content }
    const taken = await as(owner)("POST", `${path}/create`, input)
    expect(taken).toMatchObject({
      status: 409,
      body: { code: "conflict", errors: [{ path: "command" }] },
    })
    expect((await create({ command: "TWICE" }, other)).command).toBe("twice")
    const { id } = await create()
    const renamed = await as(owner)("POST", `${path}/${id}/update`, { command: "twice" })
    expect(renamed).toMatchObject({ status: 409, body: { errors: [{ path: "command" }] } })
  })

  it.each([
    ["command", { command: "two words" }],
    ["command", { command: "/slash" }],
    ["command", { command: "" }],
    ["command", { command: "x".repeat(51) }],
    ["title", { title: " " }],
    ["title", { title: "x".repeat(201) }],
    ["content", { content: "" }],
    ["content", { content: "x".repeat(20_001) }],
    ["access_grants", { access_grants: [{ principal_type: "pet", principal_id: "x" }] }],
  ])("reject an invalid %s", async (field, fields) => {
    const input = { command: "valid", title: "Valid", content, ...fields }
    const { status, body } = await as(owner)("POST", `${path}/create`, input)
    expect([status, body.errors[0].path]).toEqual([422, expect.stringMatching(`^${field}`)])
  })

  it("count toward their owner's storage, also when others change them", async () => {
    const author = await gateway.createUser("Author")
    const { id } = await create({ ...grantTo(other, "write"), content: "x".repeat(20_000) }, author)
    const used = async () => (await as(author)("GET", "/api/v1/storage")).body.breakdown.prompts
    expect(await used()).toBe(20_005)
    await create({ content: "x".repeat(20_000) }, author)
    await create({ content: "x" }, author)
    const small = await create({ ...grantTo(other, "write"), content: "x" }, author)
    const grown = await as(other)("POST", `${path}/${small.id}/update`, {
      content: "x".repeat(20_000),
    })
    expect(grown).toMatchObject({ status: 413, body: { code: "storage_limit" } })
    expect(grown.body.storage).toBeUndefined()
    await as(author)("DELETE", `${path}/${id}/delete`)
    expect(await used()).toBeLessThan(21_000)
  })

  it("are limited in number", async () => {
    const collector = await gateway.createUser("Collector")
    const { db } = gateway.gateway
    const row = { user_id: collector.id, title: "T", title_key: "t", content: "c" }
    const rows = Array.from({ length: maxRows.promptsPerUser - 1 }, (_, n) => ({
      ...row,
      id: `many ${n}`,
      command: `many-${n}`,
      created_at: 0,
      updated_at: 0,
    }))
    await db.transact(async (tx) => {
      await tx.insertInto("prompts").values(rows).execute()
    })
    await create({}, collector)
    const input = { command: "one-more", title: "Title", content }
    expect(await as(collector)("POST", `${path}/create`, input)).toMatchObject({
      status: 409,
      body: { code: "limit_reached" },
    })
  })

  it("are deleted with their owner, together with their grants", async () => {
    const leaver = await gateway.createUser("Leaver")
    const { id } = await create(grantTo(other, "read"), leaver)
    const kept = await create(grantTo(leaver, "read"))
    await gateway.call("DELETE", `/api/v1/users/${leaver.id}?confirm=delete`)
    expect((await as(other)("GET", `${path}/${id}`)).status).toBe(404)
    const grants = await gateway.gateway.db.read
      .selectFrom("access_grants")
      .select("resource_id")
      .where("resource_type", "=", "prompt")
      .where("resource_id", "in", [id, kept.id])
      .execute()
    expect(grants).toEqual([])
  })

  it("leave audit events with access but without their text", async () => {
    const { id } = await create(grantTo(other, "read"))
    await as(owner)("POST", `${path}/${id}/update`, { content: "secret words", access_grants: [] })
    await as(owner)("DELETE", `${path}/${id}/delete`)
    const { body } = await gateway.call("GET", `/api/v1/audit?target=${id}`)
    expect(body.items.map(({ action }: { action: string }) => action)).toEqual([
      "prompt.deleted",
      "prompt.updated",
      "prompt.created",
    ])
    expect(body.items[0]).toMatchObject({ target_name: "Reply" })
    expect(body.items[1]).toMatchObject({
      changed: ["content", "access_grants"],
      before: grantTo(other, "read"),
      after: { access_grants: [] },
    })
    expect(JSON.stringify(body)).not.toContain("secret words")
  })
})
