import { createServer } from "node:http"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type FakeOpenAI, startFakeOpenAI } from "../fakes/openai.ts"
import { startGateway, type TestGateway } from "../harness/gateway.ts"
import { listenOnLoopback } from "../harness/ports.ts"
import { waitForModels } from "../models/wait-for-models.ts"
import { completionText, fetchLastRun, requestCompletion, saveFunction } from "./function-client.ts"

let upstream: FakeOpenAI
let gateway: TestGateway
let user: Awaited<ReturnType<TestGateway["createUser"]>>
/** A server on this machine that functions must not reach. */
const internalServer = createServer((request, response) => {
  internalRequests.push(request.url ?? "")
  response.end("inside")
})
const internalRequests: string[] = []
let port: number

beforeAll(async () => {
  upstream = await startFakeOpenAI({ models: ["gpt-fake"] })
  gateway = await startGateway({
    OPENAI_API_BASE_URLS: upstream.url,
  })
  await waitForModels(gateway, ["gpt-fake"])
  user = await gateway.createUser("Grace")
  port = await listenOnLoopback(internalServer)
})
afterAll(async () => {
  await gateway.stop()
  await upstream.close()
  internalServer.close()
})

const save = (id: string, content: string, fields?: object) =>
  saveFunction(gateway, id, content, fields)

const run = async (code: string) => {
  await save("hostile", code)
  return requestCompletion(gateway, "hostile", { key: user.key })
}

describe("hostile code that tries to reach internal services", () => {
  const fetchCode = (address: string) => `export const reply = async (request, { fetch }) =>
    (await fetch(${JSON.stringify(address)})).text()`
  const names = [
    "localhost",
    "127.0.0.1",
    "127.1",
    "2130706433",
    "0x7f000001",
    "0.0.0.0",
    "[::1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[64:ff9b::7f00:1]",
    "10.0.0.1",
    "192.168.1.1",
    "172.16.0.1",
    "169.254.169.254",
    "100.64.0.1",
    "[fe80::1]",
    "[fd00::1]",
  ]

  it.each(names)("cannot connect to %s, even if its host is allowed", async (name) => {
    const address = `http://${name}:${port}/secret`
    const { hostname } = new URL(address)
    await save("hostile", fetchCode(address), { hosts: [`${hostname}:${port}`] })
    const { status, body } = await requestCompletion(gateway, "hostile", { key: user.key })
    expect(status).toBe(502)
    expect(body.error.message).toMatch(/private or reserved network that may not be accessed/)
    expect(internalRequests).toEqual([])
    expect(await fetchLastRun(gateway, "hostile")).toMatchObject({ outcome: "denied" })
  })

  it("cannot connect to a host that is not allowed, nor to another port of an allowed host", async () => {
    await save("hostile", fetchCode("https://example.com/"), { hosts: ["api.example.com"] })
    expect((await requestCompletion(gateway, "hostile")).body.error.message).toMatch(
      /is not allowed/,
    )
    await save("hostile", fetchCode("https://example.com:8443/"), { hosts: ["example.com"] })
    expect((await requestCompletion(gateway, "hostile")).body.error.message).toMatch(
      /is not allowed/,
    )
    await save("hostile", fetchCode("file:///etc/passwd"), { hosts: ["example.com"] })
    expect((await requestCompletion(gateway, "hostile")).body.error.message).toMatch(
      /cannot be fetched/,
    )
  })

  it("cannot read another function's settings or store", async () => {
    await save(
      "owner",
      `export const settings = { key: { type: "secret" } }
      export const reply = async (r, { store }) => { await store.set("mine", "kept"); return "ok" }`,
    )
    const values = { key: "of the owner alone" }
    await gateway.call("POST", "/api/v1/functions/id/owner/valves", { values })
    await requestCompletion(gateway, "owner")
    const { body } = await run(`export const reply = async (request, context) => {
      const found = [await context.store.get("mine"), await context.store.keys(),
        await context.store.get("owner/mine"), await context.store.get("../owner/mine")]
      return JSON.stringify([found, context.settings])
    }`)
    expect(completionText({ body })).toBe("[[null,[],null,null],{}]")
  })

  it("cannot bypass its caller's grants or API key's allowed models", async () => {
    await save("closed", "export const reply = () => 'for few'", { access_grants: [] })
    const code = (model: string) => `export const reply = async ({ messages }, context) => {
      const reply = await context.chat({ model: "${model}", messages })
      return reply.choices[0].message.content
    }`
    await save("hostile", code("closed"))
    expect(completionText(await requestCompletion(gateway, "hostile"))).toBe("for few")
    const refused = await requestCompletion(gateway, "hostile", { key: user.key })
    expect(refused.body.error.message).toMatch(/does not exist or you do not have access/)
    await save("hostile", "export const reply = (r) => ({ model: 'closed', messages: r.messages })")
    expect((await requestCompletion(gateway, "hostile", { key: user.key })).status).toBe(404)

    await save("hostile", code("gpt-fake"))
    const limits = { name: "one model", allowed_models: ["hostile"] }
    const options = { key: user.key }
    const made = await gateway.call("POST", "/api/v1/auths/api_keys", limits, options)
    const limited = await requestCompletion(gateway, "hostile", { key: made.body.api_key })
    expect(limited.body.error.message).toMatch(/not allowed to use the model/)
    expect(completionText(await requestCompletion(gateway, "hostile", options))).toContain(
      "You said",
    )
  })

  it("does not learn the paths of the gateway's files from errors", async () => {
    const { body } = await run(`export const reply = async (request, context) => {
      const told = []
      for (const [work, name] of [[() => context.fetch("http://localhost/")],
        [() => context.chat({})], [() => context.store.set("", 1)], [() => context.files.text("x")],
        [() => new URL("http://[")], [() => import("fs")], [() => context.search([], 1)]]) {
        try { await work() } catch (error) { told.push(error.message + error.stack) }
      }
      return told.join("\\n")
    }`)
    expect(completionText({ body }).length).toBeGreaterThan(100)
    expect(completionText({ body })).not.toMatch(
      /file:|node_modules|\/server\/|\/work\/|node:internal/,
    )
  })
})
