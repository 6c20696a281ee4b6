import { afterAll, beforeAll, expect, it } from "vitest"
import { app, closeAdminApp, startAdminApp, visit } from "./admin-app.ts"
import type { BrowserSession } from "./test-app.ts"

beforeAll(() => startAdminApp())
afterAll(closeAdminApp)

/** At 60 frames per second. */
const frameMs = 1000 / 60

const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
)
const composer = ({ page }: BrowserSession) => page.getByLabel("Message", { exact: true })
const answers = ({ page }: BrowserSession) => page.locator("article[data-role=assistant]")

const sendMessage = async (on: BrowserSession, text: string): Promise<void> => {
  await composer(on).fill(text)
  await composer(on).press("Enter")
  await on.page.waitForURL(/\/c\//, { waitUntil: "commit" })
}

it("sends images to vision models and warns about other models", async () => {
  const { page } = visit
  await page.goto(`${app.gateway.url}/?model=gpt-fake`)
  const hostile = "<img src=x onerror=window.hacked=1>.png"
  const picker = page.locator("input[name=attachments]")
  await picker.setInputFiles({ name: hostile, mimeType: "image/png", buffer: png })
  await page.getByRole("img", { name: hostile }).waitFor()
  await sendMessage(visit, "Look at this")
  await answers(visit).getByText("I see 1 image. You said: Look at this").waitFor()
  const shown = page.locator("article[data-role=user] img")
  expect(await shown.evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBe(1)
  expect(await page.evaluate("window.hacked")).toBe(undefined)

  await page.goto(`${app.gateway.url}/?model=llama3.2:latest`)
  await picker.setInputFiles({ name: "sea.png", mimeType: "image/png", buffer: png })
  await page.getByText("llama3.2:latest doesn't support images").waitFor()
  await page.getByRole("button", { name: "Remove image sea.png" }).click()
  await picker.setInputFiles({ name: "a.bmp", mimeType: "image/bmp", buffer: png })
  await page.getByText("a.bmp isn't a supported image").waitFor()
})

it("accepts images by paste and drop", async () => {
  const { page } = visit
  await page.goto(`${app.gateway.url}/?model=gpt-fake`)
  const box = composer(visit)
  await box.waitFor()
  const insertImage = (kind: "paste" | "drop", name: string, type: string) =>
    box.evaluate(
      (area, input) => {
        const data = new DataTransfer()
        const bytes = Uint8Array.from(atob(input.bytes), (character) => character.charCodeAt(0))
        data.items.add(new File([bytes], input.name, { type: input.type }))
        const options = { bubbles: true, cancelable: true }
        area.dispatchEvent(
          input.kind === "paste"
            ? new ClipboardEvent("paste", { ...options, clipboardData: data })
            : new DragEvent("drop", { ...options, dataTransfer: data }),
        )
      },
      { kind, name, type, bytes: png.toString("base64") },
    )
  await insertImage("paste", "pasted.png", "image/png")
  await page.getByRole("img", { name: "pasted.png" }).waitFor()
  await insertImage("drop", "dropped.png", "image/png")
  await page.getByRole("img", { name: "dropped.png" }).waitFor()
  await sendMessage(visit, "Both of them")
  await answers(visit).getByText("I see 2 images. You said: Both of them").waitFor()
})

it("shares a chat read-only and stops sharing it", async () => {
  const { page } = visit
  await page.goto(`${app.gateway.url}/?model=gpt-fake`)
  await sendMessage(visit, "for everybody here")
  await answers(visit).getByText("You said: for everybody here").waitFor()
  await page.getByRole("button", { name: "More actions for this chat", exact: true }).click()
  await page.getByRole("menuitem", { name: "Share chat" }).click()
  await page.getByRole("button", { name: "Share chat" }).click()
  const link = await page.getByRole("textbox", { name: "Link" }).inputValue()
  await page.getByText("Attached files and sources stay hidden").waitFor()
  // The dialog hides the page from screen readers.
  const sharedMark = { name: "Shared with your organization", includeHidden: true }
  const markInSidebar = page.locator("#sidebar").getByRole("img", sharedMark)
  await markInSidebar.waitFor()
  await page.locator("main").getByRole("img", sharedMark).waitFor()

  const email = "reader@example.com"
  const password = "a reader has a password"
  await app.gateway.call("POST", "/api/v1/auths/add", { name: "Reader", email, password })
  const reader = await app.openSession()
  await reader.context.request.post(`${app.gateway.url}/api/v1/auths/signin`, {
    data: { email, password },
  })
  await reader.page.goto(link)
  await answers(reader).getByText("You said: for everybody here").waitFor()
  await reader.page.getByText("Shared by Portico Administrator · read-only").waitFor()
  expect(await composer(reader).count()).toBe(0)
  expect(await reader.page.getByRole("button", { name: "Edit message" }).count()).toBe(0)

  await page.getByRole("button", { name: "Stop sharing" }).click()
  await markInSidebar.waitFor({ state: "detached" })
  await reader.page.reload()
  await reader.page.getByText("Chat not found").waitFor()
  await reader.context.close()
})

it("saves the system prompt and parameters of a chat", async () => {
  const { page } = visit
  await page.goto(`${app.gateway.url}/?model=gpt-fake`)
  await page.getByRole("button", { name: "Prompt and parameters" }).click()
  await page.getByLabel("System prompt").fill("Answer like a pilot.")
  await page.getByLabel("Temperature").fill("3")
  await page.getByText("Enter a number from 0 to 2.").waitFor()
  await page.getByLabel("Temperature").fill("0.3")
  await page.waitForTimeout(800)
  await sendMessage(visit, "with a prompt")
  await answers(visit).getByText("You said: with a prompt").waitFor()
  expect(app.provider.requests.findLast(({ path }) => /chat/.test(path))?.json).toMatchObject({
    temperature: 0.3,
    messages: [{ role: "system", content: "Answer like a pilot." }, { role: "user" }],
  })
  await page.reload()
  expect(await page.getByLabel("System prompt").inputValue()).toBe("Answer like a pilot.")
  await page.getByRole("button", { name: "Close" }).click()
})

it("works by keyboard, at a width of 360 pixels, in German", async () => {
  const german = await app.asAdmin({
    locale: "de-DE",
    viewport: { width: 360, height: 700 },
  })
  const { page } = german
  await page.goto(`${app.gateway.url}/?model=gpt-fake`)
  await page.getByLabel("Nachricht", { exact: true }).waitFor()
  await page.keyboard.type("Wie steht die Tide?")
  await page.keyboard.press("Enter")
  await answers(german).getByText("You said: Wie steht die Tide?").waitFor()
  // Messages cannot be edited until the answer is complete.
  await page.locator("[data-running]").waitFor({ state: "detached" })
  await page.keyboard.press("ArrowUp")
  await page.keyboard.type(" Und wann?")
  await page.keyboard.press("Enter")
  await answers(german).getByText("You said: Wie steht die Tide? Und wann?").waitFor()
  await page.keyboard.press("Control+k")
  await page.keyboard.type("Wie steht")
  await page
    .getByRole("option", { name: /^Wie steht die Tide/ })
    .first()
    .waitFor()
  await page.keyboard.press("Escape")
  const wide = await page.evaluate("document.documentElement.scrollWidth")
  expect(wide).toBeLessThanOrEqual(360)
  await german.context.close()
})

it("scrolls smoothly through 200 messages", { timeout: 90_000 }, async () => {
  const { page } = visit
  const messages = Array.from({ length: 200 }, (_, index) => ({
    id: String(index),
    parent_id: index === 0 ? null : String(index - 1),
    role: index % 2 === 0 ? "user" : "assistant",
    model: "gpt-fake",
    content: `Message ${index}\n\n${"Some **words** and `code` about the tide. ".repeat(12)}\n\n- a\n- b`,
    created_at: 1,
  }))
  const times = { created_at: 1, updated_at: 1 }
  const chat = { title: "Long", models: ["gpt-fake"], current_id: "199", messages, ...times }
  const { body } = await app.gateway.call("POST", "/api/v1/chats/import", { chats: [chat] })
  await page.goto(`${app.gateway.url}/c/${body.ids[0]}`)
  await page.getByText("Message 199").waitFor()
  const box = page.getByRole("region", { name: "Messages" })
  expect(await box.evaluate((e) => e.scrollHeight - e.scrollTop - e.clientHeight)).toBeLessThan(5)
  const session = await visit.context.newCDPSession(page)
  await session.send("Performance.enable", { timeDomain: "threadTicks" })
  /** CPU time of the page's main thread, in ms; other processes barely affect it. */
  const usedMs = async (): Promise<number> => {
    const { metrics } = await session.send("Performance.getMetrics")
    return 1000 * (metrics.find(({ name }) => name === "TaskDuration")?.value ?? Number.NaN)
  }
  const frames: number[] = []
  let before = await usedMs()
  for (let step = 0; step < 40; step++) {
    await box.evaluate(async (element) => {
      element.scrollTop -= 600
      await new Promise(requestAnimationFrame)
    })
    const now = await usedMs()
    frames.push(now - before)
    before = now
  }
  const scrolled = await box.evaluate((e) => e.scrollHeight - e.scrollTop - e.clientHeight)
  expect(scrolled).toBeGreaterThan(20_000)
  // Compared with the median frame, because a slow machine takes longer for both.
  const median = frames.toSorted((a, b) => a - b)[frames.length / 2] ?? Number.NaN
  expect(Math.max(...frames)).toBeLessThan(Math.max(6 * frameMs, 4 * median))
})

it("shows all messages of a chat that is loaded in several pages", async () => {
  const { page } = visit
  const messages = Array.from({ length: 1100 }, (_, n) => ({
    id: `${n}`,
    parent_id: n === 0 ? null : `${n - 1}`,
    role: n % 2 === 0 ? "user" : "assistant",
    content: `message number ${n}.`,
    created_at: 1,
  }))
  const chat = { title: "Long", models: ["gpt-fake"], created_at: 1, updated_at: 1, messages }
  const { body } = await app.gateway.call("POST", "/api/v1/chats/import", { chats: [chat] })
  await page.goto(`${app.gateway.url}/c/${body.ids[0]}`)
  await answers(visit).getByText("message number 1099.", { exact: true }).waitFor()
  await page.getByText("message number 0.", { exact: true }).waitFor({ state: "attached" })
  expect(await page.locator("article[data-role]").count()).toBe(1100)
  await sendMessage(visit, "and one more")
  await answers(visit).getByText("You said: and one more").waitFor()
})

it("shows the result of an import until the sidebar over a phone's page is closed", async () => {
  const { page, open, context } = await app.asAdmin({ viewport: { width: 390, height: 800 } })
  await open("/models")
  const result = page.getByText("0 chats imported")
  const opener = page.getByRole("button", { name: "Open sidebar" })
  await opener.click()
  const buffer = Buffer.from(JSON.stringify({ portico_chats: 1, chats: [] }))
  const file = { name: "chats.json", mimeType: "application/json", buffer }
  await page.locator("#sidebar input[type=file]").setInputFiles(file)
  await result.waitFor()
  await page.keyboard.press("Escape")
  await opener.click()
  await page.getByRole("button", { name: /^Filter chats/ }).waitFor()
  expect(await result.count()).toBe(0)
  await context.close()
})

it("imports a file with any number of chats and exports all chats", async () => {
  const { page } = visit
  await page.goto(app.gateway.url)
  const message = { id: "1", parent_id: null, role: "user", content: "ahoy", created_at: 1 }
  const chats = Array.from({ length: 450 }, (_, n) => ({
    ...{ title: `Old chat ${n}`, current_id: "1", created_at: 1, updated_at: 1 },
    messages: [message],
  }))
  const buffer = Buffer.from(JSON.stringify({ portico_chats: 1, chats }))
  const file = { name: "chats.json", mimeType: "application/json", buffer }
  await page.locator('input[accept=".json,.md,.markdown"]').setInputFiles(file)
  await page.getByText("450 chats imported").waitFor()
  await page.getByRole("button", { name: /^Filter/ }).click()
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("menuitem", { name: "Export all chats" }).click(),
  ])
  const written: string[] = []
  for await (const chunk of await download.createReadStream()) written.push(String(chunk))
  const titles = JSON.parse(written.join("")).chats.map(({ title }: { title: string }) => title)
  expect(new Set(titles)).toEqual(new Set([...titles, ...chats.map(({ title }) => title)]))
  expect(titles.length).toBeGreaterThanOrEqual(450)
})
