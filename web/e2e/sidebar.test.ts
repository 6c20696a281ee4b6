import { afterAll, beforeAll, expect, it } from "vitest"
import { app, closeAdminApp, startAdminApp, visit } from "./admin-app.ts"
import { dropFiles } from "./drop-files.ts"
import type { BrowserSession } from "./test-app.ts"

beforeAll(() => startAdminApp())
afterAll(closeAdminApp)

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
    const bar = page.getByRole("status").filter({ has: undo })
    // In one step, as the offer ends after a few seconds.
    const covered = await bar.evaluate((element) => {
      const outer = element.getBoundingClientRect()
      const controls = [...document.querySelectorAll("a, button, textarea")]
      return controls
        .filter((control) => !element.contains(control) && control.checkVisibility())
        .filter((control) => {
          const box = control.getBoundingClientRect()
          const isBeside = box.right <= outer.left || box.left >= outer.right
          const isAboveOrBelow = box.bottom <= outer.top || box.top >= outer.bottom
          return box.width > 1 && !isBeside && !isAboveOrBelow
        })
        .map(({ textContent }) => textContent)
    })
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

const isChecked = (title: string) =>
  chats(visit).getByRole("checkbox", { name: title, exact: true }).isChecked()

it("keeps chats in projects with their own instructions, model and files", async () => {
  const { page } = visit
  const id = await createChat({ title: "Dragged" })
  await createChat({ title: "Moved" })
  await visit.open("/")
  await chats(visit).getByRole("link", { name: "Create project" }).click()
  await page.getByRole("textbox", { name: "Name" }).fill("Harbour")
  await page.getByRole("textbox", { name: "Instructions" }).fill("Answer as a pilot.")
  const model = page.getByRole("combobox", { name: "Model for new chats" })
  await model.fill("gpt-fake")
  await model.press("Enter")
  const buffer = Buffer.from("High water at Brest is at six.")
  await page
    .locator("input[name=project-files]")
    .setInputFiles({ name: "tides.md", mimeType: "text/markdown", buffer })
  await page.getByRole("button", { name: "Remove tides.md" }).waitFor()
  await page.getByRole("button", { name: "Create project" }).click()
  await page.getByRole("heading", { name: "Harbour", level: 1 }).waitFor()

  await page.getByRole("button", { name: "Delete project" }).scrollIntoViewIfNeeded()
  await page.evaluate(() => {
    const dataTransfer = new DataTransfer()
    dataTransfer.items.add(new File(["x"], "x.txt"))
    const eventFields = { dataTransfer, bubbles: true, cancelable: true }
    document.querySelector("#page")?.dispatchEvent(new DragEvent("dragover", eventFields))
  })
  const overlay = await page.getByText("Drop files to attach").boundingBox()
  expect(overlay?.y).toBeGreaterThan(100)
  await dropFiles(page, "#page h1", [{ name: "ebb.md", text: "Low water at Brest is at noon." }])
  await page.getByRole("button", { name: "Remove ebb.md" }).waitFor()
  await page.getByRole("button", { name: "Save", exact: true }).click()
  await expect
    .poll(async () => (await app.gateway.call("GET", "/api/v1/folders/")).body[0].files.length)
    .toBe(2)

  // By mouse and by keyboard.
  const project = chats(visit).getByRole("link", { name: "Harbour", exact: true })
  await chats(visit).getByRole("link", { name: "Dragged" }).dragTo(project)
  const inProject = chats(visit)
    .getByRole("region", { name: "Projects" })
    .getByRole("link", { name: "Dragged" })
  await inProject.waitFor()
  expect((await app.gateway.call("GET", `/api/v1/chats/${id}`)).body.folder).toBe("Harbour")
  await openMenu(visit, "Moved")
  await page.getByRole("menuitem", { name: "Move to project" }).click()
  const dialog = page.getByRole("dialog", { name: "Move to project" })
  await dialog.getByRole("combobox", { name: "Project" }).fill("Harb")
  await page.keyboard.press("Enter")
  await dialog.getByRole("button", { name: "Move chat" }).press("Enter")
  await dialog.waitFor({ state: "hidden" })
  await page.locator("#page").getByRole("link", { name: "Moved" }).waitFor()

  await page.locator("#page").getByRole("link", { name: "New chat in this project" }).click()
  await page.getByRole("button", { name: "Model: gpt-fake" }).waitFor()
  const composer = page.getByLabel("Message", { exact: true })
  await composer.fill("When is high water at Brest?")
  await composer.press("Enter")
  await page.locator("article[data-role=assistant]").getByText("You said:").waitFor()
  await page.locator("#page").getByRole("link", { name: "Harbour" }).waitFor()
  const sent = app.provider.requests.find(({ json }) =>
    JSON.stringify(json ?? "").includes("Answer as a pilot."),
  )
  expect(JSON.stringify(sent?.json)).toContain("High water at Brest is at six.")

  await project.click()
  await page.getByRole("textbox", { name: "Name" }).fill("Port")
  await page.getByRole("button", { name: "Save", exact: true }).click()
  await page.getByRole("heading", { name: "Port", level: 1 }).waitFor()
  await page.locator("#page").getByRole("link", { name: "Moved" }).waitFor()
  await page.getByRole("button", { name: "Delete project" }).click()
  await page.getByRole("alertdialog").getByRole("button", { name: "Delete project" }).click()
  await page.waitForURL(`${app.gateway.url}/`)
  await chats(visit).getByRole("link", { name: "Port", exact: true }).waitFor({ state: "hidden" })
  await chats(visit).getByRole("link", { name: "Dragged" }).waitFor()
  expect(visit.pageErrors).toEqual([])
})

it("shows the chats of open projects together with the others", async () => {
  const { page } = visit
  await createChat({ title: "Inside", folder: "Opened" })
  await createChat({ title: "Outside" })
  await visit.open("/")
  await chats(visit).getByRole("button", { name: "Chats in Opened" }).click()
  await chats(visit).getByRole("link", { name: "Inside" }).waitFor()
  const lists = /\/api\/v1\/chats\?.*folder=Opened/
  const othersAnswered = Promise.withResolvers<void>()
  await page.route(lists, async (route) => {
    await othersAnswered.promise
    await route.continue()
  })
  const others = page.waitForResponse(
    (response) => response.url().includes("/api/v1/chats?") && !lists.test(response.url()),
  )
  await page.reload()
  await others
  othersAnswered.resolve()
  await chats(visit).getByRole("link", { name: "Outside" }).waitFor()
  expect(await chats(visit).getByRole("link", { name: "Inside" }).isVisible()).toBe(true)
  await page.unroute(lists)
})

it("selects several chats to move, export, archive and delete them", async () => {
  const { page } = visit
  const titles = ["Fourth", "Third", "Second", "First"]
  for (const title of titles.toReversed()) await createChat({ title })
  await app.gateway.call("POST", "/api/v1/folders/", { name: "Shelf" })
  await visit.open("/")
  const select = async (): Promise<void> => {
    await chats(visit).getByRole("button", { name: "Filter chats: Chats" }).click()
    await page.getByRole("menuitem", { name: "Select chats" }).click()
  }
  const expectFocus = (name: string): Promise<void> =>
    expect
      .poll(() => page.evaluate("document.activeElement?.getAttribute('aria-label')"))
      .toBe(name)
  const box = (title: string) => chats(visit).getByRole("checkbox", { name: title, exact: true })
  await select()
  // Sorted by time, and by ID within the same second.
  await box("Fourth").click()
  await box("Second").click({ modifiers: ["Shift"] })
  await chats(visit).getByText("3 chats selected").waitFor()
  expect(await Promise.all(titles.map(isChecked))).toEqual([true, true, true, false])
  await box("Third").press("Space")
  await chats(visit).getByText("2 chats selected").waitFor()

  const download = page.waitForEvent("download")
  await chats(visit).getByRole("button", { name: "Export selected chats" }).click()
  expect((await download).suggestedFilename()).toBe("portico-chats.json")
  await chats(visit).getByRole("button", { name: "Move to project" }).click()
  const dialog = page.getByRole("dialog", { name: "Move to project" })
  await dialog.getByRole("combobox", { name: "Project" }).fill("Shelf")
  await page.keyboard.press("Enter")
  await dialog.getByRole("button", { name: "Move 2 chats" }).click()
  await dialog.waitFor({ state: "hidden" })
  await expectFocus("Filter chats: Chats")
  const { body: moved } = await app.gateway.call("GET", "/api/v1/chats/?folder=Shelf")
  expect(moved.total).toBe(2)
  await select()
  await expectFocus("Stop selecting")
  await page.keyboard.press("Escape")
  await expectFocus("Filter chats: Chats")

  await select()
  await box("Third").check()
  await chats(visit).getByRole("button", { name: "Archive selected chats" }).click()
  await chats(visit).getByRole("link", { name: "Third" }).waitFor({ state: "hidden" })
  await select()
  await box("First").check()
  await chats(visit).getByRole("button", { name: "Delete selected chats" }).click()
  await chats(visit).getByRole("link", { name: "First" }).waitFor({ state: "hidden" })
  await page.getByRole("button", { name: "Undo" }).click()
  await chats(visit).getByRole("link", { name: "First" }).waitFor()
})

it("has one bar on a phone, with the sidebar, the model and the actions", async () => {
  const session = await app.asAdmin({ viewport: { width: 390, height: 800 } })
  const { page } = session
  await session.open(`/c/${await seedChat("On the phone", "Hello")}`)
  const controls = [
    page.getByRole("button", { name: "Open sidebar" }),
    page.getByRole("button", { name: "Model: gpt-fake" }),
    page.getByRole("button", { name: "More actions for this chat", exact: true }),
    page.getByRole("button", { name: "New chat" }),
  ]
  for (const control of controls) {
    await control.waitFor()
    const box = await control.boundingBox()
    expect(box && box.y + box.height <= 48 && box.x + box.width <= 390).toBe(true)
  }
  const messages = await page.getByRole("region", { name: "Messages" }).boundingBox()
  expect(messages?.y).toBe(48)
  await session.context.close()
})
