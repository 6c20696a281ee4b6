import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { chooseDatabases } from "../harness/databases.ts"
import { startGatewayOnDatabase, type TestGateway } from "../harness/gateway.ts"

const echo = `export async function* reply({ messages }) {
  yield "You said: " + messages.at(-1).content
}
`

describe.each(chooseDatabases())("functions on $name", ({ createDatabase }) => {
  let gateway: TestGateway

  beforeAll(async () => {
    gateway = await startGatewayOnDatabase(createDatabase)
  })
  afterAll(() => gateway.stop())

  const post = (path: string, body: unknown = {}) =>
    gateway.call("POST", `/api/v1/functions${path}`, body)
  const get = (path: string) => gateway.call("GET", `/api/v1/functions${path}`)
  const create = (id: string, content = echo, more: object = {}) =>
    post("/create", { id, name: id, content, ...more })
  const events = async (action: string) => {
    const { db } = gateway.gateway
    return db.read.selectFrom("audit_events").selectAll().where("action", "=", action).execute()
  }

  it("are created from source, which declares their name, models, settings and hooks", async () => {
    const content = `import type { Context } from "portico"
export const name = "Echoes"
export const models = [{ id: "loud", name: "Loud" }, { id: "soft" }]
export const settings = { prefix: { default: "so: " }, key: { type: "secret", required: true } }
export const reply = (request: { messages: unknown[] }, context: Context): string => "x"
export const before = () => {}`
    const { status, body } = await create("echoes", content)
    expect(status).toBe(200)
    expect(body).toMatchObject({ id: "echoes", version: 1, is_active: true, content })
    expect(body.models).toEqual([
      { id: "echoes.loud", name: "Loud", description: "" },
      { id: "echoes.soft", name: "soft", description: "" },
    ])
    expect(body.filter).toEqual({ before: true, after: false, chunk: false })
    expect(body.settings.key).toMatchObject({ type: "secret", required: true })
    const { content: _content, ...listed } = body
    expect((await get("")).body.items).toEqual([{ ...listed, last_run: null }])
    expect(await events("function.created")).toHaveLength(1)
  })

  it.each([
    ["cannot be parsed", "const a = 1\nexport const = 3", 2, 14],
    [
      "has TypeScript syntax that cannot be stripped",
      "\nenum Colour { red }\nexport const reply = 1",
      2,
      1,
    ],
    ["throws during loading", "export const reply = () => 1\n\nthrow new Error('no')", 3, 11],
    ["calls an undefined function", "const a = missing()\nexport const reply = () => a", 1, 11],
  ])("reject source that %s, with line and column", async (_what, content, line, column) => {
    const { status, body } = await create("broken", content)
    expect(status).toBe(422)
    expect(body.errors).toEqual([expect.objectContaining({ path: "content", line, column })])
    expect((await get("/id/broken")).status).toBe(404)
  })

  it.each([
    ["has no known export", "export const answer = 42", /reply/],
    ["imports", "import fs from 'node:fs'\nexport const reply = () => 1", /cannot import/],
    ["awaits a promise that never settles", "await new Promise(() => {})", /promise/],
    [
      "has a choice setting without choices",
      "export const reply = 1, settings = {a:{type:'choice'}}",
      /./,
    ],
    ["loops forever", "for (;;) {}", /without output/],
  ])("reject source that %s", async (_what, content, words) => {
    const { status, body } = await create("broken", content)
    expect(status).toBe(422)
    expect(body.detail).toMatch(words)
  })

  it("reject source that overflows the parser, and keep parsing later submissions", async () => {
    const deep = `export const reply = ${"[".repeat(100_000)}${"]".repeat(100_000)}`
    const ids = ["deep", "after_deep", "deep_again", "after_again"]
    const created = await Promise.all(
      ids.map((id) => create(id, id.startsWith("deep") ? deep : echo)),
    )
    expect(created.map(({ status }) => status)).toEqual([422, 200, 422, 200])
    expect(created[0]?.body.detail).toMatch(/nested too deeply/)
  })

  it("reject duplicate and malformed ids", async () => {
    await create("twice")
    expect((await create("twice")).status).toBe(409)
    for (const id of ["Upper", "1st", "a-b", "a.b", ""]) {
      expect((await create(id)).status, id).toBe(422)
    }
  })

  it("keep every version, and restore an old one as a new version", async () => {
    await create("grows")
    const second = echo.replace("said", "wrote")
    const updated = await post("/id/grows/update", { content: second, version: 1 })
    expect(updated.body).toMatchObject({ version: 2, content: second })
    expect((await post("/id/grows/update", { content: echo, version: 1 })).status).toBe(409)
    const renamed = await post("/id/grows/update", { name: "Grown", content: second })
    expect(renamed.body).toMatchObject({ version: 2, name: "Grown" })
    const restored = await post("/id/grows/versions/1/restore")
    expect(restored.body).toMatchObject({ version: 3, content: echo })
    const { items } = (await get("/id/grows/versions")).body
    expect(items.map(({ version }: { version: number }) => version)).toEqual([3, 2, 1])
    expect(items[0].restored_from).toBe(1)
    expect((await get("/id/grows/versions/2")).body.content).toBe(second)
    expect((await get("/id/grows/versions/9")).status).toBe(404)
    expect(await events("function.restored")).toHaveLength(1)
  })

  it("encrypt secret settings and never return them", async () => {
    const content = `export const reply = () => ""
export const settings = {
  key: { type: "secret" }, most: { type: "number", min: 1, max: 9, default: 3 },
  tone: { type: "choice", choices: ["dry", "warm"] }, loud: { type: "boolean" } }`
    await create("kept", content)
    const values = { key: "a secret of theirs", most: 5, tone: "dry", loud: true }
    const set = await post("/id/kept/valves", { values })
    expect(set.body.values).toEqual({ ...values, key: "********" })
    const updated = await post("/id/kept/valves", { values: { key: "********", most: null } })
    expect(updated.body.values).toMatchObject({ key: "********", most: null, tone: "dry" })
    const row = await gateway.gateway.db.read
      .selectFrom("functions")
      .select("sealed_values")
      .where("id", "=", "kept")
      .executeTakeFirst()
    expect(row?.sealed_values).not.toContain("secret of theirs")
    expect(gateway.gateway.functions.functionRegistry.get("kept")?.values.key).toBe(values.key)
    const responses = [await get("/id/kept/valves"), await get("/id/kept"), await get("/export")]
    expect(JSON.stringify(responses.map(({ body }) => body))).not.toContain(values.key)
    for (const wrong of [{ most: 10 }, { most: "5" }, { tone: "cold" }, { nothing: 1 }]) {
      expect((await post("/id/kept/valves", { values: wrong })).status).toBe(422)
    }
    expect(JSON.stringify(await events("function.settings_changed"))).not.toContain(values.key)
  })

  it("are exported, and imported all or none", async () => {
    await create("travels", echo, { hosts: ["api.example.com"], meta: { description: "d" } })
    const { functions } = (await get("/export")).body
    const one = functions.find(({ id }: { id: string }) => id === "travels")
    await gateway.call("DELETE", "/api/v1/functions/id/travels/delete")
    const broken = { ...one, id: "other", content: "export const = 1" }
    expect((await post("/import", { functions: [one, broken] })).status).toBe(422)
    expect((await get("/id/travels")).status).toBe(404)
    expect((await post("/import", { functions: [one] })).body).toEqual({
      created: ["travels"],
      updated: [],
    })
    expect((await get("/id/travels")).body).toMatchObject({ hosts: ["api.example.com"] })
    expect((await post("/import", { functions: [one] })).body.updated).toEqual(["travels"])
  })

  it("are disabled, enabled and deleted, with an audit event for the deletion", async () => {
    await create("short")
    expect((await post("/id/short/toggle")).body.is_active).toBe(false)
    expect((await post("/id/short/toggle")).body.is_active).toBe(true)
    const removed = await gateway.call("DELETE", "/api/v1/functions/id/short/delete")
    expect(removed.body).toEqual({ status: true })
    expect((await get("/id/short")).status).toBe(404)
    const deleted = await events("function.deleted")
    expect(deleted.filter(({ target_id }) => target_id === "short")).toHaveLength(1)
  })

  it("check source for errors without saving it", async () => {
    const bad = await post("/check", { content: "export const = 1" })
    expect(bad.body).toMatchObject({ manifest: null, problems: [{ line: 1, column: 14 }] })
    const good = await post("/check", { content: echo })
    expect(good.body).toMatchObject({ problems: [], manifest: { filter: null } })
  })
})
