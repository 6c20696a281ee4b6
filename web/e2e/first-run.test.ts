import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { adminEmail, adminPassword } from "../../server/test/harness/gateway.ts"
import { itInLongForm } from "../../server/test/harness/long-form.ts"
import { startTestApp, type TestApp } from "./test-app.ts"

const noAdmin = { ADMIN_EMAIL: "", ADMIN_PASSWORD: "", ADMIN_API_KEY: "" }

describe("a first run", () => {
  let app: TestApp
  beforeAll(async () => {
    app = await startTestApp({
      ...noAdmin,
      OPENAI_API_BASE_URLS: "",
      OPENAI_API_KEYS: "",
      OLLAMA_BASE_URLS: ";",
    })
  })
  afterAll(() => app.close())

  it("guides to an account, a provider, and a chat", async () => {
    const { page, open, context, pageErrors } = await app.openSession()
    await open("/models")
    await page.getByRole("heading", { name: "Welcome to Portico" }).waitFor()
    await page.getByRole("button", { name: "Create administrator account" }).click()
    await page.getByText("Enter a name.").waitFor()

    await page.getByLabel("Name").fill("Ada Lovelace")
    await page.keyboard.press("Tab")
    await page.keyboard.type("ada@example.com")
    await page.keyboard.press("Tab")
    await page.keyboard.type("correct horse")
    await page.keyboard.press("Enter")

    await page.getByRole("heading", { name: "Connect models" }).waitFor()
    await page.getByRole("button", { name: "Other" }).click()
    await page.getByLabel("Address").fill("api.example.com")
    await page.getByRole("button", { name: "Test connection" }).click()
    await page.getByText("Enter an address that starts with http://").waitFor()
    await page.getByLabel("Address").fill(app.provider.url)
    await page.getByText("Enter an address that starts with http://").waitFor({ state: "detached" })
    await page.getByLabel("API key").fill("wrong")
    await page.getByRole("button", { name: "Connect", exact: true }).click()
    await page.getByText("rejected the API key (status 401)").waitFor()
    await page.getByLabel("API key").fill("up-key")
    await page.getByRole("button", { name: "Test connection" }).click()
    await page.getByText("Connected;").waitFor()
    await page.getByRole("button", { name: "Connect", exact: true }).click()
    await page.getByText("models are ready").waitFor()
    const connections = await context.request.get(`${app.gateway.url}/api/v1/connections`)
    const host = new URL(app.provider.url).host
    // Created once although the first attempt had a wrong key; named after its host.
    expect((await connections.json()).items).toMatchObject([{ name: host }])
    await page.getByRole("link", { name: "Start chatting" }).click()
    await page.waitForURL(`${app.gateway.url}/`)
    expect(pageErrors).toEqual([])
  })
})

describe("a first run on a public address", () => {
  itInLongForm("requires the setup code from the log", async () => {
    const app = await startTestApp({ ...noAdmin, PUBLIC_URL: "http://models.example.com" })
    try {
      const { page, open } = await app.openSession()
      await open("/")
      await page.getByLabel("Name").fill("Ada Lovelace")
      await page.getByLabel("Email").fill("ada@example.com")
      await page.getByLabel("Password", { exact: true }).fill("correct horse")
      await page.getByRole("button", { name: "Create administrator account" }).click()
      await page.getByText("Enter the setup code, which").waitFor()
      const { msg } = app.gateway.logLines.find(({ msg }) => /setup code/.test(String(msg))) ?? {}
      await page.getByLabel("Setup code").fill(String(msg).split("setup code ")[1] ?? "")
      await page.keyboard.press("Enter")
      await page.getByRole("heading", { name: "Connect models" }).waitFor()
    } finally {
      await app.close()
    }
  })
})

describe("signing in and out", () => {
  let app: TestApp
  beforeAll(async () => {
    app = await startTestApp()
  })
  afterAll(() => app.close())

  itInLongForm(
    "reports a wrong password, returns to the requested page, and ends the session on sign-out",
    async () => {
      const { page, open, context } = await app.openSession()
      await open("/account/keys")
      await page.getByLabel("Email").fill(adminEmail)
      await page.getByLabel("Password", { exact: true }).fill("not this")
      await page.getByRole("button", { name: "Sign in" }).click()
      await page.getByRole("alert").waitFor()
      await page.getByLabel("Password", { exact: true }).fill(adminPassword)
      await page.getByRole("button", { name: "Sign in" }).click()
      await page.getByRole("heading", { name: "API keys" }).waitFor()

      const [cookie] = await context.cookies()
      await page.getByRole("button", { name: "Portico Administrator" }).click()
      await page.getByRole("menuitem", { name: "Sign out" }).click()
      await page.getByRole("heading", { name: "Sign in" }).waitFor()
      const { status } = await app.gateway.call("GET", "/api/v1/auths/", undefined, {
        key: cookie?.value ?? "",
      })
      expect(status).toBe(401)
    },
  )

  itInLongForm("never redirects to another site", async () => {
    const { page, open } = await app.asAdmin()
    await open("/sign-in?back=%2F%2Fevil.example%2F")
    expect(new URL(page.url()).origin).toBe(app.gateway.url)
  })

  itInLongForm("lets a new account in once an administrator has approved it", async () => {
    const { gateway } = app
    await gateway.call("POST", "/api/v1/settings", { enable_signup: true })
    const grace = await app.openSession()
    await grace.open("/")
    await grace.page.getByRole("link", { name: "Create account" }).click()
    await grace.page.getByLabel("Name").fill("Grace Hopper")
    await grace.page.getByLabel("Email").fill("grace@example.com")
    await grace.page.getByLabel("Password", { exact: true }).fill("a good password")
    await grace.page.getByRole("button", { name: "Create account" }).click()
    await grace.page.getByRole("heading", { name: "Waiting for approval" }).waitFor()

    const admin = await app.asAdmin()
    await admin.open("/admin/users?role=pending")
    await admin.page.getByRole("button", { name: "Approve Grace Hopper" }).click()
    await admin.page.getByText("No results").waitFor()
    await grace.page.getByRole("link", { name: "Models" }).waitFor()
    expect(await grace.page.getByRole("link", { name: "Administration" }).count()).toBe(0)
  })

  itInLongForm("uses the browser's language or the chosen one", async () => {
    const { page, open } = await app.openSession({ locale: "de-DE" })
    await open("/")
    await page.getByRole("heading", { name: "Anmelden" }).waitFor()
    expect(await page.locator("html").getAttribute("lang")).toBe("de")
    await page.getByRole("button", { name: "English" }).click()
    await page.getByRole("heading", { name: "Sign in" }).waitFor()
    await page.reload()
    await page.getByRole("heading", { name: "Sign in" }).waitFor()
  })
})
