import { setTimeout as sleep } from "node:timers/promises"
import { afterAll, beforeAll, expect, it } from "vitest"
import { startTestApp, type TestApp } from "./test-app.ts"

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.close())

it("a menu hides the tooltip of the button that opens it", async () => {
  const content = 'export const reply = () => "Ahoy"'
  const ahoy = { id: "ahoy", name: "Ahoy", content }
  expect(await app.gateway.call("POST", "/api/v1/functions/create", ahoy)).toMatchObject({
    status: 200,
  })
  const { page, open } = await app.asAdmin()
  await open("/functions/ahoy")
  const button = page.getByRole("main").getByRole("button", { name: "More" })
  const tooltip = page.getByRole("tooltip")
  await button.hover()
  await tooltip.waitFor()
  await button.click()
  await page.getByRole("menu").waitFor()
  // Longer than a tooltip's delay.
  await sleep(800)
  expect(await tooltip.count()).toBe(0)

  await page.keyboard.press("Escape")
  await page.getByRole("menu").waitFor({ state: "detached" })
  await page.mouse.move(0, 0)
  await button.hover()
  await tooltip.waitFor()
})
