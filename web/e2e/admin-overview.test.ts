import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { hideTable } from "../../server/test/harness/hidden-table.ts"
import { chooseOption } from "./choose-option.ts"
import { startTestApp, type TestApp } from "./test-app.ts"
import { waitForLoaded } from "./wait-for-loaded.ts"

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.close())

describe("the administration", () => {
  it("shows the overview's final layout while it loads", async () => {
    const { page, open } = await app.asAdmin()
    let release = (): void => undefined
    const released = new Promise<void>((resolve) => (release = resolve))
    await page.route(/\/admin\/overview$|\/usage\?/, async (route) => {
      await released
      await route.continue()
    })
    await open("/admin")
    const topsOf = (): Promise<(number | undefined)[]> =>
      Promise.all(
        ["Status", "Last backup", "Last 7 days"].map(
          async (text) => (await page.getByText(text, { exact: true }).boundingBox())?.y,
        ),
      )
    await page.getByText("Last 7 days", { exact: true }).waitFor()
    const before = await topsOf()
    release()
    await page.getByText("SQLite,").waitFor()
    expect(await topsOf()).toEqual(before)
  })

  it("opens with an overview that leads to what needs attention", async () => {
    const { gateway } = app
    const grace = await gateway.createUser("Grace")
    await gateway.call("POST", `/api/v1/users/${grace.id}/update`, { role: "pending" })
    const dead = { kind: "openai", name: "Dead provider", base_url: "http://127.0.0.1:9/v1" }
    await gateway.call("POST", "/api/v1/connections/create", dead)
    const { page, open, pageErrors } = await app.asAdmin()
    await open("/")
    await page.getByRole("link", { name: "Administration" }).click()
    await page.getByRole("heading", { name: "Overview" }).waitFor()
    const backup = page.getByRole("listitem").filter({ hasText: "There is no backup yet." })
    await backup.getByText("server/src/backup.ts").waitFor()
    await backup.getByRole("button", { name: "Copy command" }).click()
    await backup.getByRole("button", { name: "Copied" }).waitFor()
    await page.getByText("SQLite,").waitFor()
    const item = page.getByRole("listitem").filter({ hasText: "1 person is waiting for approval." })
    await item.getByRole("link", { name: "Review" }).click()
    await page.getByRole("heading", { name: "Users" }).waitFor()
    await page.getByRole("table").getByText("grace@example.com").waitFor()
    expect(pageErrors).toEqual([])
  })

  it("says that the functions could not be reloaded, until they are", async () => {
    const { db, bus } = app.gateway.gateway
    const bringBack = await hideTable(db, "functions")
    await db.transact((tx) => bus.publish(tx, { topic: "functions" }))
    const { page, open, pageErrors } = await app.asAdmin()
    await open("/admin")
    const item = page
      .getByRole("listitem")
      .filter({ hasText: "The functions couldn't be reloaded. The previous ones stay in use" })
    await item.getByText("no such table: functions").waitFor()
    await bringBack()
    await expect
      .poll(async () => {
        await page.reload()
        await page.getByText("SQLite,").waitFor()
        return item.count()
      })
      .toBe(0)
    expect(pageErrors).toEqual([])
  })

  it("reaches each page in one click, and names it in a menu if the window is narrow", async () => {
    const { page, open } = await app.asAdmin()
    await open("/admin")
    const navigation = page.getByRole("navigation", { name: "Administration" })
    const names = await navigation.getByRole("link").allInnerTexts()
    expect(names).toContain("Audit log")
    const edges = new Set<number | undefined>()
    for (const name of names) {
      await navigation.getByRole("link", { name, exact: true }).click()
      const heading = page.getByRole("heading", { level: 1, name, exact: true })
      await heading.waitFor()
      edges.add((await heading.boundingBox())?.x)
    }
    // Lists and forms begin at the same edge.
    expect(edges.size).toBe(1)
    await page.setViewportSize({ width: 390, height: 800 })
    await navigation.getByRole("button", { name: "Settings" }).click()
    await page.getByRole("menuitem", { name: "Groups" }).click()
    await page.getByRole("heading", { name: "Groups", exact: true }).waitFor()
    await waitForLoaded(page)
    await navigation.getByRole("button", { name: "Groups" }).waitFor()
  })
})

const openAsUser = async (name: string) => {
  const user = await app.gateway.createUser(name)
  const session = await app.openSession()
  const data = { email: user.email, password: `${name} has a password` }
  await session.context.request.post(`${app.gateway.url}/api/v1/auths/signin`, { data })
  return session
}

describe("the settings", () => {
  it("put a notice above every page, which each reader can dismiss until it changes", async () => {
    const admin = await app.asAdmin()
    await admin.open("/admin/settings")
    await admin.page.getByLabel("Text", { exact: true }).fill("Maintenance <b>tonight</b>")
    await chooseOption(admin.page.getByLabel("Type"), "Warning")
    await admin.page.keyboard.press("Control+s")
    const noticeOf = ({ page }: { page: typeof admin.page }) =>
      page.getByRole("complementary", { name: "Notice" })
    await noticeOf(admin).getByText("Maintenance <b>tonight</b>").waitFor()

    const reader = await openAsUser("Rosa")
    await reader.open("/models")
    await noticeOf(reader).getByText("Maintenance <b>tonight</b>").waitFor()
    await noticeOf(reader).getByRole("button", { name: "Dismiss notice" }).click()
    await noticeOf(reader).waitFor({ state: "detached" })
    await reader.page.reload()
    await reader.page.getByRole("heading", { name: "Models" }).waitFor()
    expect(await noticeOf(reader).count()).toBe(0)
    await app.gateway.call("POST", "/api/v1/settings", { banner: "Maintenance tomorrow" })
    await reader.page.reload()
    await noticeOf(reader).getByText("Maintenance tomorrow").waitFor()
    await app.gateway.call("POST", "/api/v1/settings", { banner: "" })
    expect(reader.pageErrors).toEqual([])
  })

  it("choose the model of new chats, unless the user has used another one", async () => {
    const admin = await app.asAdmin()
    await admin.open("/admin/settings")
    await app.gateway.call("POST", "/api/v1/models/create", {
      id: "disabled-pilot",
      name: "Disabled pilot",
      base_model_id: "gpt-fake",
      is_active: false,
    })
    const offered = async (query: string): Promise<string[]> => {
      await admin.page.getByLabel("Default model").fill(query)
      await admin.page.getByText("No results").or(admin.page.getByRole("option")).first().waitFor()
      return admin.page.getByRole("option").allInnerTexts()
    }
    expect(await offered("nomic")).toEqual([])
    expect(await offered("disabled")).toEqual([])
    await admin.page.getByLabel("Default model").fill("llama3.2")
    await admin.page.getByRole("option", { name: "llama3.2" }).first().click()
    await admin.page.keyboard.press("Control+s")
    await admin.page.getByText("Saved", { exact: true }).waitFor()

    const reader = await openAsUser("Lise")
    await reader.open("/")
    await reader.page.getByRole("button", { name: "llama3.2" }).first().waitFor()
    await reader.open("/?model=gpt-fake")
    await reader.page.getByLabel("Message", { exact: true }).fill("hello")
    await reader.page.keyboard.press("Enter")
    await reader.page.getByText("You said: hello").waitFor()
    await reader.open("/")
    await reader.page.getByRole("button", { name: "gpt-fake" }).first().waitFor()
    await app.gateway.call("POST", "/api/v1/settings", { default_model: "" })
  })
})

describe("an invitation", () => {
  it("lets a person create an account once, while sign-up is off", async () => {
    const { gateway } = app
    await gateway.call("POST", "/api/v1/groups/create", { name: "Pilots" })
    const admin = await app.asAdmin()
    await admin.open("/admin/invitations")
    await admin.page.getByRole("link", { name: "Create invitation" }).first().click()
    await admin.page.getByLabel("Email").fill("amelia@example.com")
    await admin.page.getByRole("combobox", { name: "Groups" }).fill("pil")
    await admin.page.getByRole("option", { name: "Pilots" }).waitFor()
    await admin.page.keyboard.press("Enter")
    await admin.page.getByRole("button", { name: "Remove Pilots" }).waitFor()
    await admin.page.getByRole("button", { name: "Create invitation" }).click()
    await admin.page.getByRole("heading", { name: "The invitation is ready" }).waitFor()
    const link = await admin.page.locator("[data-secret]").innerText()

    const visitor = await app.openSession()
    const failures: string[] = []
    visitor.page.on("response", (response) => {
      if (!response.ok()) failures.push(`${response.status()} ${response.url()}`)
    })
    await visitor.page.goto(link)
    await visitor.page.getByRole("heading", { name: "You're invited" }).waitFor()
    const email = visitor.page.getByLabel("Email")
    await email.waitFor()
    expect(await email.inputValue()).toBe("amelia@example.com")
    expect(await email.isDisabled()).toBe(true)
    await visitor.page.getByLabel("Name").fill("Amelia")
    await visitor.page.getByLabel("Password", { exact: true }).fill("over the Atlantic")
    await visitor.page.keyboard.press("Enter")
    await visitor.page.getByLabel("Message", { exact: true }).waitFor()
    await visitor.page.getByRole("button", { name: "Amelia" }).waitFor()
    expect(failures).toEqual([])

    const another = await app.openSession()
    await another.page.goto(link)
    await another.page.getByRole("heading", { name: "This invitation was already used" }).waitFor()
    await admin.page.getByRole("link", { name: "Done" }).click()
    const row = admin.page.getByRole("row").filter({ hasText: "amelia@example.com" })
    await row.getByRole("cell", { name: "Used", exact: true }).waitFor()
    expect([...admin.pageErrors, ...visitor.pageErrors, ...another.pageErrors]).toEqual([])
  })

  it("stops working when it is revoked", async () => {
    const { body } = await app.gateway.call("POST", "/api/v1/invitations/create", {})
    const admin = await app.asAdmin()
    await admin.open("/admin/invitations")
    await admin.page
      .getByRole("button", { name: "Revoke the invitation for Anyone with the link" })
      .click()
    const dialog = admin.page.getByRole("alertdialog")
    await dialog.getByRole("button", { name: "Revoke invitation" }).click()
    await admin.page.getByRole("row").filter({ hasText: "Revoked" }).waitFor()
    const visitor = await app.openSession()
    await visitor.page.goto(`${app.gateway.url}/invite#${body.token}`)
    await visitor.page.getByRole("heading", { name: "This invitation was revoked" }).waitFor()
    await visitor.page.goto(`${app.gateway.url}/invite#wrong`)
    await visitor.page.getByText("incomplete or was deleted").waitFor()
    await visitor.page.goto(`${app.gateway.url}/invite`)
    await visitor.page.getByRole("heading", { name: "invitation link is incomplete" }).waitFor()
  })
})
