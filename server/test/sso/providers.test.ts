import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { readConfig } from "../../src/config/config.ts"
import { type FakeIssuer, startFakeIssuer } from "../fakes/oidc-issuer.ts"
import { adminEmail, adminPassword, type TestGateway } from "../harness/gateway.ts"
import { providerEnv } from "./provider-env.ts"
import { completeSignOn, problemInUrl, startSignOnGateway } from "./sign-on-setup.ts"

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

describe("single sign-on settings", () => {
  const one = {
    PUBLIC_URL: "https://models.example.com",
    OIDC_OKTA_ISSUER: "https://example.okta.com",
    OIDC_OKTA_CLIENT_ID: "portico",
  }

  it("define several providers separately, with defaults", () => {
    const { signOn: providers } = readConfig({
      ...one,
      OIDC_OUR_ENTRA_ISSUER: "https://login.microsoftonline.com/8d4e/v2.0",
      OIDC_OUR_ENTRA_CLIENT_ID: "id",
      OIDC_OUR_ENTRA_CLIENT_SECRET: "secret",
      OIDC_OUR_ENTRA_LINK_CLAIM: "oid",
      OIDC_OUR_ENTRA_ALLOWED_DOMAINS: "Example.com, example.org",
      OIDC_OUR_ENTRA_PROVISION: "off",
      OIDC_OUR_ENTRA_LABEL: "Work",
    })
    expect(providers).toEqual([
      {
        name: "okta",
        label: "Okta",
        issuer: "https://example.okta.com",
        client_id: "portico",
        client_secret: null,
        scopes: ["openid", "profile", "email"],
        link_claim: null,
        link_email: true,
        email_claim: null,
        trust_email: false,
        allowed_domains: [],
        provision: true,
        groups_claim: null,
        groups_separator: null,
      },
      expect.objectContaining({
        name: "our-entra",
        label: "Work",
        client_secret: "secret",
        link_claim: "oid",
        allowed_domains: ["example.com", "example.org"],
        provision: false,
      }),
    ])
  })

  it("leave account creation to SCIM unless configured otherwise", () => {
    const scim = { SCIM_ENABLED: "true", SCIM_TOKEN: "a-token" }
    const provision = (env: object) => readConfig({ ...one, ...scim, ...env }).signOn[0]?.provision
    expect(provision({})).toBe(false)
    expect(provision({ OIDC_OKTA_PROVISION: "true" })).toBe(true)
  })

  it.each<[wrong: Record<string, string>, said: string]>([
    [{ PUBLIC_URL: "" }, "PUBLIC_URL is required with OIDC_…"],
    [{ OIDC_OKTA_ISSUER: "" }, "OIDC_OKTA_ISSUER is required"],
    [{ OIDC_OKTA_CLIENT_ID: "" }, "OIDC_OKTA_CLIENT_ID is required"],
    [{ OIDC_OKTA_ISSUER: "http://example.okta.com" }, "must be an https URL"],
    [{ OIDC_OKTA_ISSUER: "example.okta.com" }, "must be an https URL"],
    [{ OIDC_OKTA_ISSUER: "https://login.microsoftonline.com/common/v2.0" }, "your tenant's id"],
    [{ OIDC_OKTA_ISSUER: "https://accounts.google.com" }, "OIDC_OKTA_ALLOWED_DOMAINS is required"],
    [{ OIDC_OKTA_ISSSUER: "https://x.example" }, "OIDC_OKTA_ISSSUER is unknown"],
    [{ OIDC_OKTA_SCOPES: "profile email" }, "must include the scope openid"],
    [{ OIDC_OKTA_PROVISION: "maybe" }, 'must be true or false (got "maybe")'],
    [{ OIDC_OKTA_ALLOWED_DOMAINS: "ada@example.com" }, "must be email domains"],
    [{ OIDC_OKTA_LINK_CLAIM: "two words" }, "must be the name of a claim"],
    [
      { OIDC_OKTA_ISSUER: "", OIDC_OKTA_CLIENT_ID: "", PASSWORD_SIGN_IN: "off" },
      "PASSWORD_SIGN_IN=off requires a provider",
    ],
    [{ PASSWORD_SIGN_IN: "sometimes" }, "PASSWORD_SIGN_IN"],
  ])("are rejected at startup, by name: %o", (invalidSettings, message) => {
    expect(() => readConfig({ ...one, ...invalidSettings })).toThrow(message)
  })

  it("are all reported together", () => {
    const invalidSettings = { ...one, PORT: "x", OIDC_OKTA_SCOPES: "email", OIDC_B_CLIENT_ID: "b" }
    const message = /PORT[\s\S]*OIDC_OKTA_SCOPES[\s\S]*OIDC_B_ISSUER/
    expect(() => readConfig(invalidSettings)).toThrow(message)
  })
})

describe("a failing provider", () => {
  let workingIssuer: FakeIssuer
  let failingIssuer: FakeIssuer
  let gateway: TestGateway

  beforeAll(async () => {
    ;[workingIssuer, failingIssuer] = await Promise.all([startFakeIssuer(), startFakeIssuer()])
    await failingIssuer.pause()
    gateway = await startSignOnGateway({
      ...providerEnv(workingIssuer),
      ...providerEnv(failingIssuer, {}, "ILL"),
    })
    const person = { sub: "grace", email: "grace@example.com", email_verified: true }
    workingIssuer.user = person
    failingIssuer.user = { ...person, sub: "ill grace", email: "ill@example.com" }
  })
  afterAll(() => Promise.all([gateway.stop(), workingIssuer.close(), failingIssuer.close()]))

  it("is not contacted before someone signs in, and does not delay others", async () => {
    expect(workingIssuer.requestedUrls).toEqual([])
    const startedAt = performance.now()
    expect(problemInUrl((await completeSignOn(gateway, { provider: "ill" })).location)).toBe(
      "provider_unreachable",
    )
    expect((await completeSignOn(gateway)).location).toBe("/")
    const { body } = await gateway.call("GET", "/api/config", undefined, { key: null })
    expect(body.sign_on).toEqual([
      { name: "okta", label: "Okta" },
      { name: "ill", label: "Ill" },
    ])
    expect(performance.now() - startedAt).toBeLessThan(5000)
  })

  it("works again once reachable, and its test reports the problem until then", async () => {
    const runProviderTest = async () =>
      (await gateway.call("POST", "/api/v1/sso/providers/ill/test")).body
    expect(await runProviderTest()).toMatchObject({
      ok: false,
      checks: [{ id: "discovery", message: expect.stringContaining("Can't reach") }],
    })
    await failingIssuer.resume()
    expect(await runProviderTest()).toMatchObject({ ok: true })
    expect((await completeSignOn(gateway, { provider: "ill" })).location).toBe("/")
  })

  it("is reported by its test if it rejects the credentials or names another issuer", async () => {
    const runProviderTest = async () =>
      (await gateway.call("POST", "/api/v1/sso/providers/okta/test")).body.checks
    const secret = workingIssuer.clientSecret
    workingIssuer.clientSecret = "another"
    expect((await runProviderTest()).at(-1)).toMatchObject({
      id: "client",
      ok: false,
      message: expect.stringContaining("rejected the client ID or secret"),
    })
    workingIssuer.clientSecret = secret
    const { url } = workingIssuer
    workingIssuer.url = `${url}/tenant`
    expect(await runProviderTest()).toMatchObject([
      {
        ok: false,
        message: `The provider's issuer is ${url}/tenant. Set OIDC_OKTA_ISSUER to exactly that.`,
      },
    ])
    workingIssuer.url = url
  })

  it("leads to an error page, as does an unknown provider", async () => {
    const { location } = await completeSignOn(gateway, { provider: "nobody" })
    expect(problemInUrl(location)).toBe("unknown_provider")
  })
})

describe("without any account", () => {
  it("sign-on is rejected, so that the first account remains the administrator's", async () => {
    const issuer = await startFakeIssuer()
    const nobody = { ADMIN_EMAIL: "", ADMIN_PASSWORD: "", ADMIN_API_KEY: "" }
    const gateway = await startSignOnGateway({ ...providerEnv(issuer), ...nobody })
    try {
      issuer.user = { sub: "eve", email: "eve@example.com", email_verified: true }
      expect(problemInUrl((await completeSignOn(gateway)).location)).toBe("no_administrator")
      const { body } = await gateway.call("GET", "/api/config", undefined, { key: null })
      expect(body.first_run).toBe(true)
    } finally {
      await gateway.stop()
      await issuer.close()
    }
  })
})

describe("passwords with single sign-on", () => {
  let issuer: FakeIssuer
  let gateway: TestGateway
  let user: { id: string; email: string; key: string }
  const dataDir = mkdtempSync(join(tmpdir(), "portico-"))

  const signIn = (email: string, password: string) =>
    gateway.call("POST", "/api/v1/auths/signin", { email, password }, { key: null })
  const setPasswordSignIn = (password_sign_in: string) =>
    gateway.call("POST", "/api/v1/settings", { password_sign_in })

  beforeAll(async () => {
    issuer = await startFakeIssuer()
    gateway = await startSignOnGateway({ ...providerEnv(issuer), DATA_DIR: dataDir })
    user = await gateway.createUser("Margaret")
  })
  afterAll(async () => {
    await Promise.all([gateway.stop(), issuer.close()])
    rmSync(dataDir, { recursive: true, force: true })
  })

  it("can be limited to administrators, without revealing who is one", async () => {
    expect((await setPasswordSignIn("administrators")).status).toBe(200)
    expect((await signIn(adminEmail, adminPassword)).status).toBe(200)
    expect((await signIn(user.email, "Margaret has a password")).status).toBe(403)
    const invalidSettings = await Promise.all([
      signIn(user.email, "wrong"),
      signIn(adminEmail, "wrong"),
    ])
    expect(invalidSettings.map(({ status }) => status)).toEqual([401, 401])
    const { body } = await gateway.call("GET", "/api/config", undefined, { key: null })
    expect(body.password_sign_in).toBe("administrators")
  })

  it("can be disabled only by an administrator with a linked account; API keys still work", async () => {
    const refused = await setPasswordSignIn("off")
    expect([refused.status, refused.body.detail]).toEqual([
      409,
      expect.stringContaining("Link your own account"),
    ])
    const [admin] = (await gateway.call("GET", "/api/v1/users/?role=admin")).body.items
    await gateway.gateway.db.transact(async (tx) => {
      const link = { id: "tie", user_id: admin.id, provider: "okta", issuer: issuer.url }
      const rest = { subject: "admin", email: null, created_at: 1, last_used_at: null }
      await tx
        .insertInto("identities")
        .values({ ...link, ...rest })
        .execute()
    })
    expect((await setPasswordSignIn("off")).status).toBe(200)
    expect((await signIn(adminEmail, adminPassword)).body.code).toBe("password_sign_in_off")
    issuer.user = { sub: "admin" }
    const { token } = await completeSignOn(gateway)
    const me = await gateway.call("GET", "/api/v1/auths/", undefined, { key: token ?? "" })
    expect(me.body).toMatchObject({ id: admin.id, role: "admin" })
    const models = await gateway.call("GET", "/api/models", undefined, { key: user.key })
    expect(models.status).toBe(200)
    const list = await gateway.call("GET", "/api/v1/sso/providers")
    expect(list.body.items[0]).toMatchObject({ accounts: 1, has_secret: true })
    expect(JSON.stringify(list.body)).not.toContain(issuer.clientSecret)
  })

  it("can be re-enabled by the environment variable, and without a provider", async () => {
    await gateway.stop()
    const stopped = { ...providerEnv(issuer), DATA_DIR: dataDir }
    for (const env of [{ ...stopped, PASSWORD_SIGN_IN: "on" }, { DATA_DIR: dataDir }]) {
      gateway = await startSignOnGateway(env)
      expect((await signIn(adminEmail, adminPassword)).status).toBe(200)
      await gateway.stop()
    }
    gateway = await startSignOnGateway(stopped)
    expect((await signIn(adminEmail, adminPassword)).status).toBe(403)
  })
})
