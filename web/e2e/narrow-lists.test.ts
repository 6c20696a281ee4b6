import type { Locator } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { app, closeAdminApp, startAdminApp, visit } from "./admin-app.ts"
import { seed } from "./seed.ts"

beforeAll(async () => {
  await startAdminApp()
  await seed(app.gateway)
  await visit.page.setViewportSize({ width: 360, height: 800 })
})
afterAll(closeAdminApp)

const isCutOff = (text: Locator): Promise<boolean> =>
  text.evaluate((element) => element.scrollWidth > element.clientWidth)

const leftOf = async (element: Locator): Promise<number> =>
  (await element.boundingBox())?.x ?? Number.NaN

describe("on a phone", () => {
  it("an old version of a function shows who saved it", async () => {
    const { page, open } = visit
    await open("/functions/tide/versions")
    const versions = page.getByRole("list", { name: "Versions" }).getByRole("listitem")
    const old = versions.filter({ hasText: "Version 1" })
    await old.getByRole("button", { name: "Restore version 1" }).waitFor()
    expect(await isCutOff(old.getByText("Portico Administrator"))).toBe(false)
  })

  it("a run of a function shows its time below its outcome", async () => {
    const { page, open } = visit
    await open("/functions/tide/runs")
    const run = page.getByRole("list", { name: "Runs" }).getByRole("listitem").first()
    const outcome = run.getByText("Completed")
    await outcome.waitFor()
    expect(await leftOf(run.locator("time"))).toBe(await leftOf(run.getByRole("status")))

    await page.getByRole("switch", { name: "Failed runs only" }).click()
    await page.getByRole("heading", { name: "No failed runs" }).waitFor()
  })

  it("an empty tab of a function leads to its code", async () => {
    const { page, open } = visit
    for (const tab of ["settings", "runs"]) {
      await open(`/functions/whisper/${tab}`)
      await page.getByRole("link", { name: "Open code" }).click()
      await page.getByRole("textbox", { name: /^Code of / }).waitFor()
    }
  })

  it("lists show below the name who can use a model or a prompt, and what a function is", async () => {
    const { page, open } = visit
    const shownIn = (name: string, text: string) =>
      page.getByRole("row").filter({ hasText: name }).getByText(text).filter({ visible: true })
    await open("/models")
    await shownIn("Harbour pilot", "1 person or group").waitFor()
    await shownIn("Harbour pilot", "Tools").waitFor()
    const source = shownIn("gpt-fake", new URL(app.provider.url).host)
    expect(await leftOf(source)).toBe(await leftOf(shownIn("gpt-fake", "gpt-fake")))
    await open("/functions")
    await shownIn("Whisper", "Filters 1 model").waitFor()
    await open("/prompts")
    await shownIn("Summarize", "Everyone").waitFor()
  })
})
