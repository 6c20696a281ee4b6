import { afterAll, afterEach, beforeAll, expect, it } from "vitest"
import { itInLongForm } from "../../server/test/harness/long-form.ts"
import { app, closeAdminApp, startAdminApp, visit } from "./admin-app.ts"
import type { BrowserSession } from "./test-app.ts"

beforeAll(() => startAdminApp())
afterAll(closeAdminApp)
afterEach(() => app.provider.clearFaults())

const words = (count: number): string =>
  Array.from({ length: count }, (_, index) => `word${index}`).join(" ")

const startChat = async ({ page }: BrowserSession, text: string): Promise<void> => {
  await page.goto(`${app.gateway.url}/?model=gpt-fake`)
  await page.getByLabel("Message", { exact: true }).fill(text)
  await page.keyboard.press("Enter")
  await page.waitForURL(/\/c\//, { waitUntil: "commit" })
}
const answers = ({ page }: BrowserSession) => page.locator("article[data-role=assistant]")
const slowDown = (ms: number): void =>
  app.provider.injectFault({ kind: "slow_frames", ms }, { on: /chat/ })

it("stops an answer on Escape, keeps the partial text, and continues it", async () => {
  const { page } = visit
  slowDown(40)
  await startChat(visit, words(100))
  await answers(visit).getByText("word10 ").waitFor()
  await page.keyboard.press("Escape")
  await page.getByText("You stopped this answer.").waitFor()
  expect(await answers(visit).innerText()).not.toContain("word99")
  app.provider.clearFaults()
  await page.getByRole("button", { name: "Continue the answer" }).click()
  await answers(visit)
    .getByText(/You said:.*You said:/)
    .waitFor()
  expect(await page.title()).toContain("word0 word1")
})

itInLongForm("edits a message into a new branch and switches between both", async () => {
  const { page } = visit
  await startChat(visit, "first wording")
  await answers(visit).getByText("You said: first wording").waitFor()
  await page.getByLabel("Message", { exact: true }).press("ArrowUp")
  const editor = page.getByRole("textbox", { name: "Edit message" })
  expect(await editor.inputValue()).toBe("first wording")
  await editor.fill("second wording")
  await page.keyboard.press("Enter")
  await answers(visit).getByText("You said: second wording").waitFor()
  await page.getByText("2/2").waitFor()
  await page.getByRole("button", { name: "Previous version" }).click()
  await answers(visit).getByText("You said: first wording").waitFor()
  await page.reload()
  await answers(visit).getByText("You said: first wording").waitFor()
  await answers(visit).hover()
  await page.getByRole("button", { name: "Regenerate" }).click()
  await answers(visit).getByText("2/2").waitFor()
})

itInLongForm("resumes a streaming answer after a reload", async () => {
  const { page } = visit
  slowDown(40)
  await startChat(visit, words(60))
  await answers(visit).getByText("word8 ").waitFor()
  await page.reload()
  await answers(visit).getByText("word59").waitFor()
  expect(await answers(visit).innerText()).toContain(`You said: ${words(60)}`)
})

itInLongForm("shows the same chat in two browsers of one account", async () => {
  const other = await app.asAdmin()
  await other.page.goto(app.gateway.url)
  slowDown(30)
  await startChat(visit, `Two windows ${words(50)}`)
  const link = other.page.getByRole("link", { name: /^Two windows/ })
  await link.waitFor()
  await link.click()
  await answers(other).getByText("word49").waitFor()
  await answers(visit).getByText("word49").waitFor()
  expect(await answers(other).innerText()).toContain(words(50))
  await other.page.getByLabel("Message", { exact: true }).fill("From the other window")
  // Enter sends nothing while an answer is being written.
  await expect.poll(() => other.page.getByRole("button", { name: "Send" }).isEnabled()).toBe(true)
  await other.page.keyboard.press("Enter")
  await visit.page.getByText("You said: From the other window").waitFor()
  await other.context.close()
})

itInLongForm("shows answers of two models side by side and continues with one", async () => {
  const { page } = visit
  await page.goto(`${app.gateway.url}/?model=gpt-fake`)
  await page.getByRole("button", { name: "Compare with another model" }).click()
  await page.getByRole("combobox", { name: "Search models" }).fill("reason")
  await page
    .getByRole("option", { name: /reason/ })
    .first()
    .click()
  await page.getByLabel("Message", { exact: true }).fill("hello both")
  await page.keyboard.press("Enter")
  await page.getByText("You said: hello both").nth(1).waitFor()
  await page.getByText(/^Thought (briefly|for)/).click()
  await page.getByText("Thinking about: hello both").waitFor()
  await page.getByRole("button", { name: "Continue with this answer" }).click()
  await page.getByLabel("Message", { exact: true }).fill("and now")
  await page.keyboard.press("Enter")
  await page.getByText("You said: and now").nth(1).waitFor()
  await page.getByRole("link", { name: "New chat", exact: true }).click()
  await page.getByText("What are you working on?").waitFor()
  await page.getByRole("button", { name: "Model: gpt-fake" }).waitFor()
  expect(await page.getByRole("button", { name: "Model: gpt-reason-fake" }).count()).toBe(0)
})

itInLongForm("shows a provider's error with details and a retry button", async () => {
  const body = { error: { message: "The model is overloaded", code: "overloaded" } }
  app.provider.injectFault({ kind: "status", status: 529, body }, { on: /chat/ })
  await startChat(visit, "please fail")
  const alert = answers(visit).getByRole("alert")
  await alert.getByText("The model is overloaded", { exact: true }).waitFor()
  await alert.getByText("Details").click()
  await alert.getByText("The provider returned 529").waitFor()
  await alert.getByRole("button", { name: "Try again" }).click()
  await answers(visit).getByText("You said: please fail").waitFor()
})

itInLongForm(
  "follows a growing answer only from the end, and returns there with the button",
  async () => {
    const { page } = visit
    slowDown(25)
    await page.setViewportSize({ width: 900, height: 500 })
    await startChat(visit, `${"line\n\n".repeat(30)}${words(60)}`)
    await answers(visit).getByText("word5 ").waitFor()
    const box = page.getByRole("region", { name: "Messages" })
    await box.hover()
    await page.mouse.wheel(0, -400)
    await page.getByRole("button", { name: "Scroll to bottom" }).waitFor()
    const top = await box.evaluate((element) => element.scrollTop)
    await answers(visit).getByText("word30 ").waitFor()
    expect(await box.evaluate((element) => element.scrollTop)).toBeLessThanOrEqual(top + 2)
    await page.getByRole("button", { name: "Scroll to bottom" }).click()
    await answers(visit).getByText("word59").waitFor()
    const left = await box.evaluate((e) => e.scrollHeight - e.scrollTop - e.clientHeight)
    expect(left).toBeLessThan(5)
    await page.setViewportSize({ width: 1280, height: 720 })
  },
)

itInLongForm("renames, pins, archives, and deletes a chat, and undoes the deletion", async () => {
  const { page } = visit
  await startChat(visit, "a chat to keep in order")
  await answers(visit).getByText("You said").waitFor()
  const choose = async (item: string): Promise<void> => {
    await page.getByRole("button", { name: "More actions for this chat", exact: true }).click()
    await page.getByRole("menuitem", { name: item }).click()
  }
  await choose("Rename chat")
  await page.getByRole("textbox", { name: "Title" }).fill("In order")
  await page.getByRole("button", { name: "Save" }).click()
  await page.getByRole("link", { name: "In order" }).waitFor()
  await choose("Pin chat")
  await page.getByRole("heading", { name: "Pinned" }).waitFor()
  await choose("Delete chat")
  await page.locator("#sidebar").getByText("Deleted: In order").waitFor()
  await page.getByRole("link", { name: "In order" }).waitFor({ state: "hidden" })
  await page.getByRole("button", { name: "Undo" }).click()
  await page.getByRole("link", { name: "In order" }).click()
  await answers(visit).getByText("You said").waitFor()
  await choose("Archive chat")
  await page.getByRole("link", { name: "In order" }).waitFor({ state: "hidden" })
})

itInLongForm("keeps a draft after a reload, and does not send on Shift+Enter", async () => {
  const { page } = visit
  await page.goto(`${app.gateway.url}/`)
  await page.getByLabel("Message", { exact: true }).fill("half a")
  await page.keyboard.press("Shift+Enter")
  await page.keyboard.type("thought")
  await page.reload()
  const composer = page.getByLabel("Message", { exact: true })
  expect(await composer.inputValue()).toBe("half a\nthought")
  await composer.fill("")
})

itInLongForm("executes no scripts from answers or titles", async () => {
  const { page, pageErrors } = visit
  const hostile = [
    "<script>window.hacked = 1</script><img src=x onerror='window.hacked=1'>",
    "[a](javascript:window.hacked=1) [b](data:text/html,<script>1</script>) ![c](https://evil.example/x.png)",
    "$\\href{javascript:window.hacked=1}{x}$ $\\htmlData{onclick=window.hacked}{y}$ $$\\includegraphics{https://evil.example/y.png}$$",
    '```mermaid\n%%{init: {"securityLevel": "loose", "htmlLabels": true}}%%\ngraph TD\nA["<img src=x onerror=window.hacked=1>"]-->B\nclick A call alert()\nclick B "javascript:window.hacked=1"\n```',
    "```mermaid\nnot a diagram <script>window.hacked=1</script>\n```",
    "```html\n<script>window.hacked = 1</script>\n```",
    "<svg onload=window.hacked=1><iframe srcdoc='<script>parent.hacked=1</script>'></iframe>",
  ].join("\n\n")
  await startChat(visit, hostile)
  await answers(visit).getByText("window.hacked = 1").first().waitFor()
  await page.getByRole("img", { name: "Diagram" }).waitFor()
  // An image added later fails after all earlier ones have.
  await page.evaluate(
    "new Promise((go) => Object.assign(new Image(), { onerror: () => go(), src: 'none.png' }))",
  )
  expect(await page.evaluate("window.hacked")).toBe(undefined)
  const inside = answers(visit).locator(
    "script, iframe, [onerror], [onload], [onclick], [href^=javascript], [href^=data]",
  )
  expect(await inside.count()).toBe(0)
  expect(await page.locator("a[href^='https://evil.example']").count()).toBe(1)
  expect(pageErrors).toEqual([])
})
