import type { Page } from "playwright-core"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { adminEmail } from "../../server/test/harness/gateway.ts"
import {
  type IdentityProvider,
  startIdentityProvider,
} from "../../server/test/harness/identity-provider.ts"
import { findFreePort } from "../../server/test/harness/ports.ts"
import { providerEnv } from "../../server/test/sso/provider-env.ts"
import { chooseOption } from "./choose-option.ts"
import { startTestApp, type TestApp } from "./test-app.ts"

const scimToken = "the-identity-providers-own-token"

let provider: IdentityProvider
let app: TestApp

beforeAll(async () => {
  const port = await findFreePort()
  const url = `http://127.0.0.1:${port}`
  provider = await startIdentityProvider(url)
  app = await startTestApp({
    PORT: String(port),
    PUBLIC_URL: url,
    SCIM_ENABLED: "true",
    SCIM_TOKEN: scimToken,
    ...providerEnv(provider, { LABEL: "Harbour SSO", LINK_CLAIM: "oid", PROVISION: "true" }),
  })
})
afterAll(async () => {
  await app.close()
  await provider.close()
})
beforeEach(() => {
  provider.rewriteIdToken = undefined
})

const person = (name: string, claims: Record<string, unknown> = {}): string => {
  const email = `${name}@example.com`
  provider.claimsByUser.set(name, { email, email_verified: true, name, ...claims })
  return email
}

/** Signs in from the gateway's page through the provider's pages. */
const signInAs = async (page: Page, name: string): Promise<void> => {
  await page.getByRole("link", { name: "Sign in with Harbour SSO" }).click()
  await atProvider(page, name)
}

const atProvider = async (page: Page, name: string): Promise<void> => {
  await page.getByPlaceholder("Enter any login").fill(name)
  await page.getByPlaceholder("and password").fill("any")
  await page.getByRole("button", { name: "Sign-in" }).click()
  await page.getByRole("button", { name: "Continue" }).click()
}

const scim = (method: string, path: string, body?: unknown) =>
  app.gateway.call(method, `/api/v1/scim/v2${path}`, body, { key: scimToken })

const makeUser = async (userName: string, externalId: string): Promise<string> => {
  const schemas = ["urn:ietf:params:scim:schemas:core:2.0:User"]
  return (await scim("POST", "/Users", { schemas, userName, externalId })).body.id
}

const problem = (page: Page, title: string | RegExp): Promise<void> =>
  page.getByRole("heading", { name: title }).waitFor()

describe("signing in with a provider", () => {
  it("returns to the requested page with a new account", async () => {
    person("grace", { name: "Grace Hopper" })
    const { page, open } = await app.openSession()
    await open("/account")
    await signInAs(page, "grace")
    await page.getByRole("heading", { name: "Profile" }).waitFor()
    expect(await page.getByLabel("Name").inputValue()).toBe("Grace Hopper")
    await page.getByRole("heading", { name: "Linked accounts" }).waitFor()
    await page.getByText("This is the only way to sign in to your account.").waitFor()
    expect(await page.getByRole("heading", { name: "Password" }).count()).toBe(0)
  })

  it("uses the account provisioned by SCIM", async () => {
    const id = await makeUser("linked@example.com", "object-1")
    person("linked", { oid: "object-1", email: "other@example.com", email_verified: false })
    const { page, open } = await app.openSession()
    await open("/account")
    await signInAs(page, "linked")
    await page.getByText("linked@example.com").first().waitFor()
    const me = await page.request.get(`${app.gateway.url}/api/v1/auths/`)
    expect(await me.json()).toMatchObject({ id, role: "user" })
  })

  it("refuses an unknown state and a reused response", async () => {
    person("alan")
    const { page, open } = await app.openSession()
    await open("/sign-in")
    const callback = page.waitForRequest(/\/callback\?/)
    await signInAs(page, "alan")
    await page.getByRole("link", { name: "New chat" }).first().waitFor()
    const used = (await callback).url()

    const forged = new URL(used)
    forged.searchParams.set("state", "made-by-somebody-else")
    for (const address of [used, forged.href]) {
      const other = await app.openSession()
      await other.page.goto(address)
      await problem(other.page, "This sign-in has expired")
      await other.page.getByRole("link", { name: "Try again" }).waitFor()
    }
    await page.goto(used)
    await problem(page, "This sign-in has expired")
  })

  it("refuses forged and expired tokens", async () => {
    person("mallory")
    const forge = (token: string): string => {
      const [header, claims = "", signature] = token.split(".")
      const text = Buffer.from(claims, "base64url").toString().replace("mallory", "grace")
      return [header, Buffer.from(text).toString("base64url"), signature].join(".")
    }
    const age = (token: string): Promise<string> =>
      provider.signWithClaims(token, { iat: 1_700_000_000, exp: 1_700_000_300 })
    for (const tamper of [forge, age]) {
      provider.rewriteIdToken = tamper
      const { page, open, context } = await app.openSession()
      await open("/sign-in")
      await signInAs(page, "mallory")
      await problem(page, "The response from Harbour SSO couldn't be verified")
      const cookies = await context.cookies(app.gateway.url)
      expect(cookies.map(({ name }) => name)).not.toContain("token")
    }
  })

  it("refuses an unverified email address and says what to do", async () => {
    person("eve", { email: "grace@example.com", email_verified: false })
    const { page, open } = await app.openSession()
    await open("/sign-in")
    await signInAs(page, "eve")
    await problem(page, "Your email address isn't verified")
    await page.getByText("Verify it at Harbour SSO, then sign in again.").waitFor()
  })

  it("refuses a deactivated account with an explanation and does not reactivate it", async () => {
    const id = await makeUser("leaver@example.com", "object-2")
    person("leaver", { oid: "object-2" })
    const { page, open } = await app.openSession()
    await open("/account")
    await signInAs(page, "leaver")
    await page.getByRole("heading", { name: "Profile" }).waitFor()
    expect((await scim("DELETE", `/Users/${id}`)).status).toBe(204)
    await page.reload()
    await page.getByRole("link", { name: "Sign in with Harbour SSO" }).click()
    await problem(page, "This account is deactivated")
    expect((await scim("GET", `/Users/${id}`)).body.active).toBe(false)
  })
})

describe("signing out", () => {
  it("at the provider also ends the gateway's session", async () => {
    person("katherine")
    const { page, open, context } = await app.openSession()
    await open("/account")
    await signInAs(page, "katherine")
    await page.getByRole("heading", { name: "Profile" }).waitFor()
    const there = await context.newPage()
    await there.goto(`${provider.url}/session/end`)
    await there.getByRole("button", { name: "Yes, sign me out" }).click()
    await there.getByText("Sign-out Success").first().waitFor()
    await expect
      .poll(async () => (await page.request.get(`${app.gateway.url}/api/v1/auths/`)).status())
      .toBe(401)
    await page.reload()
    await page.getByRole("heading", { name: "Sign in" }).waitFor()
  })

  it("at the gateway also ends the provider's session and returns", async () => {
    person("edsger")
    const { page, open } = await app.openSession()
    await open("/models")
    await signInAs(page, "edsger")
    await page.getByRole("button", { name: "edsger" }).click()
    await page.getByRole("menuitem", { name: "Sign out" }).click()
    await page.getByRole("button", { name: "Yes, sign me out" }).click()
    await page.waitForURL(/\/sign-in/)
    await page.getByRole("link", { name: "Sign in with Harbour SSO" }).click()
    // The provider asks for the login again, so its session has ended.
    await page.getByPlaceholder("Enter any login").waitFor()
  })
})

describe("an administrator", () => {
  it("sees the values to enter, tests the provider, links an account, and disables passwords", async () => {
    person("boss", { email: adminEmail })
    const { page, open, pageErrors } = await app.asAdmin()
    await open("/admin/sign-on")
    await page.getByText(`${app.gateway.url}/api/v1/sso/okta/callback`).waitFor()
    await page.getByText("OIDC_OKTA_ISSUER").waitFor()
    await page.getByRole("button", { name: "Test provider" }).click()
    await page.getByText(`${provider.url} responds`).waitFor()
    await page.getByText("Signing keys found: 1").waitFor()
    await page.getByText("The client portico is registered").waitFor()
    await chooseOption(page.getByLabel("Password sign-in"), "No one")
    await page.getByRole("button", { name: "Save" }).click()
    await page.getByRole("alert").getByText("Link your own account").waitFor()
    expect(pageErrors).toEqual([])

    // A matching email address alone must not grant administrator rights.
    const stranger = await app.openSession()
    await stranger.open("/sign-in")
    await signInAs(stranger.page, "boss")
    await problem(stranger.page, "An account that matches yours already exists")

    await chooseOption(page.getByLabel("Password sign-in"), "Everyone with a password")
    await open("/account")
    await page.getByRole("button", { name: "Link Harbour SSO" }).click()
    await atProvider(page, "boss")
    await page.getByRole("button", { name: "Unlink" }).waitFor()
    await open("/admin/sign-on")
    await chooseOption(page.getByLabel("Password sign-in"), "No one")
    await page.getByRole("button", { name: "Save" }).click()
    await page.getByText("Saved", { exact: true }).waitFor()

    await stranger.open("/sign-in")
    await stranger.page.getByRole("link", { name: "Sign in with Harbour SSO" }).waitFor()
    expect(await stranger.page.getByLabel("Email").count()).toBe(0)
    await stranger.page.getByRole("link", { name: "Sign in with Harbour SSO" }).click()
    await stranger.page.getByRole("link", { name: "Administration" }).waitFor()
  })
})
