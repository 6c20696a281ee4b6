import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { chooseDatabases, type TestDatabase } from "../harness/databases.ts"
import { startGateway, type TestGateway } from "../harness/gateway.ts"
import { upload } from "../knowledge/collections.ts"

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

interface Person {
  id: string
  email: string
  key: string
}

const limits = { MAX_CHATS: "3", MAX_FILES: "3", MAX_COLLECTIONS: "3", MAX_SIGNUPS: "4" }
const exported = { title: "One", created_at: 1, updated_at: 1, messages: [] }

describe.each(chooseDatabases())("limits on a user's data on $name", ({ createDatabase }) => {
  let database: TestDatabase
  let gateway: TestGateway
  let bob: Person
  const call = (method: string, path: string, body?: unknown, key = bob.key) =>
    gateway.call(method, path, body, { key })

  beforeAll(async () => {
    database = await createDatabase()
    gateway = await startGateway({ ...database.env, ...limits })
    bob = await gateway.createUser("Bob")
  })
  afterAll(async () => {
    await gateway.stop()
    await database.remove()
  })

  /** For each kind of object, how to add one and how to remove the first. */
  const objectKinds = {
    chats: {
      add: (key?: string) => call("POST", "/api/v1/chats/new", {}, key),
      remove: (id: string) => call("DELETE", `/api/v1/chats/${id}`),
    },
    files: {
      add: (key = bob.key) => upload(gateway, "a.txt", `${Math.random()}`, { key }),
      remove: (id: string) => call("DELETE", `/api/v1/files/${id}`),
    },
    collections: {
      add: (key?: string) => call("POST", "/api/v1/knowledge/create", { name: "Zoo" }, key),
      remove: (id: string) => call("DELETE", `/api/v1/knowledge/${id}/delete`),
    },
  }

  it.each(Object.entries(objectKinds))(
    "apply to the number of %s",
    async (name, { add, remove }) => {
      const replies = await Promise.all(Array.from({ length: 12 }, () => add()))
      const added = replies.filter(({ status }) => status === 200)
      expect(added).toHaveLength(3)
      for (const reply of replies.filter(({ status }) => status !== 200)) {
        expect(reply).toMatchObject({ status: 409, body: { code: "limit_reached" } })
        expect(reply.body.detail).toMatch(`MAX_${name.toUpperCase()}`)
      }
      await remove(added[0]?.body.id)
      expect([(await add()).status, (await add()).status]).toEqual([200, 409])
      expect((await add(gateway.key)).status).toBe(200)
    },
  )

  it("accept an import completely or not at all", async () => {
    const { key } = await gateway.createUser("Ivy")
    const send = (count: number) =>
      call("POST", "/api/v1/chats/import", { chats: Array(count).fill(exported) }, key)
    expect(await send(4)).toMatchObject({ status: 409, body: { code: "limit_reached" } })
    expect((await call("GET", "/api/v1/chats/", undefined, key)).body.total).toBe(0)
    expect((await send(3)).status).toBe(200)
  })

  it("reject a resumable upload before any content is sent", async () => {
    const response = await fetch(`${gateway.url}/api/v1/files/resumable`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${bob.key}`,
        "tus-resumable": "1.0.0",
        "upload-length": "10",
      },
    })
    expect([response.status, await response.text()]).toEqual([
      409,
      expect.stringContaining("MAX_FILES"),
    ])
  })

  it("stop sign-ups when there are many accounts, but let administrators add more", async () => {
    await gateway.call("POST", "/api/v1/settings/", { enable_signup: true })
    const signUp = (name: string) =>
      gateway.call(
        "POST",
        "/api/v1/auths/signup",
        { name, email: `${name}@example.com`, password: "a password for it" },
        { key: null },
      )
    expect((await signUp("dora")).status).toBe(200)
    expect(await signUp("emil")).toMatchObject({ status: 409, body: { code: "limit_reached" } })
    await gateway.createUser("Fay")
  })

  it("end the oldest session when there are too many, not the newest", async () => {
    const { db } = gateway.gateway
    const old = { user_id: bob.id, address: null, user_agent: null, last_used_at: null }
    const rows = Array.from({ length: 1005 }, (_, n) => ({
      ...old,
      id: `old ${n}`,
      created_at: 1000 + n,
      expires_at: 9_000_000_000,
    }))
    await db.transact(async (tx) => {
      for (let at = 0; at < rows.length; at += 100) {
        await tx
          .insertInto("sessions")
          .values(rows.slice(at, at + 100))
          .execute()
      }
    })
    const password = "Bob has a password"
    await gateway.call("POST", "/api/v1/auths/signin", { email: bob.email, password })
    const kept = await db.read.selectFrom("sessions").select("id").where("user_id", "=", bob.id)
    const ids = (await kept.execute()).map(({ id }) => id)
    expect(ids).toHaveLength(1000)
    expect(ids).not.toContain("old 0")
    expect(ids).toContain("old 1004")
  })

  it("reject additions after a limit is lowered, but keep existing data", async () => {
    await gateway.stop()
    const lower = { MAX_CHATS: "1", MAX_FILES: "1", MAX_COLLECTIONS: "1" }
    gateway = await startGateway({ ...database.env, ...lower })
    const list = async (path: string) => (await call("GET", path)).body
    const [chats, files, collections] = await Promise.all(
      ["/api/v1/chats/", "/api/v1/files/", "/api/v1/knowledge/"].map(list),
    )
    expect([chats.total, files.total, collections.total]).toEqual([3, 3, 3])
    const changes = await Promise.all([
      call("POST", `/api/v1/chats/${chats.items[0].id}`, { title: "Renamed" }),
      call("POST", `/api/v1/knowledge/${collections.items[0].id}/update`, { name: "Renamed" }),
      call("DELETE", `/api/v1/files/${files.items[0].id}`),
    ])
    expect(changes.map(({ status }) => status)).toEqual([200, 200, 200])
    for (const { add } of Object.values(objectKinds)) expect((await add()).status).toBe(409)
  })
})
