import type { Route } from "playwright-core"
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

it("Escape cancels a menu that is still loading, and typing goes on elsewhere", async () => {
  const { page } = visit
  const release = await openWithout(/command-palette/)
  const composer = page.getByLabel("Message", { exact: true })
  await composer.focus()
  await page.keyboard.press("ControlOrMeta+k")
  await page.keyboard.type("lost")
  await page.keyboard.press("Escape")
  await page.keyboard.type("kept")
  release()
  await expect.poll(() => composer.inputValue()).toBe("kept")
  expect(await page.getByRole("dialog").count()).toBe(0)
})

const missing = "This part of the page could not be loaded."

it.each([
  [
    "the model menu",
    /model-list/,
    () => visit.page.getByRole("button", { name: /: gpt-fake$/ }).click(),
    () => visit.page.getByRole("listbox"),
  ],
  [
    "the palette",
    /command-palette/,
    () => visit.page.keyboard.press("ControlOrMeta+k"),
    () => visit.page.getByRole("dialog"),
  ],
])("%s says that it could not be loaded, loses nothing, and opens later", async (...args) => {
  const [, chunk, act, popup] = args
  const { page, open } = visit
  await open("/?model=gpt-fake")
  const composer = page.getByLabel("Message", { exact: true })
  await composer.fill("A draft")
  await page.getByRole("button", { name: "Prompt and parameters" }).click()
  await page.evaluate(() => document.body.setAttribute("data-same-page", ""))
  const abort = (route: Route) => route.abort()
  await page.route(chunk, abort)
  await act()
  await page.getByRole("alert").getByText(missing).waitFor()
  expect(await composer.inputValue()).toBe("A draft")
  expect(await page.locator("[data-same-page]").count()).toBe(1)
  await page.unroute(chunk, abort)
  await act()
  await popup().waitFor()
  await expect.poll(() => page.getByText(missing).count()).toBe(0)
  await page.keyboard.press("Escape")
})
