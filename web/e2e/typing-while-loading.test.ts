import { afterAll, beforeAll, expect, it } from "vitest"
import { closeAdminApp, startAdminApp, visit } from "./admin-app.ts"

beforeAll(() => startAdminApp())
afterAll(closeAdminApp)

/** Loads the start page, and then nothing that matches until the returned function is called. */
const openWithout = async (chunk: RegExp): Promise<() => void> => {
  const { page, open } = visit
  const { promise, resolve } = Promise.withResolvers<void>()
  await page.route(chunk, async (route) => {
    await promise
    await route.continue()
  })
  await open("/?model=gpt-fake")
  await page.getByLabel("Message", { exact: true }).waitFor()
  return () => resolve()
}

it("the model menu receives what is typed while it loads, and Enter chooses", async () => {
  const { page } = visit
  const release = await openWithout(/model-list/)
  await page.getByRole("button", { name: /: gpt-fake$/ }).click()
  await page.keyboard.type("reason")
  await page.keyboard.press("Enter")
  release()
  await page.getByLabel("Model: gpt-reason-fake").waitFor()
})

it("the palette receives what is typed while it loads", async () => {
  const { page } = visit
  const release = await openWithout(/command-palette/)
  await page.getByLabel("Message", { exact: true }).focus()
  await page.keyboard.press("ControlOrMeta+k")
  await page.keyboard.type("usage")
  release()
  const search = page.getByRole("dialog").getByRole("combobox")
  await expect.poll(() => search.inputValue()).toBe("usage")
  expect(await page.getByLabel("Message", { exact: true }).inputValue()).toBe("")
})

it("a menu follows the arrow keys pressed while it loads", async () => {
  const { page } = visit
  const release = await openWithout(/menu-parts/)
  await page
    .getByRole("button", { name: /Ada|Admin|Account/ })
    .last()
    .focus()
  await page.keyboard.press("Enter")
  await page.keyboard.press("ArrowDown")
  release()
  await expect.poll(() => page.evaluate(() => document.activeElement?.role)).toBe("menuitem")
})
