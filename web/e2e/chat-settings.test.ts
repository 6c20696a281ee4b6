import { afterAll, beforeAll, expect, it } from "vitest"
import { app, closeAdminApp, startAdminApp, visit } from "./admin-app.ts"

beforeAll(() => startAdminApp())
afterAll(closeAdminApp)

const composer = () => visit.page.getByLabel("Message", { exact: true })
const pane = () => visit.page.getByRole("complementary", { name: "Prompt and parameters" })
const openPane = async (): Promise<void> => {
  await composer().waitFor()
  if (await pane().isVisible()) return
  await visit.page.getByRole("button", { name: "Prompt and parameters" }).click()
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
