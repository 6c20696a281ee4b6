import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { adminEmail, adminPassword, startGateway, type TestGateway } from "../harness/gateway.ts"

/** Headers that browsers send from other sites. */
const otherOrigins: Record<string, string>[] = [
  { origin: "https://evil.example", "sec-fetch-site": "cross-site" },
  { origin: "https://evil.example" },
  { origin: "null" },
  { "sec-fetch-site": "cross-site" },
  { origin: "https://other.example.com", "sec-fetch-site": "same-site" },
]

/** Headers that browsers send from the gateway's own pages, and that other clients send. */
const ownOrigins = (url: string): Record<string, string>[] => [
  {},
  { origin: url },
  { origin: "https://models.example.com" },
  { origin: "https://proxy.example", "sec-fetch-site": "same-origin" },
]

describe("a credential", () => {
  let gateway: TestGateway
  let token: string

  beforeAll(async () => {
    gateway = await startGateway({ PUBLIC_URL: "https://models.example.com" })
    token = (await signIn(adminEmail, adminPassword)).body.token
  })
  afterAll(() => gateway.stop())

  const call: TestGateway["call"] = (...args) => gateway.call(...args)
  const signIn = (email: string, password: string) =>
    call("POST", "/api/v1/auths/signin", { email, password }, { key: null })
  const whoAmI = (key: string | null, headers = {}) =>
    call("GET", "/api/v1/auths/", undefined, { key, headers })

  it("is set as a cookie that scripts cannot read and other sites cannot send", async () => {
    const { headers } = await signIn(adminEmail, adminPassword)
    const cookie = headers.get("set-cookie") ?? ""
    expect(cookie).toMatch(/^token=\S+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=24\d{5}; Secure$/)
  })

  it("is accepted from three sources, with the Bearer scheme in any case", async () => {
    for (const scheme of ["Bearer", "bearer", "BEARER", "bEaReR "]) {
      expect((await whoAmI(null, { authorization: `${scheme} ${token}` })).status).toBe(200)
    }
    expect((await whoAmI(null, { "x-api-key": token })).status).toBe(200)
    expect((await whoAmI(null, { cookie: `a=b; token=${token}; c=d` })).status).toBe(200)
    for (const headers of [
      { authorization: token },
      { authorization: "Basic eDp5" },
      { cookie: `xtoken=${token}` },
    ]) {
      expect((await whoAmI(null, headers)).status).toBe(401)
    }
  })

  it("is rejected if it is the cookie and another site sends a change", async () => {
    const send = (headers: Record<string, string>) =>
      call(
        "POST",
        "/api/v1/auths/update/profile",
        { name: "Ada" },
        { key: null, headers: { cookie: `token=${token}`, ...headers } },
      )
    expect(await send({ origin: "https://evil.example" })).toMatchObject({
      status: 403,
      body: { code: "forbidden" },
    })
    expect((await send({ origin: "null" })).status).toBe(403)
    expect((await send({ origin: "https://models.example.com" })).status).toBe(200)
    expect((await send({ origin: gateway.url })).status).toBe(200)
    expect((await send({})).status).toBe(200)
    const delayed = { origin: "https://proxy.example", "sec-fetch-site": "same-origin" }
    expect((await send(delayed)).status).toBe(200)
    expect((await send({ "sec-fetch-site": "cross-site" })).status).toBe(403)
    const read = await whoAmI(null, { cookie: `token=${token}`, origin: "https://evil.example" })
    expect(read.status).toBe(200)
  })

  it("cannot be obtained by a sign-in from another site", async () => {
    const body = { email: adminEmail, password: adminPassword }
    const send = (headers: Record<string, string>) =>
      call("POST", "/api/v1/auths/signin", body, { key: null, headers })
    for (const headers of otherOrigins) {
      const sent = await send(headers)
      expect([headers, sent]).toMatchObject([headers, { status: 403, body: { code: "forbidden" } }])
      expect(sent.headers.get("set-cookie")).toBeNull()
      expect(sent.body.detail).toContain("other websites")
    }
    for (const headers of ownOrigins(gateway.url)) {
      const sent = await send(headers)
      expect([headers, sent.status]).toEqual([headers, 200])
      expect(sent.headers.get("set-cookie")).toContain("token=")
    }
  })

  it("cannot be obtained by creating the first administrator from another site", async () => {
    const fresh = await startGateway({ ADMIN_EMAIL: "", ADMIN_PASSWORD: "", ADMIN_API_KEY: "" })
    try {
      const account = { name: "Eve", email: "eve@example.com", password: "correct horse" }
      const signUp = (headers: Record<string, string>) =>
        fresh.call("POST", "/api/v1/auths/signup", account, { key: null, headers })
      for (const headers of otherOrigins) {
        const sent = await signUp({ "content-type": "text/plain", ...headers })
        expect([headers, sent]).toMatchObject([
          headers,
          { status: 403, body: { code: "forbidden" } },
        ])
      }
      expect(
        (await fresh.call("GET", "/api/config", undefined, { key: null })).body.first_run,
      ).toBe(true)
      expect((await signUp({ origin: fresh.url, "sec-fetch-site": "same-origin" })).status).toBe(
        200,
      )
    } finally {
      await fresh.stop()
    }
  })
})
