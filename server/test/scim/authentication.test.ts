import { afterEach, describe, expect, it } from "vitest"
import { readConfig } from "../../src/config/config.ts"
import { createRateLimit } from "../../src/scim/rate-limit.ts"
import { adminKey, startGateway, type TestGateway } from "../harness/gateway.ts"
import { createScimClient, errorSchema, scimBase, scimToken } from "./scim-client.ts"

const gateways: TestGateway[] = []
afterEach(async () => {
  for (const gateway of gateways.splice(0)) await gateway.stop()
})

const start = async (env: Record<string, string> = {}): Promise<TestGateway> => {
  const gateway = await startGateway({ SCIM_ENABLED: "true", SCIM_TOKEN: scimToken, ...env })
  gateways.push(gateway)
  return gateway
}

const scimPaths = [
  "/Users",
  "/Groups/1",
  "/Schemas",
  "/ServiceProviderConfig",
  "/Nothing",
  "/Me",
  "",
]

describe("SCIM authentication", () => {
  it("returns an identical 401 for every path while SCIM is off and for a wrong token", async () => {
    const off = await start({ SCIM_ENABLED: "false" })
    const yes = await start({ SCIM_ENABLED: "yes" })
    const wrong = await start()
    const bodies = new Set<string>()
    for (const path of scimPaths) {
      for (const [gateway, key] of [
        [off, scimToken],
        [yes, scimToken],
        [wrong, "wrong"],
      ] as const) {
        const { status, headers, body } = await gateway.call("GET", scimBase + path, undefined, {
          key,
        })
        expect(status).toBe(401)
        expect(headers.get("www-authenticate")).toBe("Bearer")
        bodies.add(JSON.stringify(body))
      }
    }
    expect([...bodies].map((body) => JSON.parse(body))).toEqual([
      { schemas: [errorSchema], status: "401", detail: expect.any(String) },
    ])
  })

  it("accepts only Bearer with its own token, ignoring the scheme's case", async () => {
    const gateway = await start()
    const status = async (authorization: string | null): Promise<number> => {
      const headers = authorization === null ? {} : { authorization }
      return (await gateway.call("GET", `${scimBase}/Users`, undefined, { key: null, headers }))
        .status
    }
    expect(await status(`Bearer ${scimToken}`)).toBe(200)
    expect(await status(`bearer ${scimToken}`)).toBe(200)
    for (const refused of [
      null,
      "Bearer",
      scimToken,
      `Basic ${scimToken}`,
      `Bearer ${scimToken} x`,
      `Bearer ${scimToken}x`,
      `Bearer ${scimToken.slice(0, -1)}`,
      `Bearer ${adminKey}`,
    ]) {
      expect(await status(refused)).toBe(401)
    }
    const headers = { "x-api-key": scimToken, cookie: `token=${scimToken}` }
    const elsewhere = await gateway.call("GET", `${scimBase}/Users`, undefined, {
      key: null,
      headers,
    })
    expect(elsewhere.status).toBe(401)
  })

  it("uses a token that is valid nowhere else", async () => {
    const gateway = await start()
    for (const path of ["/api/v1/users/", "/v1/models", "/api/v1/auths/"]) {
      const { status } = await gateway.call("GET", path, undefined, { key: scimToken })
      expect(status).toBe(401)
    }
  })

  it("accepts the previous token too, for rotation", async () => {
    const gateway = await start({ SCIM_TOKEN_PREVIOUS: "the-token-that-was-before-this-one" })
    for (const key of [scimToken, "the-token-that-was-before-this-one"]) {
      expect(await gateway.call("GET", `${scimBase}/Users`, undefined, { key })).toMatchObject({
        status: 200,
      })
    }
  })

  it("returns 404 outside the base, whatever the state or token", async () => {
    const on = await start()
    const off = await start({ SCIM_ENABLED: "false" })
    for (const gateway of [on, off]) {
      for (const path of [
        "/scim/v2/Users",
        "/api/scim/v2/Users",
        "/api/v1/scim",
        "/api/v1/scim/v1/Users",
        "/scim",
        "/api/v1/scim/v2Users",
      ]) {
        const { status, headers, body } = await gateway.call("GET", path, undefined, { key: "x" })
        expect([path, status]).toEqual([path, 404])
        expect(headers.get("content-type")).toBe("application/scim+json")
        expect(body).toMatchObject({ schemas: [errorSchema], status: "404" })
      }
    }
  })

  it("ignores repeated and trailing slashes below the base", async () => {
    const gateway = await start()
    for (const path of ["//Users", "/Users/", "///Users//", "/Users/?count=1"]) {
      const { status } = await gateway.call("GET", scimBase + path, undefined, { key: scimToken })
      expect([path, status]).toEqual([path, 200])
    }
  })

  it("rejects addresses outside SCIM_ALLOWED_CIDRS, as reported by trusted proxies", async () => {
    const gateway = await start({
      SCIM_ALLOWED_CIDRS: "203.0.113.0/24",
      TRUSTED_PROXIES: "127.0.0.1",
    })
    const from = (address: string, key = scimToken) => {
      const headers = { "x-forwarded-for": address }
      return gateway.call("GET", `${scimBase}/Users`, undefined, { key, headers })
    }
    expect(await from("203.0.113.7")).toMatchObject({ status: 200 })
    expect(await from("198.51.100.1")).toMatchObject({ status: 403, body: { status: "403" } })
    expect(await from("203.0.113.7, 198.51.100.1")).toMatchObject({ status: 403 })
    expect(await from("198.51.100.1", "wrong")).toMatchObject({ status: 403 })
  })

  it("ignores X-Forwarded-For from untrusted clients", async () => {
    const gateway = await start({ SCIM_ALLOWED_CIDRS: "203.0.113.0/24" })
    const headers = { "x-forwarded-for": "203.0.113.7" }
    const answer = await gateway.call("GET", `${scimBase}/Users`, undefined, {
      key: scimToken,
      headers,
    })
    expect(answer.status).toBe(403)
  })

  it("limits the rates of writes and reads separately, with SCIM errors", async () => {
    const client = createScimClient(await start({ SCIM_RATE_LIMIT: "2/4" }))
    const write = () => client.call("POST", "/Users", { userName: "nonsense" })
    expect([(await write()).status, (await write()).status]).toEqual([400, 400])
    const third = await write()
    expect(third).toMatchObject({ status: 429, body: { schemas: [errorSchema], status: "429" } })
    expect(Number(third.headers.get("retry-after"))).toBeGreaterThan(0)
    const search = () => client.call("POST", "/Users/.search", {})
    for (let index = 0; index < 4; index++) expect((await search()).status).toBe(200)
    expect((await search()).status).toBe(429)
  })

  it("returns 429 to an address that guesses tokens, but accepts the right one", async () => {
    const gateway = await start()
    const statuses: number[] = []
    for (let index = 0; index < 35; index++) {
      const key = `guess-${index}`
      statuses.push((await gateway.call("GET", `${scimBase}/Users`, undefined, { key })).status)
    }
    expect(statuses.slice(0, 30)).toEqual(Array(30).fill(401))
    expect(statuses.slice(-4)).toEqual(Array(4).fill(429))
    const right = await gateway.call("GET", `${scimBase}/Users`, undefined, { key: scimToken })
    expect(right.status).toBe(200)
  })

  it("always returns 401 while SCIM is off, without a rate limit", async () => {
    const gateway = await start({ SCIM_ENABLED: "false" })
    for (let index = 0; index < 40; index++) {
      const { status } = await gateway.call("GET", `${scimBase}/Users`, undefined, {
        key: scimToken,
      })
      expect(status).toBe(401)
    }
  })

  it("warns at startup about a short token and a PUBLIC_URL without https", async () => {
    const gateway = await start({ SCIM_TOKEN: "short", PUBLIC_URL: "http://portico.example" })
    const warnings = gateway.logLines.filter(({ level }) => level === 40).map(({ msg }) => msg)
    expect(warnings).toEqual([
      expect.stringContaining("SCIM_TOKEN"),
      expect.stringContaining("https"),
    ])
    const valid = await start({ PUBLIC_URL: "https://portico.example" })
    expect(valid.logLines.filter(({ level }) => level === 40)).toEqual([])
  })

  it("limits bodies, nesting, operations and values", async () => {
    const client = createScimClient(await start())
    const { id } = await client.createUser("capped")
    const large = JSON.stringify({ userName: "x".repeat(8_100_000) })
    expect(await client.call("POST", "/Users", large)).toMatchObject({ status: 413 })
    const deep = "[".repeat(100_000) + "]".repeat(100_000)
    expect(await client.call("POST", "/Users", deep)).toMatchObject({ status: 400 })
    const operations = Array(5001).fill({ op: "add", path: "nickName", value: "x" })
    expect(await client.patch(`/Users/${id}`, ...operations)).toMatchObject({
      status: 400,
      body: { scimType: "tooMany" },
    })
    const emails = Array.from({ length: 101 }, (_, at) => ({ value: `e${at}@example.org` }))
    const tooMany = { status: 400, body: { scimType: "tooMany" } }
    const userWithManyEmails = { userName: "crowded@example.org", emails }
    expect(await client.call("POST", "/Users", userWithManyEmails)).toMatchObject(tooMany)
    const halves = [emails.slice(0, 60), emails.slice(60)].map((value) => ({
      op: "add",
      path: "emails",
      value,
    }))
    expect(await client.patch(`/Users/${id}`, ...halves)).toMatchObject(tooMany)
    const group = await client.createGroup("Capped")
    const addManyMembers = { op: "add", path: "members", value: Array(150_000).fill("nobody") }
    expect(await client.patch(`/Groups/${group.id}`, addManyMembers, addManyMembers)).toMatchObject(
      { status: 400 },
    )
    const removeManyMembers = { ...addManyMembers, op: "remove" }
    expect(
      await client.patch(`/Groups/${group.id}`, removeManyMembers, removeManyMembers),
    ).toMatchObject({ status: 200 })
  })

  it("returns 412 to If-Match, as there are no ETags, except for *", async () => {
    const client = createScimClient(await start())
    const { id } = await client.createUser("matched")
    const put = (value: string) =>
      client.call(
        "PUT",
        `/Users/${id}`,
        { userName: "matched@example.org" },
        {
          headers: { "if-match": value },
        },
      )
    expect(await put('W/"1"')).toMatchObject({ status: 412, body: { status: "412" } })
    const accepted = await put("*")
    expect(accepted.status).toBe(200)
    expect(accepted.headers.get("etag")).toBeNull()
  })

  it("logs no tokens or bodies", async () => {
    const client = createScimClient(await start())
    await client.createUser("secretive")
    const log = JSON.stringify(client.gateway.logLines)
    expect(log).toContain("/api/v1/scim/v2/Users")
    expect(log).not.toContain(scimToken)
    expect(log).not.toContain("secretive@")
  })
})

describe("SCIM settings", () => {
  const read = (env: Record<string, string>) => () => readConfig({ DATA_DIR: "/tmp/none", ...env })

  it("require a token, and say how to generate one", () => {
    expect(read({ SCIM_ENABLED: "true" })).toThrow(/SCIM_TOKEN.*openssl rand -base64 32/)
  })

  it("reject a token that is also the administrator's API key", () => {
    const key = "sk-0123456789012345678901234567"
    const env = { SCIM_ENABLED: "true", SCIM_TOKEN: key, ADMIN_API_KEY: key, ADMIN_EMAIL: "a@b.co" }
    expect(read(env)).toThrow(/SCIM_TOKEN/)
  })

  it.each([
    ["SCIM_RATE_LIMIT", "many"],
    ["SCIM_RATE_LIMIT", "0/5"],
    ["SCIM_DELETE_MODE", "erase"],
    ["SCIM_ALLOWED_CIDRS", "10.0.0.0/99"],
    ["SCIM_TOKEN", "with a space"],
  ])("reject %s=%s", (name, value) => {
    expect(read({ [name]: value })).toThrow(name)
  })
})

describe("a rate limit", () => {
  it("refills evenly: one second frees a sixtieth of the rate per minute", () => {
    let ms = 0
    const limit = createRateLimit({ writes: 60, reads: 60 }, { nowMs: () => ms })
    const incoming = { method: "POST", url: "/Users" } as Parameters<typeof limit.admit>[0]
    for (let index = 0; index < 60; index++) limit.admit(incoming)
    expect(() => limit.admit(incoming)).toThrow()
    ms += 1000
    limit.admit(incoming)
    expect(() => limit.admit(incoming)).toThrow()
  })
})
