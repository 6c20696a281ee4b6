import { afterAll, beforeAll, expect, it } from "vitest"
import { app, closeAdminApp, startAdminApp, visit } from "./admin-app.ts"

beforeAll(() => startAdminApp())
afterAll(closeAdminApp)

const nestedList = Array.from({ length: 300 }, (_, index) => `${"  ".repeat(index)}- a`).join("\n")

const texts = [
  "> ".repeat(2000),
  "- ".repeat(1500),
  `${"*".repeat(5000)}a${"*".repeat(5000)}`,
  "a\u0301".repeat(60_000),
  `${"a".repeat(100_000)}@`,
  "[a](".repeat(20_000),
  nestedList,
  `${"[".repeat(5000)}a${"](http://a.example)".repeat(5000)}`,
  // Letters that depend on their neighbors, which Chromium shapes again for each line.
  "[]".repeat(25_000),
  "x1".repeat(25_000),
  `![a](data:image/png;base64,${"A".repeat(50_000)})`,
  `$$\n${"{".repeat(5000)}a${"}".repeat(5000)}\n$$`,
  `\`\`\`json\n${"[".repeat(20_000)}\n\`\`\``,
  `\`\`\`c\n${"a ".repeat(20_000)}\n\`\`\``,
  `\`\`\`mermaid\ngraph LR\n${'A["<<img src=x onerror=alert(1)>"]\n'.repeat(3)}\n\`\`\``,
]

it("shows a chat with texts that are deep or long, and its last answer as Markdown", async () => {
  const { page, context, open } = visit
  const { id } = await (
    await context.request.post(`${app.gateway.url}/api/v1/chats/new`, {
      data: { models: ["gpt-fake"] },
    })
  ).json()
  expect(id).toBeTruthy()
  await open(`/c/${id}`)
  const composer = page.getByLabel("Message", { exact: true })
  for (const [index, text] of [...texts, "Still **alive**"].entries()) {
    await composer.fill(text)
    await composer.press("Enter")
    await expect
      .poll(() => page.locator("article[data-role=assistant][data-state=completed]").count(), {
        timeout: 30_000,
      })
      .toBe(index + 1)
  }
  await page.reload()
  await page.locator("article[data-role=assistant] strong", { hasText: "alive" }).waitFor()
  expect(visit.pageErrors).toEqual([])
})

it.each([
  ["code blocks", "```\n".repeat(25_000)],
  ["code blocks in a list", "- ```\n".repeat(15_000)],
  ["formulas", "$a".repeat(50_000)],
  ["tables", "|a|\n|-|\n|b|\n\n".repeat(6000)],
])("shows an answer of too many %s with a bounded number of elements", async (_kind, content) => {
  const { page, context, open } = visit
  const message = { id: "1", role: "assistant", content, model: "gpt-fake", created_at: 1 }
  const chat = { title: "Many", created_at: 1, updated_at: 1, messages: [message] }
  const data = { chats: [chat] }
  const imported = await context.request.post(`${app.gateway.url}/api/v1/chats/import`, { data })
  const { ids } = await imported.json()
  await open(`/c/${ids[0]}`)
  await page
    .locator("article[data-role=assistant]")
    .getByText(content.slice(0, 1))
    .first()
    .waitFor()
  expect(await page.locator("*").count()).toBeLessThan(40_000)
  expect(visit.pageErrors).toEqual([])
})
