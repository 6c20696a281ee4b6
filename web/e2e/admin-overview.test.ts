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
