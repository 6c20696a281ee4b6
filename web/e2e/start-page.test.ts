import { afterAll, beforeAll, expect, it } from "vitest"
import { layoutShiftScript } from "../bench/loading.ts"
import { app, closeAdminApp, startAdminApp, visit } from "./admin-app.ts"
import type { BrowserSession } from "./test-app.ts"

beforeAll(() => startAdminApp())
afterAll(closeAdminApp)

const composer = ({ page }: BrowserSession = visit) => page.getByLabel("Message", { exact: true })
const answers = ({ page }: BrowserSession = visit) => page.locator("article[data-role=assistant]")
/** The button that opens the menu of models. */
const model = (name: string) => visit.page.getByLabel(`Model: ${name}`, { exact: true })
const focusedLabel = ({ page }: BrowserSession = visit): Promise<string> =>
  page.evaluate("document.activeElement?.ariaLabel ?? document.activeElement?.tagName")

const startChat = async (text: string): Promise<void> => {
  await visit.open("/?model=gpt-fake")
  await composer().fill(text)
  await composer().press("Enter")
  await visit.page.waitForURL(/\/c\//, { waitUntil: "commit" })
}

it("offers starters and recent models around a composer in the middle of the start page", async () => {
  const { page } = visit
  await startChat("so that a model is recent")
  await answers().waitFor()
  const bottom = await composer().evaluate((area) => area.getBoundingClientRect().top)
  await visit.open("/?model=gpt-reason-fake")
  await composer().fill("another one")
  await composer().press("Enter")
  await page.waitForURL(/\/c\//, { waitUntil: "commit" })
  await page.getByRole("link", { name: "New chat" }).click()
  await page.getByText("What are you working on?").waitFor()
  const middle = await composer().evaluate((area) => area.getBoundingClientRect().top / innerHeight)
  expect(middle).toBeGreaterThan(0.3)
  expect(middle).toBeLessThan(0.55)
  await page.getByRole("button", { name: "gpt-fake", exact: true }).click()
  await model("gpt-fake").waitFor()
  await page.getByRole("button", { name: "Summarize a text" }).click()
  expect(await composer().inputValue()).toMatch(/^Summarize the following text/)
  expect(await focusedLabel()).toBe("Message")
  await page.keyboard.type("The sea is deep.")
  await page.keyboard.press("Enter")
  await answers().getByText("The sea is deep.").waitFor()
  const after = await composer().evaluate((area) => area.getBoundingClientRect().top)
  expect(Math.abs(after - bottom)).toBeLessThan(30)
})

it("moves the composer down within 150 ms, and at once with reduced motion", async () => {
  const count = async (reducedMotion: "reduce" | "no-preference"): Promise<number> => {
    const { page } = visit
    await page.emulateMedia({ reducedMotion })
    await visit.open("/?model=gpt-fake")
    await page.evaluate(`{
      window.slides = []
      const { animate } = Element.prototype
      Element.prototype.animate = function (frames, options) {
        window.slides.push(options.duration)
        return animate.call(this, frames, options)
      }
    }`)
    await composer().fill("moving")
    await composer().press("Enter")
    await answers().getByText("You said: moving").waitFor()
    const durations: number[] = await page.evaluate("window.slides")
    expect(Math.max(0, ...durations)).toBeLessThanOrEqual(150)
    return durations.length
  }
  expect(await count("no-preference")).toBeGreaterThan(0)
  expect(await count("reduce")).toBe(0)
})

it("groups the models by favorite, connection, function, and customized model", async () => {
  const { page, open } = visit
  const custom = { id: "pilot", name: "Pilot", base_model_id: "gpt-fake" }
  await app.gateway.call("POST", "/api/v1/models/create", custom)
  await open("/?model=gpt-fake")
  await page.getByRole("button", { name: "Add to favorites" }).click()
  await model("gpt-fake").click()
  const menu = page.getByRole("dialog", { name: "Model" })
  const favorites = menu.getByRole("group", { name: "Favorites" })
  const { items } = (await app.gateway.call("GET", "/api/v1/connections")).body
  const { name } = items.find(({ kind }: { kind: string }) => kind === "openai")
  await favorites
    .getByRole("option", { name: /gpt-fake/ })
    .getByText(`openai · ${name}`)
    .waitFor()
  const connection = menu.getByRole("group", { name, exact: true })
  await connection.getByRole("option", { name: /gpt-reason-fake/ }).waitFor()
  await menu.getByRole("group", { name: "Custom models" }).getByText("Pilot").waitFor()
  await page.getByRole("combobox", { name: "Search models" }).fill("pilot")
  await menu.getByRole("option", { name: /Pilot/ }).click()
  await model("Pilot").waitFor()

  await page.setViewportSize({ width: 1280, height: 400 })
  await open("/?model=pilot")
  await model("Pilot").click()
  await menu.waitFor()
  const isInView = () =>
    menu.getByRole("option", { selected: true }).evaluate((option) => {
      const list = option.closest("[role=listbox]")?.getBoundingClientRect()
      const { top, bottom } = option.getBoundingClientRect()
      return list !== undefined && top >= list.top && bottom <= list.bottom
    })
  await expect.poll(isInView).toBe(true)
  await page.setViewportSize({ width: 1280, height: 720 })
})

it("stays at the end of the chat as messages are sent", async () => {
  const { page } = visit
  const distance = (): Promise<number> =>
    page
      .getByRole("region", { name: "Messages" })
      .evaluate((box) => box.scrollHeight - box.scrollTop - box.clientHeight)
  await startChat("Where is the harbour?")
  for (let sent = 2; sent <= 12; sent++) {
    await composer().fill(`Question ${sent}, and what follows from it? `.repeat(sent % 5 ? 1 : 40))
    await composer().press("Enter")
    await expect.poll(() => answers().count()).toBe(sent)
    await page.locator("article[data-state=completed]:last-child").waitFor()
    await expect.poll(distance).toBeLessThan(40)
  }
})

it("shows pinned chats, projects and the other chats at once, so that none is pushed down", async () => {
  const { gateway } = app
  const pinned = await gateway.call("POST", "/api/v1/chats/new", { title: "Kept at the top" })
  await gateway.call("POST", `/api/v1/chats/${pinned.body.id}`, { pinned: true })
  await gateway.call("POST", "/api/v1/folders/", { name: "Harbour" })
  await gateway.call("POST", "/api/v1/chats/new", { title: "An ordinary chat" })
  const { page, open } = await app.asAdmin()
  await page.addInitScript(layoutShiftScript)
  // The projects arrive last.
  await page.route("**/api/v1/folders", async (route) => {
    await page.waitForTimeout(500)
    await route.continue()
  })
  await open("/")
  const chats = page.getByRole("navigation", { name: "Chats" })
  for (const name of ["Kept at the top", "Harbour", "An ordinary chat"])
    await chats.getByText(name, { exact: true }).waitFor()
  await page.waitForTimeout(200)
  const shifts = (await page.evaluate("window.shifts")) as { moved: string[] }[]
  expect(shifts.map(({ moved }) => moved)).toEqual([])
})

it("names every compared model on a phone", async () => {
  const session = await app.asAdmin({ viewport: { width: 360, height: 740 } })
  const { page } = session
  const chat = { title: "Compared", models: ["gpt-fake", "gpt-reason-fake"] }
  const { body } = await app.gateway.call("POST", "/api/v1/chats/new", chat)
  await session.open(`/c/${body.id}`)
  for (const name of chat.models) {
    const text = page.getByRole("button", { name: `Model: ${name}`, exact: true }).getByText(name)
    await text.scrollIntoViewIfNeeded()
    const shown = await text.evaluate((element) => element.clientWidth)
    expect(shown).toBeGreaterThan(50)
  }
  await session.context.close()
})
