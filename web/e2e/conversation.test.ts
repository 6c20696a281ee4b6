import { afterAll, beforeAll, expect, it } from "vitest"
import { upload } from "../../server/test/knowledge/collections.ts"
import { app, closeAdminApp, startAdminApp, visit } from "./admin-app.ts"
import type { BrowserSession } from "./test-app.ts"

beforeAll(() => startAdminApp())
afterAll(closeAdminApp)

const composer = ({ page }: BrowserSession) => page.getByLabel("Message", { exact: true })
const answers = ({ page }: BrowserSession) => page.locator("article[data-role=assistant]")
const status = ({ page }: BrowserSession) => page.locator("p[role=status].sr-only")

const ask = async (on: BrowserSession, text: string, model = "gpt-fake"): Promise<void> => {
  await on.page.goto(`${app.gateway.url}/?model=${model}`)
  await composer(on).fill(text)
  await composer(on).press("Enter")
  await on.page.waitForURL(/\/c\//, { waitUntil: "commit" })
}
const slowDown = (ms: number): void =>
  app.provider.injectFault({ kind: "slow_frames", ms }, { on: /chat/ })

/** Signs in a new user in a browser of their own. */
const openAs = async (name: string): Promise<BrowserSession> => {
  const email = `${name.toLowerCase()}@example.com`
  const password = `${name} has a password`
  await app.gateway.call("POST", "/api/v1/auths/add", { name, email, password })
  const session = await app.openSession()
  const data = { email, password }
  await session.context.request.post(`${app.gateway.url}/api/v1/auths/signin`, { data })
  return session
}

it("names the owner of a shared chat instead of addressing its reader", async () => {
  const reader = await openAs("Reader")
  const { key } = await app.gateway.createUser("Sharer")
  const created = await app.gateway.call(
    "POST",
    "/api/v1/chats/new",
    { models: ["gpt-fake"] },
    { key },
  )
  const path = `/api/v1/chats/${created.body.id}`
  await app.gateway.call("POST", `${path}/messages`, { content: "from its owner" }, { key })
  await app.gateway.call("POST", `${path}/share`, { shared: true }, { key })
  await reader.page.goto(`${app.gateway.url}/s/${created.body.id}`)
  await reader.page.getByText("Shared by Sharer · read-only").waitFor()
  await reader.page.getByRole("heading", { name: "Sharer", exact: true }).waitFor()
  expect(await reader.page.getByRole("heading", { name: "You", exact: true }).count()).toBe(0)
  await reader.context.close()
})

it("tells screen readers how an answer ended", async () => {
  await ask(visit, "an answer that is complete")
  await expect.poll(() => status(visit).textContent()).toBe("gpt-fake has answered")

  slowDown(100)
  await ask(visit, "an answer that is stopped on the way, long before its end")
  await answers(visit).getByText("You said").waitFor()
  await visit.page.getByRole("button", { name: "Stop generating" }).click()
  await expect.poll(() => status(visit).textContent()).toBe("gpt-fake was stopped")

  app.provider.injectFault({ kind: "status", status: 400 }, { on: /chat/ })
  await ask(visit, "an answer that fails")
  await expect.poll(() => status(visit).textContent()).toBe("gpt-fake failed to answer")
})

it("counts the seconds while a model thinks, and keeps how long it thought", async () => {
  const { page } = visit
  slowDown(400)
  await ask(visit, "think about this for a while", "gpt-reason-fake")
  await page.getByText(/^Thinking · [1-9]\d* s$/).waitFor()
  await page.reload()
  await page.getByText(/^Thinking · [1-9]\d* s$/).waitFor()
  await page.getByText(/^Thought for [1-9]\d* s$/).waitFor()
  await page.reload()
  await page.getByText(/^Thought for [1-9]\d* s$/).waitFor()
})

it("shows the user's messages on the right and the model's name with its initial", async () => {
  const { page } = visit
  await ask(visit, "short")
  await answers(visit).getByText("You said: short").waitFor()
  const box = (selector: string) => page.locator(selector).boundingBox()
  const turn = await box("article[data-role=user]")
  const bubble = await box("article[data-role=user] p")
  if (!turn || !bubble) throw new Error("The message has no box")
  expect(bubble.x + bubble.width).toBeCloseTo(turn.x + turn.width, 0)
  expect(bubble.x).toBeGreaterThan(turn.x + turn.width / 2)
  await page.getByRole("heading", { name: "gpt-fake", exact: true }).waitFor()
})

it("compares answers over the full width, each with its time and tokens in view", async () => {
  const { page } = visit
  const created = await app.gateway.call("POST", "/api/v1/chats/new", {
    models: ["gpt-fake", "gpt-reason-fake"],
  })
  const content = Array.from({ length: 400 }, (_, line) => `line ${line}\n\n`).join("")
  await app.gateway.call("POST", `/api/v1/chats/${created.body.id}/messages`, { content })
  await page.goto(`${app.gateway.url}/c/${created.body.id}`)
  const totals = page.getByText(/^[\d.]+ m?s · (about )?[\d,]+ tokens$/)
  await totals.nth(1).waitFor()
  const messages = page.getByRole("region", { name: "Messages" })
  const columns = page.locator(".side-by-side")
  const width = async (of: typeof columns) => (await of.boundingBox())?.width ?? 0
  expect(await width(columns)).toBeGreaterThan((await width(messages)) - 60)
  await messages.evaluate((region) => {
    region.scrollTop = region.scrollHeight / 2
  })
  for (const name of ["gpt-fake", "gpt-reason-fake"]) {
    const heading = page.getByRole("heading", { name, exact: true })
    await expect.poll(() => heading.isVisible()).toBe(true)
    const top = (await heading.boundingBox())?.y ?? -1
    const start = (await messages.boundingBox())?.y ?? 0
    expect(top).toBeGreaterThanOrEqual(start)
    expect(top).toBeLessThan(start + 40)
  }
})

it("answers again with another model", async () => {
  const { page } = visit
  await ask(visit, "who answers")
  await answers(visit).getByText("You said: who answers").waitFor()
  await page.getByRole("button", { name: "Answer with another model" }).click()
  await page.getByRole("combobox", { name: "Search models" }).fill("gpt-reason")
  await page.getByRole("option", { name: /gpt-reason-fake/ }).click()
  await page.getByRole("heading", { name: "gpt-reason-fake", exact: true }).waitFor()
  await page.getByText("2/2").waitFor()
  await expect.poll(() => page.locator(":focus").getAttribute("id")).toBe("composer")
  await page.getByRole("button", { name: "Previous version" }).click()
  await page.getByRole("heading", { name: "gpt-fake", exact: true }).waitFor()
})

it("keeps the user's version of an answer next to the original", async () => {
  const { page } = visit
  await ask(visit, "edit the answer")
  await answers(visit).getByText("You said: edit the answer").waitFor()
  await page.getByRole("button", { name: "More actions for this answer" }).click()
  await page.getByRole("menuitem", { name: "Edit answer" }).click()
  const field = page.getByRole("textbox", { name: "Edit answer" })
  expect(await field.inputValue()).toBe("You said: edit the answer")
  await field.fill("My **own** words")
  await field.press("Enter")
  await field.pressSequentially("and more")
  await field.press("Control+Enter")
  await answers(visit).locator("strong").getByText("own").waitFor()
  await page.getByText("Edited", { exact: true }).waitFor()
  expect(await page.evaluate(() => document.activeElement?.id)).toBe("composer")
  await page.reload()
  await answers(visit).getByText("and more").waitFor()
  await page.getByText("2/2").waitFor()
  expect(await page.getByRole("button", { name: "Good answer" }).count()).toBe(0)
})

it("rates an answer with a reason, which administrators see", async () => {
  const { page } = visit
  await ask(visit, "rate the answer")
  await answers(visit).getByText("You said: rate the answer").waitFor()
  await page.getByRole("button", { name: "Bad answer" }).click()
  const field = page.getByRole("textbox", { name: "What was wrong?" })
  await field.fill("It only repeats me")
  await field.press("Enter")
  await page.getByText("Your reason: It only repeats me").waitFor()
  expect(await page.locator(":focus").getAttribute("aria-label")).toBe("Bad answer")
  await page.reload()
  await page.getByText("Your reason: It only repeats me").waitFor()
  await page.getByRole("button", { name: "Bad answer", pressed: true }).waitFor()
  const chat = page.url()

  await page.goto(`${app.gateway.url}/admin/users`)
  await page.getByRole("link", { name: "Ratings", exact: true }).first().click()
  const list = page.getByRole("table", { name: "Ratings" })
  const row = list.getByRole("row", { name: /It only repeats me/ })
  await row.getByRole("link", { name: "Portico Administrator" }).waitFor()
  const summary = page.getByRole("table", { name: "By model" })
  await summary.getByRole("row", { name: /gpt-fake 0 1/ }).waitFor()
  await page.getByRole("searchbox", { name: "Search reasons" }).fill("nothing like it")
  await page.getByText("It only repeats me").waitFor({ state: "detached" })

  await page.goto(chat)
  await page.getByRole("button", { name: "Bad answer", pressed: true }).click()
  await page.getByRole("button", { name: "Bad answer", pressed: false }).waitFor()
  await page.reload()
  await page.getByRole("button", { name: "Bad answer", pressed: false }).waitFor()
})

it("continues a shared chat in a copy of one's own", async () => {
  await ask(visit, "continue this")
  await answers(visit).getByText("You said: continue this").waitFor()
  const id = visit.page.url().split("/").at(-1)
  await app.gateway.call("POST", `/api/v1/chats/${id}/share`, { shared: true })
  const reader = await openAs("Copier")
  await reader.page.goto(`${app.gateway.url}/s/${id}`)
  await reader.page.getByRole("button", { name: "Continue in your own copy" }).click()
  await reader.page.waitForURL(
    (url) => /\/c\//.test(url.pathname) && !url.pathname.includes(`${id}`),
  )
  await expect.poll(() => reader.page.evaluate(() => document.activeElement?.id)).toBe("composer")
  await reader.page.keyboard.type("in my words")
  await reader.page.keyboard.press("Enter")
  await answers(reader).getByText("You said: in my words").waitFor()
  await answers(reader).getByText("You said: continue this").waitFor()
  expect(reader.pageErrors).toEqual([])
  await reader.context.close()
})

it("reads an answer aloud without its Markdown, and stops", async () => {
  const listener = await app.asAdmin()
  // Headless Chromium has no voices.
  await listener.context.addInitScript(() => {
    const spoken: string[] = []
    const speech = {
      speak: ({ text }: { text: string }) => void spoken.push(text),
      cancel: () => void spoken.push("(stopped)"),
    }
    Object.defineProperty(window, "speechSynthesis", { value: speech })
    Object.defineProperty(window, "spoken", { value: spoken })
  })
  const readAloud = async (at: number): Promise<void> => {
    const answer = answers(listener).nth(at)
    await answer.hover()
    await answer.getByRole("button", { name: "More actions for this answer" }).click()
    await listener.page.getByRole("menuitem", { name: "Read aloud" }).click()
    await answer.getByRole("button", { name: "Stop reading" }).waitFor()
  }
  await ask(listener, "**loud** and `clear`")
  await answers(listener).locator("strong").waitFor()
  await composer(listener).fill("again")
  await composer(listener).press("Enter")
  await answers(listener).getByText("You said: again").waitFor()
  await readAloud(1)
  await readAloud(0)
  await listener.page.getByRole("button", { name: "Stop reading" }).click()
  await expect
    .poll(() => listener.page.getByRole("button", { name: "Stop reading" }).count())
    .toBe(0)
  expect(await listener.page.evaluate("window.spoken")).toEqual([
    "(stopped)",
    "You said: again",
    "(stopped)",
    "You said: loud and clear",
    "(stopped)",
  ])
  const focused = listener.page.locator(":focus")
  expect(await focused.getAttribute("aria-label")).toBe("More actions for this answer")
  await listener.context.close()
})

it("shows sources without Markdown marks, and how each begins before it is opened", async () => {
  const { page } = visit
  const names = ["tides.md", "keys.md"]
  const query = "?process_in_background=false"
  const files = await Promise.all(
    names.map(async (name) => {
      const text = `# Keys\n\nThe **file** ${name} begins with tides and keys.`
      const { body } = await upload(app.gateway, name, text, { query })
      return { type: "file", id: body.id }
    }),
  )
  const created = await app.gateway.call("POST", "/api/v1/chats/new", { models: ["gpt-fake"] })
  const content = "What of tides and keys? [1]"
  await app.gateway.call("POST", `/api/v1/chats/${created.body.id}/messages`, { content, files })
  await page.goto(`${app.gateway.url}/c/${created.body.id}`)
  await page.getByRole("button", { name: "1 more source" }).click()
  const pane = page.getByRole("complementary", { name: "Sources" })
  const closed = page.getByRole("button", { expanded: false })
  const entry = pane.getByRole("listitem").filter({ has: closed })
  await entry.getByText(/^The file (tides|keys)\.md begins/).waitFor()
  const passage = pane.locator("mark")
  await passage.waitFor()
  expect(await passage.textContent()).toMatch(/^Keys\s+The file (tides|keys)\.md begins/)
})

it("has no page error so far", () => expect(visit.pageErrors).toEqual([]))
