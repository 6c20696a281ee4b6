import { createServer } from "node:http"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { collectItems } from "../fakes/collect.ts"
import { type FakeOpenAI, startFakeOpenAI } from "../fakes/openai.ts"
import { startGateway, type TestGateway } from "../harness/gateway.ts"
import { listenOnLoopback } from "../harness/ports.ts"
import { waitFor } from "../harness/usage-records.ts"
import { waitForModels } from "../models/wait-for-models.ts"

const secret = "up-key-that-nobody-may-see"
const base = "/api/v1/connections"

let upstream: FakeOpenAI
let gateway: TestGateway

beforeAll(async () => {
  upstream = await startFakeOpenAI({ models: ["one", "two"], apiKey: secret })
  gateway = await startGateway({
    OPENAI_API_BASE_URLS: "http://127.0.0.1:9",
    OPENAI_API_KEYS: secret,
  })
})
afterEach(async () => {
  const { body } = await gateway.call("GET", base)
  for (const { id, source } of body.items) {
    if (source === "database") await gateway.call("DELETE", `${base}/${id}`)
  }
})
afterAll(async () => {
  await gateway.stop()
  await upstream.close()
})

const settings = (fields: object = {}) => ({
  kind: "openai",
  name: "the provider",
  base_url: upstream.url,
  api_key: secret,
  ...fields,
})

const create = async (fields: object = {}) => {
  const { status, body } = await gateway.call("POST", `${base}/create`, settings(fields))
  expect({ status, body }).toMatchObject({ status: 200 })
  await waitFor(() => gateway.gateway.registry.byId(body.id)?.hasListed())
  return body
}

const ids = async (key?: string) => {
  const { body } = await gateway.call("GET", "/v1/models", undefined, key ? { key } : {})
  return body.data.map(({ id }: { id: string }) => id)
}

const chat = (model: string, options: { key?: string } = {}) => {
  const messages = [{ role: "user", content: "hello" }]
  return gateway.call("POST", "/v1/chat/completions", { model, messages }, options)
}

describe("connections", () => {
  it("can be created, read, updated and deleted", async () => {
    const created = await create()
    expect(created).toMatchObject({ name: "the provider", source: "database", enabled: true })
    expect(await ids()).toEqual(["one", "two"])
    const changed = await gateway.call("POST", `${base}/${created.id}/update`, { name: "renamed" })
    expect(changed.body).toMatchObject({ name: "renamed", base_url: upstream.url })
    await waitFor(() => gateway.gateway.registry.byId(created.id)?.hasListed())
    const shown = await gateway.call("GET", `${base}/${created.id}`)
    expect(shown.body).toMatchObject({ name: "renamed", health: { status: "healthy", models: 2 } })
    expect((await chat("one")).status).toBe(200)
    await gateway.call("POST", `${base}/${created.id}/update`, { enabled: false })
    expect(await ids()).toEqual([])
    const off = await gateway.call("GET", `${base}/${created.id}`)
    expect(off.body.health).toMatchObject({ status: "disabled" })
    expect((await gateway.call("DELETE", `${base}/${created.id}`)).status).toBe(200)
    expect((await gateway.call("GET", `${base}/${created.id}`)).status).toBe(404)
    expect((await gateway.call("DELETE", `${base}/${created.id}`)).status).toBe(404)
  })

  it("lose no update when two administrators change different fields concurrently", async () => {
    const { id } = await create()
    await Promise.all([
      gateway.call("POST", `${base}/${id}/update`, { name: "new name" }),
      gateway.call("POST", `${base}/${id}/update`, { position: 7 }),
      gateway.call("POST", `${base}/${id}/update`, { connect_timeout: 3 }),
    ])
    const { body } = await gateway.call("GET", `${base}/${id}`)
    expect(body).toMatchObject({ name: "new name", position: 7, connect_timeout: 3 })
  })

  it.each([
    ["no kind", { kind: undefined }, "kind"],
    ["an unknown kind", { kind: "magic" }, "kind"],
    ["an unsupported protocol", { base_url: "ftp://example.com" }, "base_url"],
    ["a password in its URL", { base_url: "http://me:word@example.com/v1" }, "base_url"],
    ["a query in its URL", { base_url: "http://example.com/v1?key=1" }, "base_url"],
    ["a line break in its key", { api_key: "a\r\nb" }, "api_key"],
    ["a header with a line break", { headers: { "x-a": "b\r\nc: d" } }, "headers.x-a"],
    [
      "a header that the gateway sets",
      { headers: { "Content-Length": "5" } },
      "headers.Content-Length",
    ],
    ["a hop-by-hop header", { headers: { "transfer-encoding": "x" } }, "headers.transfer-encoding"],
    ["a timeout of zero", { connect_timeout: 0 }, "connect_timeout"],
  ])("are rejected with %s", async (_what, fields, path) => {
    const { status, body } = await gateway.call("POST", `${base}/create`, settings(fields))
    expect({ status, code: body.code }).toEqual({ status: 422, code: "invalid" })
    expect(body.errors.map((error: { path: string }) => error.path)).toEqual([path])
  })

  it("from the environment are locked, and name the variable", async () => {
    const tries = [
      gateway.call("POST", `${base}/env-openai-0/update`, { name: "mine" }),
      gateway.call("DELETE", `${base}/env-openai-0`),
    ]
    for (const { status, body } of await Promise.all(tries)) {
      expect(status).toBe(409)
      expect(body.detail).toMatch(/OPENAI_API_BASE_URLS/)
    }
  })

  it("are accessible only to administrators", async () => {
    const { key } = await gateway.createUser("Eve")
    for (const [method, path] of [
      ["GET", ""],
      ["POST", "/create"],
      ["POST", "/test"],
      ["GET", "/env-openai-0"],
      ["DELETE", "/env-openai-0"],
    ] as const) {
      expect((await gateway.call(method, base + path, undefined, { key })).status).toBe(403)
    }
  })
})

describe("the settings of a connection", () => {
  it("prefix its models' IDs, but send the original IDs upstream", async () => {
    await create({ id_prefix: "acme" })
    expect(await ids()).toEqual(["acme.one", "acme.two"])
    expect((await chat("acme.one")).status).toBe(200)
    expect(upstream.requests.at(-1)?.json).toMatchObject({ model: "one" })
    expect((await chat("one")).status).toBe(404)
  })

  it("restrict the models offered, immediately after a change", async () => {
    const { id } = await create({ allowed_models: ["two", "three"] })
    expect(await ids()).toEqual(["two"])
    expect((await chat("one")).body.error.code).toBe("model_not_found")
    await gateway.call("POST", `${base}/${id}/update`, { allowed_models: null })
    await waitForModels(gateway, ["one", "two"])
    upstream.injectFault({ kind: "hang" }, { times: 2, on: /models/ })
    await gateway.call("POST", `${base}/${id}/update`, { allowed_models: ["one"] })
    expect(await ids()).toEqual(["one"])
    upstream.clearFaults()
  })

  it("add headers, which override the caller's", async () => {
    await create({
      headers: { "OpenAI-Organization": "ours", "X-Team": "red", "User-Agent": "us" },
    })
    const messages = [{ role: "user", content: "hello" }]
    const headers = {
      "openai-organization": "theirs",
      "openai-beta": "assistants=v2",
      "x-team": "blue",
    }
    await gateway.call("POST", "/v1/chat/completions", { model: "one", messages }, { headers })
    expect(upstream.requests.at(-1)?.headers).toMatchObject({
      "openai-organization": "ours",
      "openai-beta": "assistants=v2",
      "x-team": "red",
      "user-agent": "us",
      authorization: `Bearer ${secret}`,
    })
  })

  it("include its own timeout", async () => {
    await create({ first_byte_timeout: 0.2 })
    upstream.injectFault({ kind: "hang" }, { on: /chat/ })
    expect((await chat("one")).status).toBe(504)
  })

  it("make its models available to everyone, to no one or to a group", async () => {
    const { id, key } = await gateway.createUser("Grace")
    const created = await create({ access_grants: null })
    expect(await ids(key)).toEqual(["one", "two"])
    const set = (access_grants: unknown) =>
      gateway.call("POST", `${base}/${created.id}/update`, { access_grants })
    await set([])
    expect(await ids(key)).toEqual([])
    const [denied, unknown] = [await chat("one", { key }), await chat("nope", { key })]
    expect(denied.status).toBe(404)
    expect(JSON.stringify(denied.body).replaceAll("one", "nope")).toBe(JSON.stringify(unknown.body))
    expect(await ids()).toEqual(["one", "two"])
    const group = await gateway.call("POST", "/api/v1/groups/create", { name: "team" })
    const members = `/api/v1/groups/${group.body.id}/members`
    await set([{ principal_type: "group", principal_id: group.body.id, permission: "read" }])
    expect(await ids(key)).toEqual([])
    expect((await gateway.call("POST", `${members}/add`, { user_ids: [id] })).status).toBe(200)
    await waitForModels({ url: gateway.url, key }, ["one", "two"])
    expect((await chat("one", { key })).status).toBe(200)
  })

  it("determine the order in which connections are tried", async () => {
    const other = await startFakeOpenAI({ models: ["one"] })
    await create({ position: 20 })
    const ahead = await create({ name: "other", base_url: other.url, position: 10, api_key: "" })
    await chat("one")
    expect(other.requests.filter(({ path }) => /chat/.test(path))).toHaveLength(1)
    const { body } = await gateway.call("GET", base)
    expect(body.items[1].id).toBe(ahead.id)
    await other.close()
  })
})

it("lets a stream finish when its connection is changed", async () => {
  const { id } = await create()
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${(await gateway.createUser("Sam")).key}` },
    body: JSON.stringify({
      model: "one",
      stream: true,
      messages: [{ role: "user", content: "hello" }],
      metadata: { fake_chunks: "10", fake_delay_ms: "50" },
    }),
  })
  await gateway.call("POST", `${base}/${id}/update`, { name: "another name", position: 3 })
  await gateway.call("DELETE", `${base}/${id}`)
  const pieces = response.body ? await collectItems(response.body) : []
  expect(Buffer.concat(pieces).toString()).toMatch(/data: \[DONE\]\n\n$/)
})

describe("a test of a connection", () => {
  const test = async (fields: object) => {
    const { body } = await gateway.call("POST", `${base}/test`, settings(fields))
    return body
  }

  it("describes the result in words", async () => {
    const page = createServer((_, response) => {
      response.setHeader("content-type", "text/html").end("<html>Sign in</html>")
    })
    const port = await listenOnLoopback(page)
    expect(await test({})).toMatchObject({ ok: true, models: ["one", "two"] })
    const wrong: [object, RegExp][] = [
      [{ api_key: "wrong-key-wrong-key" }, /rejected the API key \(status 401\)/],
      [{ base_url: "http://127.0.0.1:9/v1" }, /Can't reach .*Check the address/],
      [{ base_url: upstream.origin }, /no model list at this path \(404\).*\/v1/],
      [{ base_url: `http://127.0.0.1:${port}` }, /did not respond like an OpenAI-style API/],
      [{ base_url: "http://nowhere.invalid/v1" }, /Can't reach/],
    ]
    for (const [fields, words] of wrong) {
      const result = await test(fields)
      expect(result).toMatchObject({ ok: false, models: [] })
      expect(result.message).toMatch(words)
      expect(result.message).not.toContain("wrong-key-wrong-key")
    }
    page.close()
  })

  it("uses the stored secrets of a saved connection", async () => {
    const { id } = await create()
    const { body } = await gateway.call("POST", `${base}/${id}/test`)
    expect(body).toMatchObject({ ok: true, models: ["one", "two"] })
    expect((await gateway.call("POST", `${base}/none/test`)).status).toBe(404)
  })
})
