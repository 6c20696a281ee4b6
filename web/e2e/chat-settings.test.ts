import type { Page } from "playwright-core"
import { afterAll, beforeAll, expect, it } from "vitest"
import { app, closeAdminApp, startAdminApp, visit } from "./admin-app.ts"

beforeAll(() => startAdminApp())
afterAll(closeAdminApp)

const composer = () => visit.page.getByLabel("Message", { exact: true })
const paneOf = (page: Page) => page.getByRole("complementary", { name: "Prompt and parameters" })
const pane = () => paneOf(visit.page)
const openPane = async (page = visit.page): Promise<void> => {
  await page.getByLabel("Message", { exact: true }).waitFor()
  if (await paneOf(page).isVisible()) return
  await page.getByRole("button", { name: "Prompt and parameters" }).click()
}
const answers = () => visit.page.locator("article[data-role=assistant][data-state=completed]")

/** The requests that the provider received, of which the last may ask for a title. */
const sent = (): string => JSON.stringify(app.provider.requests.slice(-2).map(({ json }) => json))

it("sends a system prompt and parameters typed just before Enter, in a new and a stored chat", async () => {
  const { page, open } = visit
  await open("/?model=gpt-fake")
  await composer().fill("Ahoy")
  await openPane()
  await pane().getByLabel("Temperature").fill("0.25")
  await pane().getByLabel("System prompt").fill("Speak like a sailor")
  await composer().press("Enter")
  await expect.poll(() => answers().count()).toBe(1)
  expect(sent()).toContain("Speak like a sailor")
  expect(sent()).toContain('"temperature":0.25')

  await openPane()
  await composer().fill("Ahoy again")
  await pane().getByLabel("System prompt").fill("Speak like a pirate")
  await composer().press("Enter")
  await expect.poll(() => answers().count()).toBe(2)
  expect(sent()).toContain("Speak like a pirate")

  await pane().getByLabel("System prompt").fill("Typed before a reload")
  await page.reload()
  await openPane()
  await expect
    .poll(() => pane().getByLabel("System prompt").inputValue())
    .toBe("Typed before a reload")
})

it("keeps a new chat's settings over a reload, and sends nothing while one is wrong", async () => {
  const { page, open } = visit
  await open("/?model=gpt-fake")
  await openPane()
  await pane().getByLabel("System prompt").fill("Kept")
  await pane().getByLabel("Temperature").fill("7")
  await page.reload()
  await openPane()
  expect(await pane().getByLabel("System prompt").inputValue()).toBe("Kept")
  expect(await pane().getByLabel("Temperature").inputValue()).toBe("7")
  await composer().fill("Hello")
  await composer().press("Enter")
  await page.getByRole("alert").getByText("a parameter in the chat settings is not valid").waitFor()
  expect(await composer().inputValue()).toBe("Hello")
  await pane().getByLabel("Temperature").fill("1")
  await composer().press("Enter")
  await expect.poll(() => answers().count()).toBe(1)
  expect(sent()).toContain('"temperature":1')
})

/** Opens a new chat with one answer, and its pane. */
const startChat = async (): Promise<void> => {
  await visit.open("/?model=gpt-fake")
  await composer().fill("Hello")
  await composer().press("Enter")
  await expect.poll(() => answers().count()).toBe(1)
  await openPane()
}

const send = async (count: number): Promise<void> => {
  await composer().fill("Go on")
  await composer().press("Enter")
  await expect.poll(() => answers().count()).toBe(count)
}

it("sends a system prompt whose first attempt to be saved failed", async () => {
  const { page } = visit
  await startChat()
  const path = /\/api\/v1\/chats\/[^/]+$/
  const body = JSON.stringify({ detail: "The disk is full", code: "storage_full" })
  await page.route(path, (route) =>
    route.request().method() === "POST"
      ? route.fulfill({ status: 503, contentType: "application/json", body })
      : route.continue(),
  )
  await pane().getByLabel("System prompt").fill("Saved later")
  await page.getByRole("alert").getByText("The disk is full").waitFor()
  await page.unroute(path)
  await send(2)
  expect(sent()).toContain("Saved later")
})

it("sends what was typed in another window, and shows it in both", async () => {
  await startChat()
  const other = await visit.context.newPage()
  await other.goto(visit.page.url())
  await openPane(other)
  await paneOf(other).getByLabel("System prompt").fill("Typed elsewhere")
  // The browser tells its other windows only after a moment.
  await expect.poll(() => pane().getByLabel("System prompt").inputValue()).toBe("Typed elsewhere")
  await send(2)
  expect(sent()).toContain("Typed elsewhere")
  await paneOf(other).getByLabel("Seed").fill("7")
  await expect.poll(() => pane().getByLabel("Seed").inputValue()).toBe("7")
  await other.close()
})

it.each([
  ["Temperature", "7777", "Enter a number from 0 to 2"],
  ["Maximum answer length, in tokens", "1,000", "Enter a whole number"],
  ["Seed", "0x10", "Enter a whole number"],
])("keeps showing a wrong %s of %s, also after a reload", async (label, text, message) => {
  await startChat()
  await pane().getByLabel(label).pressSequentially(text)
  await pane().getByText(message).waitFor()
  await visit.page.reload()
  await openPane()
  expect(await pane().getByLabel(label).inputValue()).toBe(text)
  await composer().fill("Go on")
  await composer().press("Enter")
  await visit.page.getByRole("alert").getByText("is not valid").waitFor()
  await pane().getByLabel(label).fill(" ")
  await send(2)
  expect(sent()).not.toMatch(/"(temperature|max_tokens|seed)"/)
})

it("keeps what is typed while the first message is being sent, whatever its length", async () => {
  const { page, open } = visit
  await open("/?model=gpt-fake")
  await openPane()
  const { promise, resolve } = Promise.withResolvers<void>()
  await page.route(/\/messages$/, async (route) => {
    await promise
    await route.continue()
  })
  await composer().fill("Hello")
  await composer().press("Enter")
  const prompt = `${"long ".repeat(20_000)}end`
  await pane().getByLabel("System prompt").fill(prompt)
  resolve()
  await expect.poll(() => answers().count()).toBe(1)
  await page.unroute(/\/messages$/)
  await page.reload()
  await openPane()
  await expect.poll(() => pane().getByLabel("System prompt").inputValue()).toBe(prompt)
  await send(2)
  expect(sent()).toContain(prompt)
})
