import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { chooseOption } from "./choose-option.ts"
import { startTestApp, type TestApp } from "./test-app.ts"

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.close())

describe("an administrator", () => {
  it("adds a user, resets the password, adds the user to a group, and deletes the user", async () => {
    const { gateway } = app
    const { page, open, pageErrors } = await app.asAdmin()
    await open("/admin/users")
    await page.getByRole("link", { name: "Add user" }).click()
    await page.getByRole("heading", { name: "Add user" }).waitFor()
    await page.getByLabel("Name").fill("Grace Hopper")
    await page.getByLabel("Email").fill("ADA@example.com")
    await page.getByLabel("Password", { exact: true }).fill("short")
    await page.getByRole("button", { name: "Add user" }).click()
    await page.getByText("Use at least 8 characters.", { exact: true }).waitFor()
    await page.getByLabel("Password", { exact: true }).fill("long enough")
    await page.getByRole("button", { name: "Add user" }).click()
    await page.getByRole("alert").getByText("in use").waitFor()
    await page.getByLabel("Email").fill("grace@example.com")
    await page.getByRole("button", { name: "Add user" }).click()

    await page.getByRole("heading", { name: "Grace Hopper" }).waitFor()
    await page.getByLabel("New password").fill("another one")
    await page.getByRole("button", { name: "Set password" }).click()
    await page.getByText("The user's sessions have ended").waitFor()
    const credentials = { email: "grace@example.com", password: "another one" }
    expect((await gateway.call("POST", "/api/v1/auths/signin", credentials)).status).toBe(200)

    await page.getByRole("link", { name: "Groups" }).click()
    await page.getByRole("link", { name: "Create group" }).first().click()
    await page.getByRole("heading", { name: "Create group" }).waitFor()
    await page.getByLabel("Name").fill("Pilots")
    await page.getByRole("switch", { name: "Pays for its members" }).click()
    await page.getByRole("button", { name: "Create group" }).click()
    await page.getByRole("heading", { name: "Pilots" }).waitFor()
    const pays = page.getByRole("switch", { name: "Pays for its members", checked: false })
    await pays.click()
    await page.getByRole("button", { name: "Save", exact: true }).click()
    await page.getByText("Saved", { exact: true }).waitFor()
    const { body: groups } = await gateway.call("GET", "/api/v1/groups")
    expect(groups.items).toMatchObject([{ name: "Pilots", pays: true }])
    await page.getByLabel("Add a member").fill("grace")
    await page.getByRole("option", { name: "Grace Hopper" }).click()
    await page.getByRole("table").getByRole("link", { name: "Grace Hopper" }).click()

    await page.getByRole("button", { name: "Delete user" }).click()
    const dialog = page.getByRole("alertdialog")
    const confirm = dialog.getByRole("button", { name: "Delete user" })
    expect(await confirm.isDisabled()).toBe(true)
    await dialog.getByRole("textbox").fill("grace@example.com")
    await confirm.click()
    await page.getByRole("heading", { name: "Users" }).waitFor()
    await page.getByRole("link", { name: "Grace Hopper" }).waitFor({ state: "detached" })
    expect(pageErrors).toEqual([])
  })

  it("cannot demote the last administrator and is told why", async () => {
    const { page, open } = await app.asAdmin()
    await open("/admin/users?role=admin")
    await page.getByRole("table").getByRole("link").click()
    await page.getByRole("heading", { name: "Portico Administrator" }).waitFor()
    await chooseOption(page.getByLabel("Role"), "User")
    await page.getByRole("button", { name: "Save", exact: true }).click()
    await page.getByRole("alert").getByText("last active administrator").waitFor()
  })

  it("changes a setting, but not one that an environment variable locks", async () => {
    const fixed = await startTestApp({ ENABLE_SIGNUP: "true" })
    try {
      const { page, open } = await fixed.asAdmin()
      await open("/admin/settings")
      await page.getByText("ENABLE_SIGNUP").waitFor()
      expect(await page.getByRole("switch", { name: "Sign-up" }).isDisabled()).toBe(true)
      await page.getByLabel("Session length").fill("7")
      await page.getByText("Unsaved changes").waitFor()
      await page.keyboard.press("Control+s")
      await page.getByText("Saved", { exact: true }).waitFor()
      const { body } = await fixed.gateway.call("GET", "/api/v1/settings")
      expect(body.values.jwt_expires_in).toBe(7 * 86_400)
    } finally {
      await fixed.close()
    }
  })

  it("sees usage by day, model, and user, and downloads it as CSV", async () => {
    const messages = [{ role: "user", content: "hello" }]
    const spy = await app.gateway.createUser("Spy")
    // Spreadsheets would execute it.
    const name = '=HYPERLINK("x")'
    await app.gateway.call("POST", `/api/v1/users/${spy.id}/update`, { name })
    const request = { model: "gpt-fake", messages }
    await app.gateway.call("POST", "/v1/chat/completions", request, { key: spy.key })
    const { page, open } = await app.asAdmin()
    const failures: string[] = []
    page.on("response", (response) => {
      if (!response.ok()) failures.push(`${response.status()} ${response.url()}`)
    })
    await expect
      .poll(async () => (await app.gateway.call("GET", "/api/v1/usage")).body.total, {
        timeout: 10_000,
      })
      .toBe(1)
    await open("/admin/usage")
    await page.getByRole("table").getByText("gpt-fake").waitFor()
    const download = async (): Promise<string> => {
      const downloaded = page.waitForEvent("download")
      await page.getByRole("button", { name: "Download CSV" }).click()
      let text = ""
      for await (const part of await (await downloaded).createReadStream()) text += part
      return text
    }
    expect(await download()).toMatch(
      /^model,cost_usd,requests,errors,unpriced,tokens_in,.*\r\ngpt-fake,0\.000000000,1,0,1,/,
    )
    await chooseOption(page.getByLabel("Group by"), "By user")
    await page.getByRole("table").getByRole("link", { name: "=HYPERLINK" }).waitFor()
    await chooseOption(page.getByLabel("Group by"), "By group")
    await page.getByRole("table").getByText("No group").waitFor()
    await chooseOption(page.getByLabel("Group by"), "By user")
    expect(failures).toEqual([])
    const lines = (await download()).split("\r\n")
    expect(lines[0]).toMatch(/^user,name,email,cost_usd,.*,time_to_first_token_ms,from,to$/)
    const today = new Date().toISOString().slice(0, 10)
    const period = String.raw`\d{4}-\d\d-\d\d,${today}`
    expect(lines[1]).toMatch(
      new RegExp(
        `^[\\w-]+,"'=HYPERLINK\\(""x""\\)",spy@example.com,0\\.000000000,1,0,.*,${period}$`,
      ),
    )
  })
})

describe("a connection", () => {
  it("shows its error while failing and recovers automatically", async () => {
    const { gateway, provider } = app
    const { page, open } = await app.asAdmin()
    await open("/admin/connections/new")
    await page.getByLabel("Name").fill("Second provider")
    await page.getByLabel("Address").fill(provider.url)
    await page.getByLabel("API key").fill("wrong")
    await page.getByRole("button", { name: "Add connection" }).click()
    await page.getByRole("heading", { name: "Second provider" }).waitFor()
    await page.getByText("Failing").waitFor()
    await page.getByRole("button", { name: "Test connection" }).click()
    // With how long it took; the health above shows the sentence alone.
    await page.getByText(/rejected the API key \(status 401\)\. Check the key\. \(\d/).waitFor()

    await page.getByLabel("API key").fill("up-key")
    await page.getByRole("button", { name: "Save", exact: true }).click()
    await page.getByText("Healthy").waitFor()
    expect(await page.content()).not.toContain("up-key")

    await page.getByRole("link", { name: "Connections" }).first().click()
    await page.getByRole("link", { name: "Second provider" }).waitFor()
    const { body } = await gateway.call("GET", "/api/v1/connections")
    expect(body.total).toBe(3)
  })

  it("set by the environment can be tested, but has nothing to save", async () => {
    const { page, open } = await app.asAdmin()
    await open("/admin/connections")
    await page.getByRole("link", { name: new URL(app.provider.url).host }).click()
    await page.getByText("OPENAI_API_BASE_URLS").waitFor()
    await page.getByRole("button", { name: "Test connection" }).click()
    await page.getByText("gpt-fake").waitFor()
    expect(await page.getByLabel("Address").isDisabled()).toBe(true)
    expect(await page.getByLabel("API key").count()).toBe(0)
    expect(await page.getByRole("button", { name: "Save", exact: true }).count()).toBe(0)
  })

  it("describes its error in the user's language", async () => {
    const dead = { kind: "openai", name: "Unplugged", base_url: "http://127.0.0.1:9/v1" }
    await app.gateway.call("POST", "/api/v1/connections/create", dead)
    const { page, open } = await app.asAdmin({ locale: "de-DE" })
    await open("/admin/connections")
    await page.getByRole("link", { name: "Unplugged" }).click()
    const message = "http://127.0.0.1:9/v1 ist nicht erreichbar: Verbindung abgelehnt."
    await page.getByText(message).waitFor()
    await page.getByRole("button", { name: "Verbindung testen" }).click()
    await page.getByRole("status").getByText(message).waitFor()
  })
})

describe("keyboard navigation", () => {
  it("opens any page from the command palette", async () => {
    const { page, open } = await app.asAdmin()
    await open("/models")
    await page.keyboard.press("Control+k")
    await page.getByRole("combobox", { name: /Search pages/ }).waitFor()
    await page.keyboard.type("sett")
    await page.getByRole("option", { name: /Settings/ }).waitFor()
    await page.keyboard.press("Enter")
    await page.getByRole("heading", { name: "Settings" }).waitFor()

    await page.keyboard.press("Control+/")
    await page.getByRole("dialog", { name: "Keyboard shortcuts" }).press("Escape")
    await page.getByRole("dialog").waitFor({ state: "detached" })
  })

  it("starts with a link that skips the sidebar", async () => {
    const { page, open } = await app.asAdmin()
    await open("/models")
    await page.keyboard.press("Tab")
    await page.keyboard.press("Enter")
    expect(await page.evaluate("document.activeElement.id")).toBe("page")
  })
})

describe("an unreachable server", () => {
  it("shows a notice that disappears when the connection is back", async () => {
    const { page, open, context } = await app.asAdmin()
    await open("/admin/connections")
    await page.getByRole("table").waitFor()
    await context.setOffline(true)
    await page.getByText("Connection lost. Reconnecting").waitFor()
    await context.setOffline(false)
    await page.getByText("Connection lost. Reconnecting").waitFor({ state: "detached" })
  })
})
