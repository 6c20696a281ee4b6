import { rmSync } from "node:fs"
import { type Browser, chromium, type Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest"
import { chromiumPath } from "../../../web/e2e/chromium.ts"
import { startGateway, type TestGateway } from "../harness/gateway.ts"
import { findFreePort } from "../harness/ports.ts"
import { waitFor } from "../harness/usage-records.ts"
import { providerEnv } from "../sso/provider-env.ts"
import { clientSecret, keycloakVersion, password, startKeycloak } from "./keycloak.ts"

const scimToken = "the-token-of-the-identity-provider"
const minute = 60_000

describe(`Keycloak ${keycloakVersion}`, () => {
  let keycloak: Awaited<ReturnType<typeof startKeycloak>>
  let gateway: TestGateway
  let browser: Browser

  beforeAll(async () => {
    const port = await findFreePort()
    const url = `http://127.0.0.1:${port}`
    keycloak = await startKeycloak(url)
    gateway = await startGateway({
      PORT: String(port),
      PUBLIC_URL: url,
      SCIM_ENABLED: "true",
      SCIM_TOKEN: scimToken,
      ...providerEnv(
        { url: keycloak.issuer, clientId: "portico", clientSecret },
        { LINK_CLAIM: "sub", PROVISION: "true", GROUPS_CLAIM: "groups", LABEL: "Harbour" },
        "KEYCLOAK",
      ),
    })
    browser = await chromium.launch({
      executablePath: chromiumPath,
      args: ["--no-sandbox", "--disable-background-networking"],
    })
  })
  afterAll(async () => {
    await browser?.close()
    await gateway?.stop()
    await keycloak?.stop()
    if (gateway) rmSync(gateway.dataDir, { recursive: true, force: true })
  })

  const visit = async (): Promise<Page> => {
    const context = await browser.newContext({ locale: "en-US" })
    onTestFinished(() => context.close())
    const page = await context.newPage()
    page.setDefaultTimeout(2 * minute)
    return page
  }

  /** Signs in through Keycloak's page and returns to the gateway. */
  const signIn = async (page: Page, username: string): Promise<void> => {
    await page.goto(`${gateway.url}/api/v1/sso/keycloak/start`)
    await page.locator("#username").fill(username)
    await page.locator("#password").fill(password)
    await page.locator("#kc-login").click()
    await page.waitForURL((address) => address.href.startsWith(gateway.url))
  }

  const me = async (page: Page) => {
    const reply = await page.request.get(`${gateway.url}/api/v1/auths/`)
    return { status: reply.status(), body: await reply.json() }
  }
  const ended = (page: Page) => waitFor(async () => (await me(page)).status === 401, minute)
  const refused = (page: Page) =>
    waitFor(async () => gateway.logLines.find(({ msg }) => msg === "sign-on refused") && page.url())

  it("passes the administrators' connection test once it is warm", async () => {
    // Its first responses take longer than the gateway's timeout.
    await waitFor(async () => {
      const { body } = await gateway.call("POST", "/api/v1/sso/providers/keycloak/test")
      return body.ok
    }, 3 * minute)
  })

  it("signs a user in, creates the account, and adds it to the groups of the token", async () => {
    const created = await gateway.call("POST", "/api/v1/groups/create", { name: "Engineers" })
    const page = await visit()
    await signIn(page, "grace")
    const { status, body } = await me(page)
    expect([status, body.email, body.role]).toEqual([200, "grace@example.com", "user"])
    const group = await gateway.call("GET", `/api/v1/groups/${created.body.id}/members`)
    expect(JSON.stringify(group.body)).toContain(body.id)
  })

  it("signs in to the account that SCIM created", async () => {
    const externalId = await keycloak.idOf("linked")
    const schemas = ["urn:ietf:params:scim:schemas:core:2.0:User"]
    const user = { schemas, userName: "provisioned@example.com", externalId }
    const created = await gateway.call("POST", "/api/v1/scim/v2/Users", user, { key: scimToken })
    const page = await visit()
    await signIn(page, "linked")
    expect((await me(page)).body).toMatchObject({
      id: created.body.id,
      email: "provisioned@example.com",
    })
    const ops = [{ op: "replace", path: "active", value: false }]
    const patch = { schemas: ["urn:ietf:params:scim:api:messages:2.0:PatchOp"], Operations: ops }
    await gateway.call("PATCH", `/api/v1/scim/v2/Users/${created.body.id}`, patch, {
      key: scimToken,
    })
    await ended(page)
  })

  it("ends its session when the user signs out of the gateway", async () => {
    const page = await visit()
    await signIn(page, "leaver")
    const id = await keycloak.idOf("leaver")
    const sessions = () => keycloak.call("GET", `/harbour/users/${id}/sessions`)
    expect(await sessions()).toHaveLength(1)
    const origin = { origin: gateway.url }
    const out = await page.request.post(`${gateway.url}/api/v1/sso/signout`, { headers: origin })
    const { redirect } = await out.json()
    await page.goto(redirect)
    const confirm = page.locator("#kc-logout")
    if (await confirm.isVisible()) await confirm.click()
    await page.waitForURL(`${gateway.url}/sign-in**`)
    expect(await sessions()).toHaveLength(0)
    expect((await me(page)).status).toBe(401)
  })

  it("ends the gateway's session when an administrator ends the session in Keycloak", async () => {
    const page = await visit()
    await signIn(page, "ended")
    expect((await me(page)).status).toBe(200)
    await keycloak.call("POST", `/harbour/users/${await keycloak.idOf("ended")}/logout`)
    await ended(page)
  })

  it("signs users in after its keys have been rotated", async () => {
    await signIn(await visit(), "rotated")
    const { id } = await keycloak.call("GET", "/harbour")
    await keycloak.call("POST", "/harbour/components", {
      name: "newer",
      providerId: "rsa-generated",
      providerType: "org.keycloak.keys.KeyProvider",
      parentId: id,
      config: { priority: ["500"], enabled: ["true"], active: ["true"], algorithm: ["RS256"] },
    })
    // Keys fetched within the last minute are not fetched again.
    await waitFor(async () => {
      const page = await visit()
      await signIn(page, "rotated")
      return (await me(page)).status === 200
    }, 3 * minute)
  })

  it("tolerates a clock difference of a few seconds, but not more", async () => {
    for (const [shift, lets] of [
      [-20_000, true],
      [20_000, true],
      [20 * minute, false],
    ] as const) {
      const page = await visit()
      await page.goto(`${gateway.url}/api/v1/sso/keycloak/start`)
      await page.locator("#username").fill("late")
      await page.locator("#password").fill(password)
      vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + shift })
      await page.locator("#kc-login").click()
      await page.waitForURL((address) => address.href.startsWith(gateway.url))
      if (lets) expect((await me(page)).status).toBe(200)
      else await refused(page)
      vi.useRealTimers()
    }
  })

  it("affects only sign-ins while it is unavailable", async () => {
    await keycloak.stop()
    const { body } = await gateway.call("POST", "/api/v1/sso/providers/keycloak/test")
    expect(body.ok).toBe(false)
    expect((await gateway.call("GET", "/api/v1/auths/")).status).toBe(200)
  })
})
