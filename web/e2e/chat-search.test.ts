import { afterAll, beforeAll, expect, it } from "vitest"
import { app, closeAdminApp, startAdminApp, visit } from "./admin-app.ts"
import type { BrowserSession } from "./test-app.ts"

beforeAll(() => startAdminApp())
afterAll(closeAdminApp)

const chats = ({ page }: BrowserSession) => page.getByRole("navigation", { name: "Chats" })

/** Adds a chat in which these messages were answered. */
const seedChat = async (title: string, ...contents: string[]): Promise<string> => {
  const { call } = app.gateway
  const body = { models: ["gpt-fake"], title }
  const { id } = (await call("POST", "/api/v1/chats/new", body)).body
  const path = `/api/v1/chats/${id}`
  const running = ({ state }: { state: string }): boolean => state === "running"
  for (const content of contents) {
    await call("POST", `${path}/messages`, { content })
    while ((await call("GET", path)).body.messages.some(running));
  }
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

it("opens a chat at the message that a search found, even in another version", async () => {
  const { page } = visit
  const filler = "The harbour is quiet in winter.\n\n"
  const content = `${filler.repeat(60)}The semaphore answers.\n\n${filler.repeat(20)}`
  const id = await seedChat("Beacons", "Hello", content, "Thanks")
  await app.gateway.call("POST", `/api/v1/chats/${id}/messages`, { parent_id: null, content: "No" })
  await visit.open("/")
  await chats(visit).getByRole("button", { name: "Search chats" }).click()
  await chats(visit).getByRole("searchbox", { name: "Search chats" }).fill("semaphore answers")
  const row = chats(visit).getByRole("link", { name: /Beacons/ })
  await row.getByRole("time").waitFor()
  await row.click()
  await page.getByRole("article").getByText("Thanks", { exact: true }).waitFor()
  // In the middle of a message that is longer than the page.
  await page.waitForFunction(() => {
    const [range] = [...(CSS.highlights.get("found-text") ?? [])]
    const box = (range as Range | undefined)?.getBoundingClientRect()
    return box !== undefined && box.top > 0 && box.bottom < innerHeight
  })
  // Only once: from now on, the page remembers its own position.
  await page.waitForURL(`${app.gateway.url}/c/${id}`)
})
