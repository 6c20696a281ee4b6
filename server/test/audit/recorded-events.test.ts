import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type FakeOpenAI, startFakeOpenAI } from "../fakes/openai.ts"
import { chooseDatabases, type TestDatabase } from "../harness/databases.ts"
import { adminKey, startGateway, type TestGateway } from "../harness/gateway.ts"
import { createCollection, upload } from "../knowledge/collections.ts"
import { waitForModels } from "../models/wait-for-models.ts"

const password = "a password nobody should see"
const upstreamKey = "sk-upstream-secret-nobody-should-see"
const headerValue = "header-secret-nobody-should-see"

describe.each(chooseDatabases())("the audit log on $name", ({ createDatabase }) => {
  let database: TestDatabase
  let upstream: FakeOpenAI
  let gateway: TestGateway
  const secrets = [password, upstreamKey, headerValue, adminKey]

  beforeAll(async () => {
    database = await createDatabase()
    upstream = await startFakeOpenAI()
    gateway = await startGateway({ ...database.env, OPENAI_API_BASE_URLS: upstream.url })
    await waitForModels(gateway, ["gpt-fake"])
  })
  afterAll(async () => {
    await gateway.stop()
    await upstream.close()
    await database.remove()
  })

  const events = () =>
    gateway.gateway.db.read.selectFrom("audit_events").selectAll().orderBy("id").execute()

  /** Sends a request. @returns the response and the events that it recorded */
  const recordedBy = async (method: string, path: string, body?: unknown, key?: string) => {
    const before = new Set((await events()).map(({ id }) => id))
    const options = key === undefined ? {} : { key }
    const reply = await gateway.call(method, path, body, options)
    const recorded = (await events()).filter(({ id }) => !before.has(id))
    for (const event of recorded) {
      expect(event.request_id).toBe(reply.headers.get("x-request-id"))
      expect(event.address).toBe("127.0.0.1")
    }
    return { status: reply.status, body: reply.body, left: recorded }
  }

  /** Expects exactly one event, with this action. @returns the response body and the event */
  const expectOneEvent = async (
    action: string,
    method: string,
    path: string,
    body?: unknown,
    key?: string,
  ) => {
    const { status, body: replied, left } = await recordedBy(method, path, body, key)
    expect([path, status, left.map((event) => event.action)]).toEqual([path, 200, [action]])
    const [event] = left
    if (!event) throw new Error("No event was recorded")
    return { body: replied, event }
  }

  it("records one event for each change of an account", async () => {
    const email = "grace@example.com"
    const added = { name: "Grace", email, password }
    const { body: user, event } = await expectOneEvent(
      "user.created",
      "POST",
      "/api/v1/auths/add",
      added,
    )
    expect(event).toMatchObject({ actor_type: "key", target_type: "user", target_id: user.id })
    const path = `/api/v1/users/${user.id}/update`
    const renamed = await expectOneEvent("user.updated", "POST", path, { name: "Grace Hopper" })
    expect(JSON.parse(renamed.event.changed ?? "")).toContain("name")
    const promoted = await expectOneEvent("user.updated", "POST", path, { role: "admin" })
    expect(JSON.parse(promoted.event.before ?? "")).toEqual({ role: "user" })
    expect(JSON.parse(promoted.event.after ?? "")).toEqual({ role: "admin" })
    const set = await expectOneEvent("user.updated", "POST", path, { password: `${password} anew` })
    expect(set.event.changed).toBe('["password"]')
    await expectOneEvent("user.deactivated", "POST", path, { active: false })
    await expectOneEvent("user.activated", "POST", path, { active: true })
    await expectOneEvent("user.deleted", "DELETE", `/api/v1/users/${user.id}`)
  })

  it("records one event for each change of keys and sessions", async () => {
    await gateway.call("POST", "/api/v1/auths/add", { name: "K", email: "k@x.org", password })
    const signedIn = await expectOneEvent("session.created", "POST", "/api/v1/auths/signin", {
      email: "k@x.org",
      password,
    })
    expect(signedIn.event).toMatchObject({ actor_type: "user", actor_id: signedIn.body.id })
    const { token } = signedIn.body
    const created = await expectOneEvent(
      "key.created",
      "POST",
      "/api/v1/auths/api_keys",
      { name: "k" },
      token,
    )
    secrets.push(token, created.body.api_key)
    const path = `/api/v1/auths/api_keys/${created.body.id}`
    await expectOneEvent("key.revoked", "DELETE", path, undefined, token)
    const script = await expectOneEvent(
      "key.created",
      "POST",
      "/api/v1/auths/api_key",
      undefined,
      token,
    )
    secrets.push(script.body.api_key)
    const repeated = await recordedBy("POST", "/api/v1/auths/api_key", undefined, token)
    expect(repeated.left.map(({ action }) => action)).toEqual(["key.revoked", "key.created"])
    await expectOneEvent(
      "user.updated",
      "POST",
      "/api/v1/auths/update/profile",
      { name: "Kay" },
      token,
    )
    await expectOneEvent("session.ended", "POST", "/api/v1/auths/signout", undefined, token)
  })

  it("records one event for each change of groups and their members", async () => {
    const [me] = (await gateway.call("GET", "/api/v1/users/")).body.items
    const { body: group } = await expectOneEvent("group.created", "POST", "/api/v1/groups/create", {
      name: "readers",
    })
    const path = `/api/v1/groups/${group.id}`
    await expectOneEvent("group.updated", "POST", `${path}/update`, { description: "who read" })
    const members = { user_ids: [me.id] }
    const added = await expectOneEvent(
      "group.members_changed",
      "POST",
      `${path}/members/add`,
      members,
    )
    expect(added.event.after).toContain(me.id)
    await expectOneEvent("group.members_changed", "POST", `${path}/members/remove`, members)
    await expectOneEvent("group.deleted", "DELETE", path)
  })

  it("records one event for each change of models and their grants", async () => {
    const model = { id: "m", name: "M", base_model_id: "gpt-fake" }
    await expectOneEvent("model.created", "POST", "/api/v1/models/create", model)
    const access_grants = [{ principal_type: "user", principal_id: "*", permission: "read" }]
    const update = "/api/v1/models/model/update?id=m"
    const granted = await expectOneEvent("model.updated", "POST", update, { access_grants })
    expect(JSON.parse(granted.event.before ?? "")).toMatchObject({ access_grants: [] })
    expect(JSON.parse(granted.event.after ?? "")).toMatchObject({ access_grants })
    const toggled = await expectOneEvent(
      "model.updated",
      "POST",
      "/api/v1/models/model/toggle?id=m",
    )
    const off = { base_model_id: "gpt-fake", is_active: false }
    expect(JSON.parse(toggled.event.before ?? "")).toEqual({ ...off, is_active: true })
    expect(JSON.parse(toggled.event.after ?? "")).toEqual(off)
    await expectOneEvent("model.deleted", "POST", "/api/v1/models/model/delete", { id: "m" })
  })

  it("records one event for each change of collections, with grants only if they changed", async () => {
    const path = "/api/v1/knowledge"
    const access_grants = [{ principal_type: "user", principal_id: "*", permission: "read" }]
    const input = { name: "Bees", access_grants }
    const { body } = await expectOneEvent("collection.created", "POST", `${path}/create`, input)
    const own = `${path}/${body.id}`
    const update = (changes: object) =>
      expectOneEvent("collection.updated", "POST", `${own}/update`, changes)
    const renamed = await update({ name: "Wasps", access_grants })
    expect(renamed.event).toMatchObject({ changed: '["name"]', before: null, after: null })
    const closed = await update({ access_grants: [] })
    expect(JSON.parse(closed.event.before ?? "")).toEqual({ access_grants })
    expect(JSON.parse(closed.event.after ?? "")).toEqual({ access_grants: [] })
    await expectOneEvent("collection.reset", "POST", `${own}/reset`)
    await expectOneEvent("collection.deleted", "DELETE", `${own}/delete`)
  })

  it("records the number of files added to a collection, and the IDs of the first hundred", async () => {
    const id = await createCollection(gateway, "Many")
    const files: { file_id: string }[] = []
    for (let n = 0; n < 102; n++) {
      const query = "?process=false"
      files.push({ file_id: (await upload(gateway, `${n}.txt`, `${n}`, { query })).body.id })
    }
    const path = `/api/v1/knowledge/${id}/files/batch/add`
    await gateway.call("POST", path, files.slice(-1))
    const { event } = await expectOneEvent("collection.files_added", "POST", path, files)
    const ids = files.slice(0, 100).map(({ file_id }) => file_id)
    expect(JSON.parse(event.after ?? "")).toEqual({ count: 101, files: ids })
  })

  it("records one event for each deleted chat, with its title only if it was shared", async () => {
    const title = "A title of a chat"
    const create = async (): Promise<string> =>
      (await gateway.call("POST", "/api/v1/chats/new", { title })).body.id
    const [kept, shared] = [await create(), await create()]
    const own = await expectOneEvent("chat.deleted", "DELETE", `/api/v1/chats/${kept}`)
    expect(own.event).toMatchObject({ target_type: "chat", target_id: kept })
    expect(JSON.stringify(own.event)).not.toContain(title)
    await gateway.call("POST", `/api/v1/chats/${shared}/share`)
    const read = await expectOneEvent("chat.deleted", "DELETE", `/api/v1/chats/${shared}`)
    expect(JSON.parse(read.event.before ?? "")).toEqual({ title })
  })

  it("records one event for each change of connections, without secrets", async () => {
    const connection = {
      kind: "openai",
      name: "second",
      base_url: upstream.url,
      id_prefix: "second",
      api_key: upstreamKey,
      headers: { "x-secret": headerValue },
    }
    const path = "/api/v1/connections"
    const created = await expectOneEvent("connection.created", "POST", `${path}/create`, connection)
    const { id } = created.body
    expect(JSON.stringify(created.body)).not.toContain(upstreamKey)
    const changes = { api_key: `${upstreamKey}-2`, enabled: false }
    const changed = await expectOneEvent(
      "connection.updated",
      "POST",
      `${path}/${id}/update`,
      changes,
    )
    expect(JSON.parse(changed.event.changed ?? "")).toEqual(
      expect.arrayContaining(["api_key", "enabled"]),
    )
    await expectOneEvent("connection.deleted", "DELETE", `${path}/${id}`)
  })

  it("records one event for a change of settings", async () => {
    const { event } = await expectOneEvent("settings.changed", "POST", "/api/v1/settings/", {
      enable_signup: true,
    })
    expect(JSON.parse(event.before ?? "")).toEqual({ enable_signup: false })
    expect(JSON.parse(event.after ?? "")).toEqual({ enable_signup: true })
  })

  it("records no event for requests that are rejected, only read or change nothing", async () => {
    const [admin] = (await gateway.call("GET", "/api/v1/users/?role=admin")).body.items
    await gateway.call("POST", "/api/v1/groups/create", { name: "taken" })
    for (const [method, path, body] of [
      ["POST", `/api/v1/users/${admin.id}/update`, { active: false }],
      ["POST", `/api/v1/users/${admin.id}/update`, { name: admin.name }],
      ["DELETE", "/api/v1/users/nobody", undefined],
      ["POST", "/api/v1/auths/add", { name: "Twin", email: admin.email, password }],
      ["POST", "/api/v1/groups/create", { name: "TAKEN" }],
      ["POST", "/api/v1/groups/nothing/members/add", { user_ids: [admin.id] }],
      ["POST", "/api/v1/models/create", { id: "x", name: "X", base_model_id: "none" }],
      ["POST", "/api/v1/models/model/update?id=none", { name: "X" }],
      ["DELETE", "/api/v1/connections/env-openai-0", undefined],
      ["DELETE", "/api/v1/auths/api_keys/none", undefined],
      ["POST", "/api/v1/settings/", {}],
      ["GET", "/api/v1/users/", undefined],
    ] as const) {
      const { left } = await recordedBy(method, path, body)
      expect([path, left]).toEqual([path, []])
    }
  })

  it("contains no secret in any row or log line", async () => {
    const rows = JSON.stringify(await events())
    const lines = JSON.stringify(gateway.logLines)
    expect(secrets.length).toBeGreaterThan(6)
    for (const secret of secrets) {
      expect(rows).not.toContain(secret)
      expect(lines).not.toContain(secret)
    }
    const hashes = await gateway.gateway.db.read.selectFrom("api_keys").select("hash").execute()
    for (const { hash } of hashes) expect(rows).not.toContain(hash)
    expect(rows).not.toContain("$scrypt$")
  })

  it("stores connections' API keys encrypted", async () => {
    const connection = { kind: "openai", name: "s", base_url: upstream.url, api_key: upstreamKey }
    const { body } = await gateway.call("POST", "/api/v1/connections/create", connection)
    const rows = await gateway.gateway.db.read.selectFrom("connections").selectAll().execute()
    expect(rows).toHaveLength(1)
    expect(JSON.stringify(rows)).not.toContain(upstreamKey)
    await gateway.call("DELETE", `/api/v1/connections/${body.id}`)
  })
})
