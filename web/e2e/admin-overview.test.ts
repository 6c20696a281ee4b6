import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { startTestApp, type TestApp } from "./test-app.ts"
import { waitForLoaded } from "./wait-for-loaded.ts"

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.close())

describe("the administration", () => {
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
    await page.getByText("There is no backup yet.").waitFor()
    await page.getByText("SQLite,").waitFor()
    const item = page.getByRole("listitem").filter({ hasText: "1 person is waiting for approval." })
    await item.getByRole("link", { name: "Review" }).click()
    await page.getByRole("heading", { name: "Users" }).waitFor()
    await page.getByRole("table").getByText("grace@example.com").waitFor()
    expect(pageErrors).toEqual([])
  })

  it("reaches each page in one click, and names it in a menu if the window is narrow", async () => {
    const { page, open } = await app.asAdmin()
    await open("/admin")
    const navigation = page.getByRole("navigation", { name: "Administration" })
    const names = await navigation.getByRole("link").allInnerTexts()
    expect(names).toContain("Audit log")
    for (const name of names) {
      await navigation.getByRole("link", { name, exact: true }).click()
      await page.getByRole("heading", { level: 1, name, exact: true }).waitFor()
    }
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
    await admin.page.getByLabel("Kind").selectOption("warning")
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
