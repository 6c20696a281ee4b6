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
