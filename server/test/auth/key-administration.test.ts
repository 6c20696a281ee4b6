import { randomUUID } from "node:crypto"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { chooseDatabases } from "../harness/databases.ts"
import { startGatewayOnDatabase, type TestGateway } from "../harness/gateway.ts"

const daySeconds = 86_400

interface ListedKey {
  id: string
  name: string
}

describe.each(chooseDatabases())("the keys of everyone on $name", ({ createDatabase }) => {
  let gateway: TestGateway
  let grace: { id: string; email: string; key: string }
  let group: { id: string }

  const admin = async (method: string, path: string, body?: object) => {
    const reply = await gateway.call(method, path, body)
    expect([path, reply.status]).toEqual([path, 200])
    return reply.body
  }
  const list = async (query = ""): Promise<ListedKey[]> =>
    (await admin("GET", `/api/v1/keys?${query}`)).items
  const namesFor = async (query: string): Promise<string[]> =>
    (await list(query)).map(({ name }) => name)
  const newKey = async (name: string): Promise<{ id: string; api_key: string }> =>
    (await gateway.call("POST", "/api/v1/auths/api_keys", { name }, { key: grace.key })).body
  /** Lets a key have been created, and used if `usedDays` is given, days ago. */
  const age = (id: string, createdDays: number, usedDays: number | null) => {
    const before = (days: number) => Math.floor(Date.now() / 1000) - days * daySeconds
    const last_used_at = usedDays === null ? null : before(usedDays)
    return gateway.gateway.db.transact((tx) =>
      tx
        .updateTable("api_keys")
        .set({ created_at: before(createdDays), last_used_at })
        .where("id", "=", id)
        .execute(),
    )
  }

  beforeAll(async () => {
    gateway = await startGatewayOnDatabase(createDatabase)
    grace = await gateway.createUser("Grace")
    group = await admin("POST", "/api/v1/groups/create", { name: "Zählwerk" })
    await admin("POST", `/api/v1/groups/${group.id}/keys`, { name: "Nightly" })
  })
  afterAll(() => gateway.stop())

  it("are listed for administrators, with their owners and without secrets", async () => {
    const { api_key } = await newKey("laptop")
    const reply = await gateway.call("GET", "/api/v1/keys?direction=desc")
    expect(reply.body.items).toMatchObject([
      {
        name: "laptop",
        hint: api_key.slice(-4),
        owner: { type: "user", id: grace.id, name: "Grace", email: grace.email },
      },
      { name: "Nightly", owner: { type: "group", id: group.id, name: "Zählwerk", email: null } },
      { name: "test", owner: { id: grace.id } },
      { name: "ADMIN_API_KEY" },
    ])
    expect(JSON.stringify(reply.body)).not.toContain(api_key.slice(0, -4))
    expect(JSON.stringify(reply.body)).not.toContain("hash")
  })

  it("are neither listed nor revoked by anyone else", async () => {
    const { id } = await newKey("own")
    const options = { key: grace.key }
    const listed = await gateway.call("GET", "/api/v1/keys", undefined, options)
    expect(listed.status).toBe(403)
    const revoked = await gateway.call("DELETE", `/api/v1/keys/${id}`, undefined, options)
    expect(revoked.status).toBe(403)
    expect((await list()).map((key) => key.id)).toContain(id)
  })

  it("are found by their name, their end and their owner, whatever the case", async () => {
    const name = `Büro ${randomUUID()}`
    const { api_key } = await newKey(name)
    expect(await namesFor(`query=${encodeURIComponent(name.toUpperCase())}`)).toEqual([name])
    expect(await namesFor(`query=${encodeURIComponent(api_key.slice(-4))}`)).toContain(name)
    expect(await namesFor("query=GRACE")).toContain(name)
    expect(await namesFor(`query=${encodeURIComponent(grace.email)}`)).toContain(name)
    expect(await namesFor("query=ZÄHL")).toEqual(["Nightly"])
    expect(await namesFor("query=%25")).toEqual([])
    expect(await namesFor("owner_type=group")).toEqual(["Nightly"])
    expect(await namesFor("owner_type=user")).not.toContain("Nightly")
  })

  it("are found if they have not been used", async () => {
    const [old, recent, unused] = [await newKey("old"), await newKey("recent"), await newKey("new")]
    await age(old.id, 400, 100)
    await age(recent.id, 400, 10)
    const never = await newKey("never")
    await age(never.id, 400, null)
    expect((await namesFor("unused_for_days=90&query=Grace")).sort()).toEqual(["never", "old"])
    expect((await namesFor("unused_for_days=101&query=Grace")).sort()).toEqual(["never"])
    const neverUsed = await list("never_used=true&query=Grace")
    const ids = neverUsed.map(({ id }) => id)
    expect(ids).toContain(never.id)
    expect(ids).toContain(unused.id)
    expect(ids).not.toContain(old.id)
    const sorted = await namesFor("order_by=last_used_at&direction=asc&query=Grace&page_size=200")
    expect(sorted.indexOf("never")).toBeLessThan(sorted.indexOf("old"))
    expect(sorted.indexOf("old")).toBeLessThan(sorted.indexOf("recent"))
    const page = await admin("GET", "/api/v1/keys?page=2&page_size=1")
    expect(page.items).toHaveLength(1)
    expect(page.total).toBeGreaterThan(4)
    expect((await gateway.call("GET", "/api/v1/keys?unused_for_days=0")).status).toBe(422)
  })

  it("are revoked without touching their owner, and the audit log says whose they were", async () => {
    const { id, api_key } = await newKey("lost laptop")
    const status = async (key: string) =>
      (await gateway.call("GET", "/v1/models", undefined, { key })).status
    expect(await status(api_key)).toBe(200)
    await admin("DELETE", `/api/v1/keys/${id}`)
    expect([await status(api_key), await status(grace.key)]).toEqual([401, 200])
    const { body } = await gateway.call("GET", `/api/v1/audit?target=${id}&action=key.revoked`)
    expect(body.items).toMatchObject([
      {
        actor_name: "ada@example.com",
        target_name: "lost laptop",
        before: { name: "lost laptop", user_id: grace.id },
      },
    ])
    expect((await gateway.call("DELETE", `/api/v1/keys/${id}`)).status).toBe(404)
  })
})
