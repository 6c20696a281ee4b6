import { afterAll, beforeAll, expect, it } from "vitest"
import { app, closeAdminApp, startAdminApp, visit } from "./admin-app.ts"

beforeAll(async () => {
  await startAdminApp()
  const price = { input: 1_000_000, output: 1_000_000, from: 0 }
  await app.gateway.call("PUT", "/api/v1/prices/gpt-fake", price)
})
afterAll(closeAdminApp)

const composer = () => visit.page.getByLabel("Message", { exact: true })
const answers = () => visit.page.locator("article[data-role=assistant][data-state=completed]")
const header = () => visit.page.getByText("Cost of this chat:")
const section = () => visit.page.getByRole("complementary").getByText("Cost of this chat")

const ask = async (text: string, count: number): Promise<void> => {
  await composer().fill(text)
  await composer().press("Enter")
  await expect.poll(() => answers().count()).toBe(count)
}
/** The dollars of an amount in a text; each token costs a tenth of a cent. */
const dollarsIn = (text: string | null): number => Number(/\$(\d+\.\d+)/.exec(text ?? "")?.[1])
const costOf = async (index: number): Promise<number> =>
  dollarsIn(await answers().nth(index).textContent())

it("shows what each answer and the chat cost, as the answers arrive", async () => {
  const { page, open } = visit
  await open("/?model=gpt-fake")
  await ask("Hello", 1)
  await expect.poll(() => costOf(0)).toBeGreaterThan(0)
  const stats = answers()
    .nth(0)
    .getByTitle(/tokens? of input/)
  const tokens = (await stats.getAttribute("title")) ?? ""
  const [input, output] = tokens.split(" · ").map((text) => Number.parseInt(text, 10))
  expect(await costOf(0)).toBeCloseTo(((input ?? 0) + (output ?? 0)) / 1000, 4)

  await ask("Go on", 2)
  await expect.poll(() => costOf(1)).toBeGreaterThan(0)
  const total = (await costOf(0)) + (await costOf(1))
  await expect
    .poll(async () => dollarsIn(await header().locator("..").textContent()))
    .toBeCloseTo(total, 2)
  await page.getByRole("button", { name: "Prompt and parameters" }).click()
  expect(dollarsIn(await section().textContent())).toBeCloseTo(total, 2)
})

it("calls no answer free whose price is not known", async () => {
  const { page, open } = visit
  await open("/?model=gpt-reason-fake")
  await ask("Hello", 1)
  await answers().nth(0).getByText("tokens").first().waitFor({ state: "attached" })
  expect(await answers().nth(0).textContent()).not.toContain("$")
  expect(await header().count()).toBe(0)
  await page.getByText("The cost of 1 answer is unknown.").waitFor()
  expect(await section().textContent()).toContain("–")
})

it("shows no costs if the administrators hide them", async () => {
  const { page, open } = visit
  await open("/?model=gpt-fake")
  await ask("Hello", 1)
  await expect.poll(() => costOf(0)).toBeGreaterThan(0)
  const chatUrl = page.url()
  await open("/admin/settings")
  await page.getByRole("switch", { name: "Show costs in chats" }).click()
  await page.getByRole("button", { name: "Save", exact: true }).click()
  await page.getByText("Saved", { exact: true }).waitFor()
  await page.goto(chatUrl)
  await answers().nth(0).getByText("tokens").first().waitFor({ state: "attached" })
  expect(await answers().nth(0).textContent()).not.toContain("$")
  expect(await page.getByText("Cost of this chat").count()).toBe(0)
})
