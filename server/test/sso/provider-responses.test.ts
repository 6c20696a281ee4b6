import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import type { FakeIssuer } from "../fakes/oidc-issuer.ts"
import { chooseDatabases, type TestDatabase } from "../harness/databases.ts"
import {
  completeSignOn,
  createBrowser,
  problemInUrl,
  type SignOnSetup,
  startSignOnSetup,
} from "./sign-on-setup.ts"

describe.each(chooseDatabases())("provider responses on $name", ({ createDatabase }) => {
  let database: TestDatabase
  let setup: SignOnSetup

  beforeAll(async () => {
    database = await createDatabase()
    setup = await startSignOnSetup(database)
  })
  afterAll(async () => {
    await setup.close()
    await database.remove()
  })
  beforeEach(() => setup.resetIssuer())

  it.each<[what: string, spoil: () => void, wanted: string]>([
    ["another key's signature", () => signWith("other key"), "invalid_answer"],
    ["an unpublished key", () => signWith("unknown key"), "invalid_answer"],
    ["no signature", () => signWith("none"), "invalid_answer"],
    ["the client's secret as its key", () => signWith("client secret"), "invalid_answer"],
    ["another issuer", () => rewriteClaims({ iss: "https://evil.example" }), "invalid_answer"],
    ["another audience", () => rewriteClaims({ aud: "somebody-else" }), "invalid_answer"],
    [
      "two audiences and no azp",
      () => rewriteClaims({ aud: ["portico", "other"] }),
      "invalid_answer",
    ],
    ["another azp", () => rewriteClaims({ azp: "somebody-else" }), "invalid_answer"],
    ["another nonce", () => rewriteClaims({ nonce: "of another sign-in" }), "invalid_answer"],
    ["no nonce", () => rewriteClaims({ nonce: undefined }), "invalid_answer"],
    ["no subject", () => rewriteClaims({ sub: undefined }), "invalid_answer"],
    ["a subject with a line break", () => rewriteClaims({ sub: "a\nb" }), "invalid_answer"],
    ["an expiry in the past", () => rewriteClaims({ exp: 1_700_000_000 }), "invalid_answer"],
    ["no expiry", () => rewriteClaims({ exp: undefined }), "invalid_answer"],
    ["a start in the future", () => rewriteClaims({ nbf: 4_000_000_000 }), "invalid_answer"],
  ])("reject an ID token with %s", async (_what, tamper, problem) => {
    const { countAccounts, gateway, newPerson } = setup
    newPerson()
    tamper()
    const before = await countAccounts()
    const { location, token } = await completeSignOn(gateway)
    expect([problemInUrl(location), token]).toEqual([problem, undefined])
    expect(await countAccounts()).toBe(before)
  })

  const signWith = (signing: FakeIssuer["signing"]): void => {
    setup.issuer.signing = signing
  }

  const rewriteClaims = (changes: Record<string, unknown>): void => {
    setup.issuer.rewriteClaims = (claims) => ({ ...claims, ...changes })
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
  ])("are reported if the token endpoint %s", async (_what, reply, problem) => {
    const { gateway, issuer, newPerson } = setup
    newPerson()
    issuer.tokenResponse = reply
    expect(problemInUrl((await completeSignOn(gateway)).location)).toBe(problem)
  })

  it("are reported if the provider denies access", async () => {
    const { gateway, issuer } = setup
    issuer.authorizationError = { error: "access_denied" }
    expect(problemInUrl((await completeSignOn(gateway)).location)).toBe("provider_refused")
  })

  it("are accepted once, in the browser that started, with its own state", async () => {
    const { gateway, issuer, newPerson } = setup
    newPerson()
    const browser = createBrowser()
    const callback = await browser.visitUntilCallback(gateway)
    const otherBrowser = createBrowser()
    expect(problemInUrl(otherBrowser.locationOf(await otherBrowser.visit(callback)))).toBe(
      "expired",
    )
    const forged = new URL(callback)
    forged.searchParams.set("state", "of-an-attackers-own-making")
    expect(problemInUrl(browser.locationOf(await browser.visit(forged.href)))).toBe("expired")
    forged.searchParams.delete("state")
    expect(problemInUrl(browser.locationOf(await browser.visit(forged.href)))).toBe("expired")

    // A copy of the cookies, as if the whole browser was stolen.
    const savedCookies = new Map(browser.cookies)
    expect(browser.locationOf(await browser.visit(callback))).toBe("/")
    const replay = createBrowser()
    for (const [name, value] of savedCookies) replay.cookies.set(name, value)
    const requestsBefore = issuer.requestedUrls.length
    expect(problemInUrl(replay.locationOf(await replay.visit(callback)))).toBe("expired")
    expect(issuer.requestedUrls.slice(requestsBefore)).toEqual([])
    expect(replay.cookies.get("token")).toBeUndefined()
  })

  it("with the same code are accepted only once, even concurrently", async () => {
    const { gateway, newPerson } = setup
    newPerson()
    const browser = createBrowser()
    const callback = await browser.visitUntilCallback(gateway)
    const copies = Array.from({ length: 8 }, () => {
      const copy = createBrowser()
      for (const [name, value] of browser.cookies) copy.cookies.set(name, value)
      return copy
    })
    const locations = await Promise.all(
      copies.map(async (copy) => copy.locationOf(await copy.visit(callback))),
    )
    expect(locations.filter((location) => location === "/")).toHaveLength(1)
  })

  it("create one account for a person who first signs in in two browsers at once", async () => {
    const { gateway, fetchAccount, newPerson } = setup
    const { email } = newPerson()
    const both = await Promise.all([completeSignOn(gateway), completeSignOn(gateway)])
    const [one, other] = await Promise.all(both.map(({ token }) => fetchAccount(token)))
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
    const { gateway, newPerson } = setup
    newPerson()
    expect((await completeSignOn(gateway, { back })).location).toBe("/")
  })

  it("restart under PUBLIC_URL if sign-in began under another address", async () => {
    const { gateway, issuer } = setup
    const browser = createBrowser()
    const { port } = new URL(gateway.url)
    const start = `http://localhost:${port}/api/v1/sso/okta/start?back=%2Fmodels`
    const moved = browser.locationOf(await browser.visit(start))
    expect(moved).toBe(`${gateway.url}/api/v1/sso/okta/start?back=%2Fmodels&moved=yes`)
    expect(browser.cookies.size).toBe(0)
    // A proxy that sets its own host name on every request must not cause a redirect loop.
    const startAfterMove = start.concat("&moved=yes")
    expect(browser.locationOf(await browser.visit(startAfterMove))).toContain(issuer.url)
  })

  it("are requested with PKCE, state and nonce, and a callback under PUBLIC_URL", async () => {
    const { gateway, issuer } = setup
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
