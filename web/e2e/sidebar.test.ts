import { afterAll, beforeAll, expect, it } from "vitest"
import { type BrowserSession, startTestApp, type TestApp } from "./test-app.ts"

let app: TestApp
let visit: BrowserSession

beforeAll(async () => {
  app = await startTestApp()
  visit = await app.asAdmin()
})
afterAll(() => app.close())

const chats = ({ page }: BrowserSession) => page.getByRole("navigation", { name: "Chats" })

const createChat = async (fields: Record<string, unknown>): Promise<string> => {
  const body = { models: ["gpt-fake"], ...fields }
  return (await app.gateway.call("POST", "/api/v1/chats/new", body)).body.id
}

/** Adds a chat with one exchange. */
const seedChat = async (title: string, content: string): Promise<string> => {
  const id = await createChat({ title })
  const path = `/api/v1/chats/${id}`
  await app.gateway.call("POST", `${path}/messages`, { content })
  const running = ({ state }: { state: string }): boolean => state === "running"
  while ((await app.gateway.call("GET", path)).body.messages.some(running));
  return id
}

it("shows and marks what a search found, without Markdown", async () => {
  const { page } = visit
  const filler = "The harbour is quiet in winter, and few ships call. ".repeat(20)
  await seedChat("Signals", `${filler}\n\n## The **Lighthouse** answers\n\n${filler}`)
  await visit.open("/")
  await chats(visit).getByRole("button", { name: "Search chats" }).click()
  await chats(visit).getByRole("searchbox", { name: "Search chats" }).fill("lighthouse")
  const row = chats(visit).getByRole("link", { name: /Signals/ })
  const mark = row.locator("mark")
  await mark.first().waitFor()
  expect(await mark.allTextContents()).toEqual(["Lighthouse"])
  expect(await row.textContent()).not.toContain("*")
  // The mark is inside the visible part of its row, which is cut off.
  const isVisible = await mark.evaluate((element) => {
    const inner = element.getBoundingClientRect()
    const outer = element.parentElement?.getBoundingClientRect()
    return outer !== undefined && inner.right <= outer.right && inner.bottom <= outer.bottom
  })
  expect(isVisible).toBe(true)

  await page.keyboard.press("Control+k")
  await page.getByRole("combobox", { name: /Search/ }).fill("lighthouse")
  const option = page.getByRole("option", { name: /Signals/ })
  await option.locator("mark").waitFor()
  expect(await option.locator("mark").textContent()).toBe("Lighthouse")
  await page.keyboard.press("Escape")
})
