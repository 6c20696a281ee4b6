import { afterAll, beforeAll, expect, it } from "vitest"
import { type BrowserSession, startTestApp, type TestApp } from "./test-app.ts"

let app: TestApp
let admin: BrowserSession
beforeAll(async () => {
  app = await startTestApp()
  admin = await app.asAdmin({ viewport: { width: 360, height: 800 } })
})
afterAll(() => app.close())

it("shows the whole redirect URI that a provider of single sign-on needs", async () => {
  const { page, open } = admin
  await open("/admin/sign-on")
  const panel = page.getByRole("tabpanel", { name: "Okta" })
  const uri = panel.getByText(`${app.gateway.url}/api/v1/sso/okta/callback`, { exact: true })
  expect(await uri.evaluate((element) => element.scrollWidth <= element.clientWidth)).toBe(true)
  await panel.getByRole("button", { name: "Copy Redirect URI" }).click()
  await panel.getByRole("button", { name: "Copied" }).waitFor()
})

it("fades the edge beyond which an area has more tabs", async () => {
  const { page, open } = admin
  await open("/account")
  const tabs = page.getByRole("navigation", { name: "Account" })
  const masks = (): Promise<string[]> =>
    tabs.evaluate((nav) => {
      const { maskImage } = getComputedStyle(nav)
      const { scrollLeft, scrollWidth, clientWidth } = nav
      return [
        maskImage,
        scrollLeft > 0 ? "before" : "",
        scrollLeft < scrollWidth - clientWidth - 1 ? "after" : "",
      ]
    })
  const [mask, before, after] = await masks()
  expect([mask === "none", before, after]).toEqual([false, "", "after"])
  await tabs.getByRole("link", { name: "Sessions" }).click()
  await page.getByRole("heading", { name: "Sessions" }).waitFor()
  await expect.poll(async () => (await masks()).slice(1)).toEqual(["before", ""])
  await page.setViewportSize({ width: 900, height: 800 })
  await expect.poll(async () => (await masks())[0]).toBe("none")
  await page.setViewportSize({ width: 360, height: 800 })
})

it("shows below a name what wide tables show in columns", async () => {
  const { page, open } = admin
  await open("/admin/users")
  const user = page.getByRole("row").filter({ hasText: "ada@example.com" })
  const text = await user.getByRole("cell").first().innerText()
  expect(text.replaceAll(/\s+/g, " ")).toMatch(/Admin Active Last active: (Never|Just now)$/)
  await open("/account/sessions")
  await page.getByRole("cell").getByText("Last used: Just now").waitFor()
  await page.getByRole("cell").getByText("Expires: In 28 days").waitFor()
  await open("/account/keys")
  await page
    .getByRole("cell")
    .getByText("All models · all routes")
    .locator("visible=true")
    .waitFor()
})

it("offers one action if a list is empty", async () => {
  const { page, open } = admin
  for (const [path, action] of [
    ["/admin/groups", "Create group"],
    ["/admin/invitations", "Create invitation"],
  ] as const) {
    await open(path)
    await page.getByRole("heading", { level: 2 }).waitFor()
    expect(await page.getByRole("link", { name: action }).count()).toBe(1)
  }
})

it("breaks a long status within the window", async () => {
  const { page, open } = await app.asAdmin({
    locale: "de-DE",
    viewport: { width: 320, height: 800 },
  })
  await open("/admin")
  await page.getByText("SQLite,").waitFor()
  const values = await page.locator("main dl").first().locator("dd").all()
  for (const value of values) {
    expect(await value.evaluate((dd) => dd.scrollWidth <= dd.clientWidth)).toBe(true)
  }
})
