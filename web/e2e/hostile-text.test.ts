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
