import { join } from "node:path"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { reserveSizeFor } from "../../src/db/disk-space.ts"
import { startFakeOpenAI } from "../fakes/openai.ts"
import { adminEmail, adminPassword, startGateway, type TestGateway } from "../harness/gateway.ts"
import { killAllGateways } from "../harness/gateway-process.ts"
import { upload } from "../knowledge/collections.ts"
import { waitForModels } from "../models/wait-for-models.ts"
import { createSmallDisk, hasSmallDisks, type SmallDisk } from "./small-disk.ts"

const megabyte = 1024 * 1024
const options = { storageProbeMs: 200 }
const model = "gpt-fake"
const scimToken = "the-identity-providers-own-token"

type Call = TestGateway["call"]

/** Things that can be deleted: how each is created, and the request that deletes it. */
const deletable: [name: string, create: (call: Call) => Promise<[string, string, object?]>][] = [
  [
    "a group",
    async (call) => {
      const { body } = await call("POST", "/api/v1/groups/create", { name: "Readers" })
      return ["DELETE", `/api/v1/groups/${body.id}`]
    },
  ],
  [
    "a collection",
    async (call) => {
      const { body } = await call("POST", "/api/v1/knowledge/create", { name: "Notes" })
      return ["DELETE", `/api/v1/knowledge/${body.id}/delete`]
    },
  ],
  [
    "a prompt",
    async (call) => {
      const fields = { command: "hello", title: "Hello", content: "Say hello" }
      const { body } = await call("POST", "/api/v1/prompts/create", fields)
      return ["DELETE", `/api/v1/prompts/${body.id}/delete`]
    },
  ],
  [
    "a model",
    async (call) => {
      await call("POST", "/api/v1/models/create", { id: "own", name: "Own", base_model_id: model })
      return ["POST", "/api/v1/models/model/delete", { id: "own" }]
    },
  ],
  [
    "a connection",
    async (call) => {
      const fields = { kind: "openai", name: "Spare", base_url: "http://127.0.0.1:9/v1" }
      const { body } = await call("POST", "/api/v1/connections/create", fields)
      return ["DELETE", `/api/v1/connections/${body.id}`]
    },
  ],
  [
    "an API key",
    async (call) => {
      const { body } = await call("POST", "/api/v1/auths/api_keys", { name: "spare" })
      return ["DELETE", `/api/v1/auths/api_keys/${body.id}`]
    },
  ],
  [
    "a chat",
    async (call) => {
      const { body } = await call("POST", "/api/v1/chats/new", { title: "Old" })
      return ["DELETE", `/api/v1/chats/${body.id}`]
    },
  ],
  [
    "a stored response",
    async (call) => {
      const { body } = await call("POST", "/v1/responses", { model, input: "hello" })
      return ["DELETE", `/v1/responses/${body.id}`]
    },
  ],
  [
    "an account",
    async (call) => {
      const fields = { name: "Eve", email: "eve@example.com", password: "Eve has a password" }
      const { body } = await call("POST", "/api/v1/auths/add", fields)
      return ["DELETE", `/api/v1/users/${body.id}`]
    },
  ],
]

const patch = {
  schemas: ["urn:ietf:params:scim:api:messages:2.0:PatchOp"],
  Operations: [{ op: "replace", path: "active", value: "False" }],
}

/** Requests that take an account's access, given its id and the id of a group it is in. */
const revocations: [
  name: string,
  revoke: (user: string, group: string) => [string, string, object],
][] = [
  ["an administrator", (user) => ["POST", `/api/v1/users/${user}/update`, { active: false }]],
  [
    "an administrator who sets the role",
    (user) => ["POST", `/api/v1/users/${user}/update`, { role: "pending" }],
  ],
  ["SCIM's PATCH", (user) => ["PATCH", `/api/v1/scim/v2/Users/${user}`, patch]],
  [
    "SCIM's PUT",
    (user) => [
      "PUT",
      `/api/v1/scim/v2/Users/${user}`,
      { userName: "max@example.com", active: false },
    ],
  ],
  [
    "a removal from a group",
    (user, group) => ["POST", `/api/v1/groups/${group}/members/remove`, { user_ids: [user] }],
  ],
  [
    "SCIM's removal from a group",
    (user, group) => [
      "PATCH",
      `/api/v1/scim/v2/Groups/${group}`,
      { ...patch, Operations: [{ op: "Remove", path: `members[value eq "${user}"]` }] },
    ],
  ],
  [
    "SCIM's PUT of a group without members",
    (_user, group) => [
      "PUT",
      `/api/v1/scim/v2/Groups/${group}`,
      { displayName: "Readers", members: [] },
    ],
  ],
]

describe.runIf(hasSmallDisks)("a nearly full disk that contains the data folder", () => {
  let upstream: Awaited<ReturnType<typeof startFakeOpenAI>>
  let disk: SmallDisk
  let gateway: TestGateway
  beforeAll(async () => {
    upstream = await startFakeOpenAI({ models: [model] })
  })
  afterEach(async () => {
    await gateway.stop()
    killAllGateways()
    disk.remove()
  })
  afterAll(() => upstream.close())

  const start = async (bytes: number): Promise<void> => {
    disk = createSmallDisk(bytes)
    const env = {
      DATA_DIR: join(disk.folder, "data"),
      OPENAI_API_BASE_URLS: upstream.url,
      OPENAI_API_KEYS: "sk-upstream",
      MAX_STORAGE: "1GB/1GB",
      SCIM_ENABLED: "true",
      SCIM_TOKEN: scimToken,
    }
    gateway = await startGateway(env, options)
    await waitForModels(gateway, [model])
  }

  const signIn = (email: string, password: string) =>
    gateway.call("POST", "/api/v1/auths/signin", { email, password }, { key: null })

  const full = { status: 503, body: { code: "storage_full" } }

  it.each(deletable)("still permits signing in and deleting %s", async (_name, create) => {
    await start(24 * megabyte)
    const [method, path, body] = await create(gateway.call)
    // Less than twice the reserve.
    disk.fill(1.5 * reserveSizeFor(gateway.dataDir))
    expect(await gateway.call("POST", "/api/v1/groups/create", { name: "More" })).toMatchObject(
      full,
    )
    expect((await gateway.call("GET", "/ready")).status).toBe(503)
    expect((await signIn(adminEmail, adminPassword)).status).toBe(200)
    expect(await signIn(adminEmail, "wrong")).toMatchObject({ status: 401 })
    expect((await gateway.call(method, path, body)).status).toBeLessThan(300)
  })

  it.each(revocations)("still permits taking access from an account: %s", async (_name, revoke) => {
    await start(24 * megabyte)
    const user = await gateway.createUser("Max")
    const { body: group } = await gateway.call("POST", "/api/v1/groups/create", { name: "Readers" })
    const members = { user_ids: [user.id] }
    await gateway.call("POST", `/api/v1/groups/${group.id}/members/add`, members)
    disk.fill(1.5 * reserveSizeFor(gateway.dataDir))
    const [method, path, body] = revoke(user.id, group.id)
    const key = path.includes("/scim/") ? { key: scimToken } : {}
    expect(await gateway.call(method, path, body, key)).toMatchObject({ status: 200 })
  })

  it("still exports the audit log, and records it", async () => {
    await start(24 * megabyte)
    disk.fill(1.5 * reserveSizeFor(gateway.dataDir))
    const exported = await gateway.call("GET", "/api/v1/audit/export?format=csv")
    expect(exported.status).toBe(200)
    expect(exported.body).toContain("audit.exported")
  })

  it("still answers the identity provider's reads, and records them", async () => {
    await start(24 * megabyte)
    const { body: user } = await gateway.call("GET", "/api/v1/auths/")
    disk.fill(1.5 * reserveSizeFor(gateway.dataDir))
    const requestIds: (string | null)[] = []
    for (const path of ["Users", `Users/${user.id}`, "Groups"]) {
      const read = await gateway.call("GET", `/api/v1/scim/v2/${path}`, undefined, {
        key: scimToken,
      })
      expect([path, read.status]).toEqual([path, 200])
      requestIds.push(read.headers.get("x-request-id"))
    }
    const { items } = (await gateway.call("GET", "/api/v1/audit/")).body
    const recordedIds = items.map(({ request_id }: { request_id: string }) => request_id)
    expect(recordedIds).toEqual(expect.arrayContaining(requestIds))
  })

  const fillWith = async (write: (n: number) => Promise<{ status: number }>): Promise<void> => {
    for (let n = 0; n < 200; n++) {
      const written = await write(n)
      if (written.status === 200) continue
      return expect(written).toMatchObject(full)
    }
    throw new Error("The disk was never full")
  }

  const attackers: [
    what: string,
    fill: (user: { key: string }) => (n: number) => Promise<{ status: number }>,
  ][] = [
    [
      "chats",
      ({ key }) => {
        const system = "x".repeat(190_000)
        return (n) => gateway.call("POST", "/api/v1/chats/new", { title: `${n}`, system }, { key })
      },
    ],
    [
      "stored responses",
      ({ key }) =>
        async (n) => {
          const input = `${n}`.padEnd(1_000_000, "x")
          const created = await gateway.call("POST", "/v1/responses", { model, input }, { key })
          return { ...created, body: { code: created.body.error?.code } }
        },
    ],
    [
      "imported chats",
      ({ key }) => {
        const message = { id: "m", role: "user", content: "x".repeat(3_000_000), created_at: 1 }
        const chat = { title: "Long", created_at: 1, updated_at: 1, messages: [message] }
        return (n) => {
          const chats = [{ ...chat, id: `c${n}` }]
          return gateway.call("POST", "/api/v1/chats/import", { chats }, { key })
        }
      },
    ],
  ]

  it.each(attackers)(
    "that one user filled with %s: an administrator can delete the account, and then others can write",
    async (_what, fill) => {
      await start(48 * megabyte)
      const user = await gateway.createUser("Max")
      await fillWith(fill(user))
      expect((await signIn(adminEmail, adminPassword)).status).toBe(200)
      expect((await gateway.call("DELETE", `/api/v1/users/${user.id}`)).status).toBe(200)
      const write = () => gateway.call("POST", "/api/v1/groups/create", { name: "After" })
      await expect.poll(async () => (await write()).status).toBe(200)
      await expect.poll(async () => (await gateway.call("GET", "/ready")).status).toBe(200)
    },
    120_000,
  )

  it("still keeps the chat that an upload of files has left no space for", async () => {
    await start(24 * megabyte)
    const { body: chat } = await gateway.call("POST", "/api/v1/chats/new", { title: "Kept" })
    for (let n = 0, status = 200; status === 200; n++) {
      const text = `${n}`.repeat(megabyte).slice(0, megabyte)
      ;({ status } = await upload(gateway, `${n}.bin`, text, { query: "?process=false" }))
    }
    const renamed = await gateway.call("POST", `/api/v1/chats/${chat.id}`, { title: "Renamed" })
    expect(renamed.status).toBe(200)
  }, 120_000)
})
