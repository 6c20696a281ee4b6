import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest"
import { z } from "zod"
import type { FakeIssuer } from "../fakes/oidc-issuer.ts"
import { type FakeOpenAI, startFakeOpenAI } from "../fakes/openai.ts"
import { chooseDatabases, type TestDatabase } from "../harness/databases.ts"
import { adminEmail, adminPassword } from "../harness/gateway.ts"
import { startStreamedCompletion } from "../harness/streamed-completion.ts"
import { maxDelayMs } from "../harness/timing.ts"
import {
  completeSignOn,
  createBrowser,
  type SignOnSetup,
  startSignOnSetup,
} from "./sign-on-setup.ts"

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

const logoutEvent = "http://schemas.openid.net/event/backchannel-logout"

const redirectOf = async (reply: Response): Promise<string> =>
  z.object({ redirect: z.string() }).parse(await reply.json()).redirect

describe.each(chooseDatabases())("sign-out on $name", ({ createDatabase }) => {
  let database: TestDatabase
  let upstream: FakeOpenAI
  let setup: SignOnSetup

  beforeAll(async () => {
    database = await createDatabase()
    upstream = await startFakeOpenAI()
    setup = await startSignOnSetup(database, { OPENAI_API_BASE_URLS: upstream.url })
  })
  afterAll(async () => {
    await setup.close()
    await upstream.close()
    await database.remove()
  })
  beforeEach(() => setup.resetIssuer())

  const sendLogoutToken = async (token: string) => {
    const response = await fetch(`${setup.gateway.url}/api/v1/sso/okta/backchannel-logout`, {
      method: "POST",
      body: new URLSearchParams({ logout_token: token }),
    })
    return { status: response.status, cache: response.headers.get("cache-control") }
  }

  const isSignedIn = async (token: string | undefined): Promise<boolean> =>
    (await setup.fetchAccount(token)).id !== undefined

  let sids = 0
  const newSession = async (person: Record<string, unknown> = setup.newPerson()) => {
    const sid = `sid-${sids++}`
    setup.issuer.user = { ...person, sid }
    const { token, browser } = await completeSignOn(setup.gateway)
    expect(await isSignedIn(token)).toBe(true)
    return { person, sid, token: token ?? "", browser }
  }

  it("by the provider ends only the session it names, including its streams", async () => {
    const person = setup.newPerson()
    const [one, other] = [await newSession(person), await newSession(person)]
    const key = await setup.gateway.call("POST", "/api/v1/auths/api_keys", {}, { key: one.token })
    const stream = await startStreamedCompletion(setup.gateway, { key: one.token })
    const token = await setup.issuer.logoutToken({ sid: one.sid })
    expect(await sendLogoutToken(token)).toEqual({ status: 200, cache: "no-store" })
    const since = performance.now()
    expect([await isSignedIn(one.token), await isSignedIn(other.token)]).toEqual([false, true])
    expect(await stream.body).not.toContain("[DONE]")
    expect((await stream.endedAt) - since).toBeLessThan(maxDelayMs)
    expect(await isSignedIn(key.body.api_key)).toBe(true)
    const events = (await setup.readAuditEvents()).filter(
      ({ action }) => action === "session.ended",
    )
    expect(events.at(-1)).toMatchObject({ actor_type: "system", after: '{"provider":"okta"}' })
  })

  it("by the provider ends all sessions of a subject, but not its API keys", async () => {
    const user = await setup.gateway.createUser(`Both${sids}`)
    const person = setup.newPerson({ email: user.email })
    const [one, other] = [await newSession(person), await newSession(person)]
    expect(
      (await sendLogoutToken(await setup.issuer.logoutToken({ sub: person.sub }))).status,
    ).toBe(200)
    expect([await isSignedIn(one.token), await isSignedIn(other.token)]).toEqual([false, false])
    expect(await isSignedIn(user.key)).toBe(true)
  })

  it("by the provider succeeds without a session, once per token", async () => {
    const token = await setup.issuer.logoutToken({ sub: "nobody here" })
    expect((await sendLogoutToken(token)).status).toBe(200)
    expect((await sendLogoutToken(token)).status).toBe(400)
    const sharedToken = await setup.issuer.logoutToken({ sub: "nobody here" })
    const sent = await Promise.all(Array.from({ length: 6 }, () => sendLogoutToken(sharedToken)))
    expect(sent.filter(({ status }) => status === 200)).toHaveLength(1)
  })

  const anHourAgo = Math.floor(Date.now() / 1000) - 3600
  const invalidTokens: [
    what: string,
    make: (issuer: FakeIssuer, sid: string) => Promise<string>,
  ][] = [
    ["another key", (issuer, sid) => issuer.logoutToken({ sid }, { signing: "other key" })],
    ["no signature", (issuer, sid) => issuer.logoutToken({ sid }, { signing: "none" })],
    ["the secret", (issuer, sid) => issuer.logoutToken({ sid }, { signing: "client secret" })],
    ["another issuer", (issuer, sid) => issuer.logoutToken({ sid, iss: "https://evil.example" })],
    ["another audience", (issuer, sid) => issuer.logoutToken({ sid, aud: "somebody-else" })],
    ["no event", (issuer, sid) => issuer.logoutToken({ sid, events: {} })],
    [
      "an event that is no object",
      (issuer, sid) => issuer.logoutToken({ sid, events: { [logoutEvent]: 1 } }),
    ],
    ["a nonce", (issuer, sid) => issuer.logoutToken({ sid, nonce: "n" })],
    ["no jti", (issuer, sid) => issuer.logoutToken({ sid, jti: undefined })],
    ["neither sub nor sid", (issuer) => issuer.logoutToken({})],
    ["an old iat", (issuer, sid) => issuer.logoutToken({ sid, iat: anHourAgo })],
    ["an expired exp", (issuer, sid) => issuer.logoutToken({ sid, exp: anHourAgo })],
    ["another type", (issuer, sid) => issuer.logoutToken({ sid }, { typ: "at+jwt" })],
    ["no content", async () => ""],
    ["nonsense", async () => "a.b.c"],
  ]
  it.each(invalidTokens)("rejects a logout token with %s", async (_what, make) => {
    const { sid, token } = await newSession()
    expect((await sendLogoutToken(await make(setup.issuer, sid))).status).toBe(400)
    expect(await isSignedIn(token)).toBe(true)
  })

  it("in the gateway returns the provider's sign-out URL", async () => {
    const { browser, token } = await newSession()
    const signOut = `${setup.gateway.url}/api/v1/sso/signout`
    const reply = await browser.visit(signOut, "POST")
    expect(reply.status).toBe(200)
    const url = new URL(await redirectOf(reply))
    expect(url.origin + url.pathname).toBe(`${setup.issuer.url}/end`)
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      client_id: "portico",
      post_logout_redirect_uri: `${setup.gateway.url}/sign-in`,
      id_token_hint: expect.stringMatching(/^eyJ/),
    })
    expect(browser.cookies.has("token")).toBe(false)
    expect(await isSignedIn(token)).toBe(false)
  })

  it("in the gateway ends a session started with a password without a redirect", async () => {
    const credentials = { email: adminEmail, password: adminPassword }
    const { body } = await setup.gateway.call("POST", "/api/v1/auths/signin", credentials)
    const signedOut = await setup.gateway.call("POST", "/api/v1/sso/signout", undefined, {
      key: body.token,
    })
    expect(signedOut.body).toEqual({ redirect: null })
    expect(await isSignedIn(body.token)).toBe(false)
  })

  it("cannot be requested by another site's page", async () => {
    const { token } = await newSession()
    const headers = { cookie: `token=${token}`, origin: "https://evil.example" }
    for (const path of ["/signout", "/okta/link"]) {
      const method = "POST"
      const reply = await fetch(`${setup.gateway.url}/api/v1/sso${path}`, { method, headers })
      expect(reply.status, path).toBe(403)
    }
    expect(await isSignedIn(token)).toBe(true)
  })

  it("by unlinking ends the sessions started through the link, except the current one", async () => {
    const user = await setup.gateway.createUser(`Unlinks${sids}`)
    const person = setup.newPerson({ email: user.email })
    const [one, other] = [await newSession(person), await newSession(person)]
    const list = (key: string) =>
      setup.gateway.call("GET", "/api/v1/sso/identities", undefined, { key })
    const { items, has_password } = (await list(one.token)).body
    expect([items.length, has_password]).toEqual([1, true])
    const path = `/api/v1/sso/identities/${items[0].id}`
    const unlinked = await setup.gateway.call("DELETE", path, undefined, { key: one.token })
    expect(unlinked.status).toBe(200)
    expect([await isSignedIn(one.token), await isSignedIn(other.token)]).toEqual([true, false])
    expect((await list(one.token)).body.items).toEqual([])
  })

  it("by unlinking is rejected if the link is the only way to sign in, except for an administrator", async () => {
    const { token } = await newSession()
    const { call } = setup.gateway
    const [identity] = (await call("GET", "/api/v1/sso/identities", undefined, { key: token })).body
      .items
    const path = `/api/v1/sso/identities/${identity.id}`
    expect((await call("DELETE", path, undefined, { key: token })).status).toBe(409)
    const { id } = await setup.fetchAccount(token)
    const byAdmin = `/api/v1/sso/users/${id}/identities/${identity.id}`
    expect((await call("DELETE", byAdmin)).status).toBe(200)
    expect(await isSignedIn(token)).toBe(false)
  })

  it("during linking prevents a link to another account", async () => {
    const user = await setup.gateway.createUser(`Links${sids}`)
    const browser = createBrowser()
    const password = `Links${sids} has a password`
    const signedIn = await setup.gateway.call("POST", "/api/v1/auths/signin", {
      email: user.email,
      password,
    })
    browser.cookies.set("token", signedIn.body.token)
    const linked = await browser.visit(`${setup.gateway.url}/api/v1/sso/okta/link`, "POST")
    const redirect = await redirectOf(linked)
    setup.newPerson({ email: "of-another-name@example.com", email_verified: false })
    const callback = browser.locationOf(await browser.visit(redirect))
    const savedCookies = new Map(browser.cookies)
    browser.cookies.delete("token")
    const refused = browser.locationOf(await browser.visit(callback))
    expect(refused).toContain("problem=session_changed")

    const secondBrowser = createBrowser()
    secondBrowser.cookies.set("token", savedCookies.get("token") ?? "")
    const linkedAgain = await secondBrowser.visit(
      `${setup.gateway.url}/api/v1/sso/okta/link`,
      "POST",
    )
    const callbackUrl = secondBrowser.locationOf(
      await secondBrowser.visit(await redirectOf(linkedAgain)),
    )
    expect(secondBrowser.locationOf(await secondBrowser.visit(callbackUrl))).toBe("/account")
    const { token } = await completeSignOn(setup.gateway)
    expect(await setup.fetchAccount(token)).toMatchObject({ id: user.id })
  })
})
