import { afterAll, afterEach, beforeAll, expect, it } from "vitest"
import { adminEmail, adminPassword } from "../../server/test/harness/gateway.ts"
import { app, closeAdminApp, startAdminApp, visit } from "./admin-app.ts"
import { dropFiles } from "./drop-files.ts"
import type { BrowserSession } from "./test-app.ts"

beforeAll(() => startAdminApp())
afterAll(closeAdminApp)
afterEach(() => app.provider.clearFaults())

const composer = ({ page }: BrowserSession = visit) => page.getByLabel("Message", { exact: true })
const answers = ({ page }: BrowserSession = visit) => page.locator("article[data-role=assistant]")
const queued = () => visit.page.getByRole("region", { name: "Queued message" })
/** The button that opens the menu of models. */
const model = (name: string) => visit.page.getByLabel(`Model: ${name}`, { exact: true })
const focusedLabel = ({ page }: BrowserSession = visit): Promise<string> =>
  page.evaluate("document.activeElement?.ariaLabel ?? document.activeElement?.tagName")

const words = (count: number): string =>
  Array.from({ length: count }, (_, index) => `word${index}`).join(" ")
const slowDown = (ms: number): void =>
  app.provider.injectFault({ kind: "slow_frames", ms }, { on: /chat/ })

const startChat = async (text: string): Promise<void> => {
  await visit.open("/?model=gpt-fake")
  await composer().fill(text)
  await composer().press("Enter")
  await visit.page.waitForURL(/\/c\//, { waitUntil: "commit" })
}

const openAs = async (email: string, password: string): Promise<BrowserSession> => {
  const session = await app.openSession()
  const data = { email, password }
  await session.context.request.post(`${app.gateway.url}/api/v1/auths/signin`, { data })
  return session
}

it("attaches files dropped anywhere on the chat, and says so while they are dragged", async () => {
  const { page } = visit
  await startChat("a conversation")
  await answers().getByText("You said: a conversation").waitFor()
  const overlay = page.getByText("Drop files to attach")
  await page.evaluate(() => {
    const dataTransfer = new DataTransfer()
    dataTransfer.items.add(new File(["x"], "x.txt"))
    const eventFields = { dataTransfer, bubbles: true, cancelable: true }
    document.querySelector("article")?.dispatchEvent(new DragEvent("dragover", eventFields))
  })
  await overlay.waitFor()
  await page.evaluate(() => {
    document.querySelector("#page")?.dispatchEvent(new DragEvent("dragleave", { bubbles: true }))
  })
  await overlay.waitFor({ state: "detached" })
  await dropFiles(page, "article[data-role=assistant]", [{ name: "tern.txt", text: "Terns dive." }])
  await page.getByRole("button", { name: "Remove tern.txt" }).waitFor()
  expect(await overlay.count()).toBe(0)
})

it("takes the focus once a file is chosen", async () => {
  const { page, open } = visit
  await open("/")
  const choosing = page.waitForEvent("filechooser")
  await page.getByRole("button", { name: "Add files or images" }).click()
  await (await choosing).setFiles({
    name: "chosen.txt",
    mimeType: "text/plain",
    buffer: Buffer.from("chosen"),
  })
  await page.keyboard.type("What does it say?")
  expect(await composer().inputValue()).toBe("What does it say?")
  await composer().fill("")
})

it("never leaves the page for a file or link dropped elsewhere", async () => {
  const { page, open } = visit
  /** Whether the browser would open what is dropped on the element. */
  const opensDrop = (selector: string, kind: "file" | "link"): Promise<boolean> =>
    page.evaluate(
      ([target, what]) => {
        const dataTransfer = new DataTransfer()
        if (what === "file") dataTransfer.items.add(new File(["x"], "x.html"))
        else dataTransfer.setData("text/uri-list", "http://127.0.0.1/")
        const options = { dataTransfer, bubbles: true, cancelable: true }
        const element = document.querySelector(target ?? "")
        if (!element) throw new Error(`no ${target}`)
        const events = ["dragover", "drop"].map((type) => new DragEvent(type, options))
        return events.map((event) => element.dispatchEvent(event)).some((goesOn) => goesOn)
      },
      [selector, kind],
    )
  await open("/")
  expect(await opensDrop("#sidebar", "file")).toBe(false)
  expect(await opensDrop("#page", "link")).toBe(false)
  await open("/models")
  expect(await opensDrop("main h1", "file")).toBe(false)
  expect(await opensDrop("main input", "file")).toBe(false)
  const outside = await app.openSession()
  await outside.open("/sign-in")
  const prevented = await outside.page.evaluate(
    () => !document.body.dispatchEvent(new DragEvent("drop", { bubbles: true, cancelable: true })),
  )
  expect(prevented).toBe(true)
  await outside.context.close()
})

const openWithNewSession = async (
  shared: BrowserSession,
  data: { email: string; password: string },
): Promise<void> => {
  // A page that notices another account reloads itself, which could cut off the navigation below.
  await shared.page.goto("about:blank")
  await shared.context.clearCookies()
  await shared.context.request.post(`${app.gateway.url}/api/v1/auths/signin`, { data })
  await shared.open("/")
}

it("keeps drafts from other accounts in the same browser", async () => {
  const person = { name: "Eve", email: "eve@example.com", password: "a long password" }
  await app.gateway.call("POST", "/api/v1/auths/add", person)
  const shared = await openAs(adminEmail, adminPassword)
  await shared.open("/")
  await shared.page.evaluate("localStorage.setItem('portico.draft.new', 'written by whom?')")
  await shared.page.reload()
  await composer(shared).waitFor()
  expect(await composer(shared).inputValue()).toBe("")
  await composer(shared).fill("a secret plan")
  await dropFiles(shared.page, "#composer", [{ name: "plan.txt", text: "The plan." }])
  await shared.page.getByRole("button", { name: "Remove plan.txt" }).waitFor()
  const { email, password } = person
  await openWithNewSession(shared, { email, password })
  expect(await composer(shared).inputValue()).toBe("")
  expect(await shared.page.getByText("plan.txt").count()).toBe(0)
  expect(await shared.page.evaluate("'portico.draft.new' in localStorage")).toBe(false)
  await openWithNewSession(shared, { email: adminEmail, password: adminPassword })
  expect(await composer(shared).inputValue()).toBe("a secret plan")
  await shared.page.getByText("plan.txt").waitFor()
  await shared.context.close()
})

it("offers the model used last to its account only", async () => {
  const person = { name: "Uma", email: "uma@example.com", password: "a long password" }
  await app.gateway.call("POST", "/api/v1/auths/add", person)
  const { email, password } = person
  const shared = await openAs(email, password)
  const shownModel = async (): Promise<string | null> => {
    const menu = shared.page.locator("[aria-label^='Model: ']").first()
    await menu.waitFor()
    return menu.getAttribute("aria-label")
  }
  await shared.open("/")
  const byDefault = await shownModel()
  const other = byDefault === "Model: gpt-fake" ? "llama3.2:latest" : "gpt-fake"
  // What earlier versions remembered for all accounts.
  await shared.page.evaluate(`localStorage.setItem('portico.models', '["${other}"]')`)
  await shared.page.reload()
  expect(await shownModel()).toBe(byDefault)
  await shared.open(`/?model=${other}`)
  await composer(shared).fill("Hello")
  await composer(shared).press("Enter")
  await shared.page.waitForURL(/\/c\//, { waitUntil: "commit" })
  await shared.open("/")
  expect(await shownModel()).toBe(`Model: ${other}`)
  await openWithNewSession(shared, { email: adminEmail, password: adminPassword })
  await shared.open("/")
  expect(await shownModel()).toBe(byDefault)
  await openWithNewSession(shared, { email, password })
  expect(await shownModel()).toBe(`Model: ${other}`)
  await shared.context.close()
})

it("forgets attachments of a new chat that nothing was written in", async () => {
  const { page, open } = visit
  await open("/")
  await dropFiles(page, "#composer", [{ name: "left.txt", text: "Left behind." }])
  const chip = page.getByRole("button", { name: "Remove left.txt" })
  await chip.waitFor()
  await page.reload()
  await chip.waitFor()
  await page.getByRole("link", { name: "Models", exact: true }).click()
  await page.getByRole("heading", { name: "Models", level: 1 }).waitFor()
  await page.getByRole("link", { name: "New chat" }).click()
  await composer().fill("About this file")
  expect(await chip.count()).toBe(0)
  await dropFiles(page, "#composer", [{ name: "kept.txt", text: "Kept." }])
  await page.getByRole("button", { name: "Remove kept.txt" }).waitFor()
  await page.getByRole("link", { name: "Models", exact: true }).click()
  await page.getByRole("heading", { name: "Models", level: 1 }).waitFor()
  await page.getByRole("link", { name: "New chat" }).click()
  await page.getByRole("button", { name: "Remove kept.txt" }).click()
  expect(await composer().inputValue()).toBe("About this file")
  await composer().fill("")
})

it("returns the focus to the composer after a model is chosen and an edit is sent", async () => {
  const { page, open } = visit
  await open("/?model=gpt-fake")
  await model("gpt-fake").click()
  await page.getByRole("combobox", { name: "Search models" }).fill("reason")
  await page.getByRole("option", { name: /gpt-reason-fake/ }).click()
  await model("gpt-reason-fake").waitFor()
  await expect.poll(() => focusedLabel()).toBe("Message")
  await page.getByRole("button", { name: "Compare with another model" }).press("Enter")
  await page.getByRole("combobox", { name: "Search models" }).fill("gpt-fake")
  await page.keyboard.press("Enter")
  await model("gpt-fake").waitFor()
  await expect.poll(() => focusedLabel()).toBe("Message")
  await page.getByRole("button", { name: "Remove gpt-reason-fake" }).press("Enter")
  expect(await focusedLabel()).toBe("Message")
  await model("gpt-fake").press("Enter")
  await page.getByRole("combobox", { name: "Search models" }).press("Escape")
  await expect.poll(() => focusedLabel()).toBe("Model: gpt-fake")

  await startChat("first wording")
  await answers().getByText("You said: first wording").waitFor()
  await composer().press("ArrowUp")
  await page.getByRole("textbox", { name: "Edit message" }).fill("second wording")
  await page.keyboard.press("Enter")
  await answers().getByText("You said: second wording").waitFor()
  expect(await focusedLabel()).toBe("Message")
  await composer().press("ArrowUp")
  await page.getByRole("textbox", { name: "Edit message" }).press("Escape")
  expect(await focusedLabel()).toBe("Message")
})

it("closes the prompt and parameters with Escape, and never opens them over a phone's page", async () => {
  const { page, open } = visit
  await open("/?model=gpt-fake")
  const button = page.getByRole("button", { name: "Prompt and parameters" })
  const pane = page.getByRole("complementary", { name: "Prompt and parameters" })
  await button.click()
  await pane.getByLabel("System prompt").press("Escape")
  await pane.waitFor({ state: "detached" })
  expect(await focusedLabel()).toBe("Prompt and parameters")
  await button.press("Enter")
  await pane.waitFor()
  await page.reload()
  await pane.waitFor()
  await page.setViewportSize({ width: 390, height: 780 })
  await page.reload()
  await composer().waitFor()
  expect(await pane.count()).toBe(0)
  await button.click()
  await page.keyboard.press("Escape")
  await pane.waitFor({ state: "detached" })
  await page.setViewportSize({ width: 1280, height: 720 })
})

it("queues a message while an answer is written, and sends it afterwards", async () => {
  const { page } = visit
  slowDown(30)
  await startChat(words(80))
  await answers().getByText("word3 ").waitFor()
  await composer().fill("the next question")
  await composer().press("Enter")
  await queued().getByText("Sends when the answer is finished").waitFor()
  await queued().getByText("the next question").waitFor()
  expect(await composer().inputValue()).toBe("")
  await composer().fill("with more")
  await page.getByRole("button", { name: "Send after this answer" }).click()
  await queued().getByRole("button", { name: "Edit queued message" }).click()
  expect(await queued().count()).toBe(0)
  expect(await composer().inputValue()).toBe("the next question\n\nwith more")
  expect(await focusedLabel()).toBe("Message")
  await composer().fill("the only question")
  await composer().press("Enter")
  await queued().waitFor()
  await answers().getByText("You said: the only question").waitFor()
  expect(await queued().count()).toBe(0)
  expect(await answers().first().innerText()).toContain("word79")
})

it("returns a queued message to the composer when the answer is stopped, and on a reload", async () => {
  const { page } = visit
  slowDown(50)
  await startChat(words(100))
  await answers().getByText("word3 ").waitFor()
  await composer().fill("not yet")
  await composer().press("Enter")
  await queued().waitFor()
  await page.getByRole("button", { name: "Stop generating" }).click()
  await page.getByText("your message wasn't sent").waitFor()
  expect(await composer().inputValue()).toBe("not yet")
  expect(await page.locator("article[data-role=user]").count()).toBe(1)
  slowDown(50)
  await page.getByRole("button", { name: "Regenerate" }).click()
  await page.getByRole("button", { name: "Stop generating" }).waitFor()
  await composer().press("Enter")
  await queued().getByRole("button", { name: "Remove queued message" }).waitFor()
  await page.reload()
  await composer().waitFor()
  expect(await composer().inputValue()).toBe("not yet")
  await page.getByRole("button", { name: "Stop generating" }).waitFor()
  await composer().press("Enter")
  await queued().getByRole("button", { name: "Remove queued message" }).click()
  await page.getByRole("button", { name: "Stop generating" }).click()
  expect(await composer().inputValue()).toBe("")
})
