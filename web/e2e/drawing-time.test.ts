import { afterAll, beforeAll, expect, it } from "vitest"
import { app, closeAdminApp, startAdminApp, visit } from "./admin-app.ts"

beforeAll(() => startAdminApp())
afterAll(closeAdminApp)

/** How long the page takes to show a chat with this text as question and answer, in milliseconds. */
const timeToShow = async (content: string): Promise<number> => {
  const { page, context, open } = visit
  const common = { model: "gpt-fake", created_at: 1 }
  const messages = [
    { ...common, id: "1", role: "user", content },
    { ...common, id: "2", role: "assistant", content, parent_id: "1" },
  ]
  const chat = { title: content.slice(0, 100), created_at: 1, updated_at: 1, messages }
  const data = { chats: [chat] }
  const imported = await context.request.post(`${app.gateway.url}/api/v1/chats/import`, { data })
  const { ids } = await imported.json()
  await open("/")
  const started = performance.now()
  await open(`/c/${ids[0]}`)
  const turns = page.locator("article")
  await turns.nth(1).waitFor()
  // What is not on the screen would not be drawn.
  for (const turn of await turns.all()) await turn.scrollIntoViewIfNeeded()
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))))
  return performance.now() - started
}

it.each([
  ["marks on one letter", `a${"\u0301".repeat(50_000)}`],
  ["marks of Arabic on one letter", `\u0628${"\u064b".repeat(50_000)}`],
  ["skin tones on one emoji", `👩${"\u{1f3fd}".repeat(20_000)}`],
  ["an Arabic word without an end", "\u0628".repeat(100_000)],
  ["a word without an end of digits and fraction slashes", "1\u2044".repeat(50_000)],
])("shows %s about as fast as plain text", async (_kind, content) => {
  const plain = "word ".repeat(20_000)
  const control = await timeToShow(plain)
  expect((await timeToShow(content)) / control).toBeLessThan(5)
  expect(visit.pageErrors).toEqual([])
})
