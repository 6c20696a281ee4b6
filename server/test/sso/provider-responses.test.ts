import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import type { FakeIssuer } from "../fakes/issuer.ts"
import { chooseDatabases, type TestDatabase } from "../harness/databases.ts"
import { createBrowser, openSignOn, problemAt, type SignOnWorld, signOn } from "./sign-on.ts"

describe.each(chooseDatabases())("provider responses on $name", ({ createDatabase }) => {
  let database: TestDatabase
  let world: SignOnWorld

  beforeAll(async () => {
    database = await createDatabase()
    world = await openSignOn(database)
  })
  afterAll(async () => {
    await world.close()
    await database.remove()
  })
  beforeEach(() => world.mend())

  it.each<[what: string, spoil: () => void, wanted: string]>([
    ["another key's signature", () => sign("other key"), "invalid_answer"],
    ["an unpublished key", () => sign("unknown key"), "invalid_answer"],
    ["no signature", () => sign("none"), "invalid_answer"],
    ["the client's secret as its key", () => sign("client secret"), "invalid_answer"],
    ["another issuer", () => rewrite({ iss: "https://evil.example" }), "invalid_answer"],
    ["another audience", () => rewrite({ aud: "somebody-else" }), "invalid_answer"],
    ["two audiences and no azp", () => rewrite({ aud: ["portico", "other"] }), "invalid_answer"],
    ["another azp", () => rewrite({ azp: "somebody-else" }), "invalid_answer"],
    ["another nonce", () => rewrite({ nonce: "of another sign-in" }), "invalid_answer"],
    ["no nonce", () => rewrite({ nonce: undefined }), "invalid_answer"],
    ["no subject", () => rewrite({ sub: undefined }), "invalid_answer"],
    ["a subject with a line break", () => rewrite({ sub: "a\nb" }), "invalid_answer"],
    ["an expiry in the past", () => rewrite({ exp: 1_700_000_000 }), "invalid_answer"],
    ["no expiry", () => rewrite({ exp: undefined }), "invalid_answer"],
    ["a start in the future", () => rewrite({ nbf: 4_000_000_000 }), "invalid_answer"],
  ])("reject an ID token with %s", async (_what, spoil, wanted) => {
    const { accounts, gateway, newPerson } = world
    newPerson()
    spoil()
    const before = await accounts()
    const { location, token } = await signOn(gateway)
    expect([problemAt(location), token]).toEqual([wanted, undefined])
    expect(await accounts()).toBe(before)
  })

  const sign = (signing: FakeIssuer["signing"]): void => {
    world.issuer.signing = signing
  }

  const rewrite = (changes: Record<string, unknown>): void => {
    world.issuer.rewriteClaims = (claims) => ({ ...claims, ...changes })
  }

  it.each<[what: string, reply: { status: number; body: string }, wanted: string]>([
    ["rejects the client", { status: 401, body: '{"error":"invalid_client"}' }, "client_refused"],
    ["fails", { status: 500, body: "oops" }, "provider_unreachable"],
    ["returns no JSON", { status: 200, body: "<html>" }, "provider_unreachable"],
    [
      "returns no ID token",
      { status: 200, body: '{"access_token":"a","token_type":"bearer"}' },
      "invalid_answer",
    ],
    [
      "returns an oversized reply",
      { status: 200, body: `"${"x".repeat(2_000_000)}"` },
      "provider_unreachable",
    ],
  ])("are reported if the token endpoint %s", async (_what, reply, wanted) => {
    const { gateway, issuer, newPerson } = world
    newPerson()
    issuer.tokenResponse = reply
    expect(problemAt((await signOn(gateway)).location)).toBe(wanted)
  })

  it("are reported if the provider denies access", async () => {
    const { gateway, issuer } = world
    issuer.authorizationError = { error: "access_denied" }
    expect(problemAt((await signOn(gateway)).location)).toBe("provider_refused")
  })

  it("are accepted once, in the browser that started, with its own state", async () => {
    const { gateway, issuer, newPerson } = world
    newPerson()
    const browser = createBrowser()
    const callback = await browser.toCallback(gateway)
    const thief = createBrowser()
    expect(problemAt(thief.locationOf(await thief.visit(callback)))).toBe("expired")
    const forged = new URL(callback)
    forged.searchParams.set("state", "of-an-attackers-own-making")
    expect(problemAt(browser.locationOf(await browser.visit(forged.href)))).toBe("expired")
    forged.searchParams.delete("state")
    expect(problemAt(browser.locationOf(await browser.visit(forged.href)))).toBe("expired")

    // A copy of the cookies, as if the whole browser was stolen.
    const kept = new Map(browser.cookies)
    expect(browser.locationOf(await browser.visit(callback))).toBe("/")
    const replay = createBrowser()
    for (const [name, value] of kept) replay.cookies.set(name, value)
    const asked = issuer.requestedUrls.length
    expect(problemAt(replay.locationOf(await replay.visit(callback)))).toBe("expired")
    expect(issuer.requestedUrls.slice(asked)).toEqual([])
    expect(replay.cookies.get("token")).toBeUndefined()
  })

  it("with the same code are accepted only once, even concurrently", async () => {
    const { gateway, newPerson } = world
    newPerson()
    const browser = createBrowser()
    const callback = await browser.toCallback(gateway)
    const copies = Array.from({ length: 8 }, () => {
      const copy = createBrowser()
      for (const [name, value] of browser.cookies) copy.cookies.set(name, value)
      return copy
    })
    const ended = await Promise.all(
      copies.map(async (copy) => copy.locationOf(await copy.visit(callback))),
    )
    expect(ended.filter((location) => location === "/")).toHaveLength(1)
  })

  it("create one account for a person who first signs in in two browsers at once", async () => {
    const { gateway, me, newPerson } = world
    const { email } = newPerson()
    const both = await Promise.all([signOn(gateway), signOn(gateway)])
    const [one, other] = await Promise.all(both.map(({ token }) => me(token)))
    expect(one).toMatchObject({ email })
    expect(other.id).toBe(one.id)
  })

  it.each([
    "//evil.example/",
    "https://evil.example/",
    "/\\evil.example",
    "/\t/evil.example",
    "/%2e%2e//evil.example",
    "/..//evil.example",
    "javascript:alert(1)",
    "evil",
    "/api/v1/sso/okta/start",
  ])("redirect to no other site: %s", async (back) => {
    const { gateway, newPerson } = world
    newPerson()
    expect((await signOn(gateway, { back })).location).toBe("/")
  })

  it("restart under PUBLIC_URL if sign-in began under another address", async () => {
    const { gateway, issuer } = world
    const browser = createBrowser()
    const { port } = new URL(gateway.url)
    const start = `http://localhost:${port}/api/v1/sso/okta/start?back=%2Fmodels`
    const moved = browser.locationOf(await browser.visit(start))
    expect(moved).toBe(`${gateway.url}/api/v1/sso/okta/start?back=%2Fmodels&moved=yes`)
    expect(browser.cookies.size).toBe(0)
    // A proxy that sets its own host name on every request must not cause a redirect loop.
    const again = start.concat("&moved=yes")
    expect(browser.locationOf(await browser.visit(again))).toContain(issuer.url)
  })

  it("are requested with PKCE, state and nonce, and a callback under PUBLIC_URL", async () => {
    const { gateway, issuer } = world
    const browser = createBrowser()
    const response = await fetch(`${gateway.url}/api/v1/sso/okta/start`, {
      redirect: "manual",
      headers: { "x-forwarded-host": "evil.example" },
    })
    const url = new URL(browser.locationOf(response))
    expect(url.origin).toBe(issuer.url)
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      client_id: "portico",
      response_type: "code",
      scope: "openid profile email",
      redirect_uri: `${gateway.url}/api/v1/sso/okta/callback`,
      code_challenge_method: "S256",
    })
    for (const name of ["state", "nonce", "code_challenge"]) {
      expect(url.searchParams.get(name)?.length, name).toBeGreaterThanOrEqual(43)
    }
    const cookie = response.headers.get("set-cookie") ?? ""
    expect(cookie).toMatch(/^sign_on_.+HttpOnly; SameSite=Lax; Max-Age=600/)
    expect(cookie).not.toContain(url.searchParams.get("nonce"))
    expect(response.headers.get("cache-control")).toBe("no-store")
  })
})
