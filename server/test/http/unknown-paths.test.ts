import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { adminKey, startGateway, type TestGateway } from "../harness/gateway.ts"

const json = { accept: "application/json" }
const any = { accept: "*/*" }
const html = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" }

describe("an unknown path", () => {
  let gateway: TestGateway
  beforeAll(async () => {
    gateway = await startGateway()
  })
  afterAll(() => gateway.stop())

  it.each([
    ["/models", json, "/v1/models"],
    ["/models", { authorization: `Bearer ${adminKey}` }, "/v1/models"],
    ["/models", { "x-api-key": adminKey }, "/v1/models"],
    ["/chat/completions", json, "/v1/chat/completions"],
    ["/messages", json, "/v1/messages"],
    ["/v2/models", html, "/v1/models"],
    ["/v1beta/models", html, "/v1/models"],
    ["/myai/v1/models", json, "/v1/models"],
    ["/v1/v1/models", json, "/v1/models"],
    ["/users", json, "/api/v1/users"],
    ["/models", any, "/v1/models"],
    ["/models/gpt-5", any, "/v1/models/gpt-5"],
    ["/embeddings/", any, "/v1/embeddings"],
    ["/models", { ...any, "api-key": adminKey }, "/v1/models"],
    ["/models", { accept: "application/json, text/plain, */*" }, "/v1/models"],
    ["/a/b/v1/chat/completions", any, "/v1/chat/completions"],
  ])("%s is an error that names the likely path (%o)", async (path, headers, likely) => {
    for (const method of ["GET", "HEAD"]) {
      const reply = await fetch(gateway.url + path, { method, headers })
      expect([reply.status, reply.headers.get("content-type")]).toEqual([404, "application/json"])
      const body = await reply.text()
      if (method === "GET") expect(body).toContain(`Did you mean ${likely}?`)
    }
  })

  it.each([
    ["/.well-known/openid-configuration", html],
    ["/.well-known", html],
    ["/robots.txt", html],
    ["/wp-login.php", html],
    ["/some/config.json", html],
    ["/nothing/here", json],
    ["/nothing/here", { accept: "application/json, text/plain, */*" }],
    ["/.well-known%2Fopenid-configuration", html],
    ["/%2ewell-known/x", html],
    ["/some/.git/config", html],
    ["/some/config%2ejson", html],
  ])("%s is an error whatever is accepted", async (path, headers) => {
    const reply = await fetch(gateway.url + path, { headers })
    expect([reply.status, reply.headers.get("content-type")]).toEqual([404, "application/json"])
  })

  it.each([
    ["/", any],
    ["/models", html],
    ["/c/some-chat", any],
    ["/admin/users", html],
    ["/models/view/gpt-4.1", html],
  ])("that %s may be in the browser is not an error", async (path, headers) => {
    expect((await fetch(gateway.url + path, { headers })).status).toBe(200)
  })
})
