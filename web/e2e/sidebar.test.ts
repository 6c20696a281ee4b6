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

it("imports the same file once and lets the result be dismissed", async () => {
  const { page } = visit
  const exported = (title: string) => ({
    title,
    created_at: 1,
    updated_at: 1,
    messages: [{ id: title, role: "user", content: title, created_at: 1 }],
  })
  const importAll = async (...titles: string[]): Promise<void> => {
    const content = JSON.stringify({ portico_chats: 1, chats: titles.map(exported) })
    const file = { name: "chats.json", mimeType: "application/json", buffer: Buffer.from(content) }
    await page.locator("#sidebar input[type=file]").setInputFiles(file)
  }
  await visit.open("/")
  await importAll("Import one", "Import two")
  await chats(visit).getByText("2 chats imported").waitFor()
  await importAll("Import one", "Import two", "Import three")
  await chats(visit).getByText("1 imported, 2 already here").waitFor()
  const rows = chats(visit).getByRole("link", { name: /^Import/ })
  expect((await rows.allTextContents()).toSorted()).toEqual([
    "Import one",
    "Import three",
    "Import two",
  ])
  await chats(visit).getByRole("button", { name: "Dismiss" }).click()
  expect(await chats(visit).getByText("already here").count()).toBe(0)

  await importAll("Import one")
  await chats(visit).getByText("0 imported, 1 already here").waitFor()
  await page.getByRole("link", { name: "Models" }).click()
  await page.getByRole("heading", { name: "Models", level: 1 }).waitFor()
  expect(await chats(visit).getByText("already here").count()).toBe(0)
})

const openMenu = async (session: BrowserSession, title: string): Promise<void> => {
  const row = chats(session).getByRole("listitem").filter({ hasText: title })
  await row.hover()
  await row.getByRole("button", { name: `More actions for this chat: ${title}` }).click()
}

it.each([1440, 390])(
  "offers to undo a deletion without covering anything at %i px",
  async (width) => {
    const title = `Deleted at ${width}`
    const session = await app.asAdmin({ viewport: { width, height: 800 } })
    const { page } = session
    const id = await createChat({ title })
    await session.open(`/c/${id}`)
    await page.getByRole("button", { name: "More actions for this chat", exact: true }).click()
    await page.getByRole("menuitem", { name: "Delete chat" }).click()
    const undo = page.getByRole("button", { name: "Undo" })
    await undo.waitFor()
    await page.waitForURL(`${app.gateway.url}/`)
    const boxOf = async (locator: ReturnType<typeof page.locator>) => {
      const box = await locator.boundingBox()
      if (!box) throw new Error("not visible")
      return box
    }
    const bar = await boxOf(page.getByRole("status").filter({ has: undo }))
    const controls = await page.locator("a:visible, button:visible, textarea:visible").all()
    const covered: string[] = []
    for (const control of controls) {
      const box = await boxOf(control)
      const isInside = (await control.textContent()) === "Undo"
      const overlaps =
        box.x < bar.x + bar.width &&
        bar.x < box.x + box.width &&
        box.y < bar.y + bar.height &&
        bar.y < box.y + box.height
      if (overlaps && !isInside && box.width > 1) covered.push(await control.innerText())
    }
    expect(covered).toEqual([])
    await undo.click()
    await session.open(`/c/${id}`)
    await page.getByLabel("Message", { exact: true }).waitFor()
    expect((await app.gateway.call("GET", `/api/v1/chats/${id}`)).status).toBe(200)
    await session.context.close()
  },
)

it("reports a change that failed, with a retry", async () => {
  const { page } = visit
  const id = await createChat({ title: "Unpinnable" })
  await visit.open("/")
  await page.route(`**/api/v1/chats/${id}`, (route) =>
    route.fulfill({ status: 503, json: { detail: "The database is busy.", code: "unavailable" } }),
  )
  await openMenu(visit, "Unpinnable")
  await page.getByRole("menuitem", { name: "Pin chat" }).click()
  const dialog = page.getByRole("dialog", { name: "Couldn't change the chat" })
  await dialog.getByText("The database is busy.").waitFor()
  await page.unroute(`**/api/v1/chats/${id}`)
  await dialog.getByRole("button", { name: "Try again" }).click()
  await dialog.waitFor({ state: "hidden" })
  await expect
    .poll(async () => (await app.gateway.call("GET", `/api/v1/chats/${id}`)).body.pinned)
    .toBe(true)
})
