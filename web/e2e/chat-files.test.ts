import { setTimeout as sleep } from "node:timers/promises"
import { afterAll, beforeAll, expect, it } from "vitest"
import { itInLongForm } from "../../server/test/harness/long-form.ts"
import { createCollection, upload } from "../../server/test/knowledge/collections.ts"
import { app, closeAdminApp, startAdminApp, visit } from "./admin-app.ts"
import { dropFiles } from "./drop-files.ts"

const wait = "?process_in_background=false"

beforeAll(async () => {
  await startAdminApp()
  const files = await Promise.all(
    ["Sales of beetles rose in spring.", "Sales of beetles fell in autumn."].map((text) =>
      upload(app.gateway, "report.txt", text, { query: wait }),
    ),
  )
  const blank = await upload(app.gateway, "blank.txt", "\n \n", { query: wait })
  const ids = [...files, blank].map(({ body }) => body.id)
  await createCollection(app.gateway, "Beetle reports", ids)
})
afterAll(closeAdminApp)

const composer = () => visit.page.getByLabel("Message", { exact: true })
const attached = () => visit.page.getByRole("list", { name: "Attached" })
const answers = () => visit.page.locator("article[data-role=assistant]")

const startChat = async (): Promise<void> => {
  await visit.page.goto(`${app.gateway.url}/?model=gpt-fake`)
  await composer().waitFor()
  for (const one of await attached()
    .getByRole("button", { name: /^Remove/ })
    .all()) {
    await one.click()
  }
}
const sendMessage = async (text: string): Promise<void> => {
  await composer().fill(text)
  await composer().press("Enter")
  await visit.page.waitForURL(/\/c\//, { waitUntil: "commit" })
}

itInLongForm(
  "attaches a collection with # and the keyboard, and keeps it for the next question",
  async () => {
    const { page } = visit
    await startChat()
    await composer().pressSequentially("How did sales do? [1] [2] #beet")
    const options = page.getByRole("listbox", { name: "Collections and files" }).getByRole("option")
    await options.getByText("Beetle reports").waitFor()
    await page.keyboard.press("Enter")
    await attached().getByText("Beetle reports").waitFor()
    expect(await composer().inputValue()).toBe("How did sales do? [1] [2] ")
    await composer().pressSequentially("of beetles")
    await page.keyboard.press("Enter")
    await page.waitForURL(/\/c\//, { waitUntil: "commit" })
    const sources = answers().getByRole("list", { name: "Sources" })
    await sources.getByText("report.txt (1)").waitFor()
    await sources.getByText("report.txt (2)").waitFor()
    await answers().getByText("1 file couldn't be searched").click()
    await answers().getByText("blank.txt").waitFor()
    await attached().getByText("Beetle reports").first().waitFor()
    const question = page.locator("article[data-role=user]")
    await question.getByRole("link", { name: "Beetle reports" }).waitFor()

    await composer().fill("Which interest rate did the bank announce?")
    await composer().press("Enter")
    await answers().last().getByText("You said: Which interest rate").waitFor()
  },
)

it("uploads dropped files, sends once they are uploaded, and opens a passage in its file", async () => {
  const { page } = visit
  await startChat()
  const shown = Promise.withResolvers<void>()
  await page.route("**/api/v1/files/", async (route) => {
    await shown.promise
    await route.continue()
  })
  const text = `${"Some words before. ".repeat(20)}\n\nThe cormorant dives to forty metres.\n\n${"Some words after. ".repeat(20)}`
  await dropFiles(page, "#composer", [{ name: "birds.txt", text }])
  await composer().fill("How deep does the cormorant dive? [1]")
  await composer().press("Enter")
  await page.getByText("Your message will be sent when 1 upload finishes").waitFor()
  shown.resolve()
  await page.waitForURL(/\/c\//, { waitUntil: "commit" })
  await page.getByText("Attachments also apply to your next message").waitFor()
  await answers().getByRole("button", { name: "Source 1: birds.txt" }).first().click()
  const pane = page.getByRole("complementary", { name: "Sources" })
  await pane.locator("mark").getByText("cormorant").waitFor()
  await pane.getByRole("link", { name: "Open file" }).click()
  await page.getByRole("heading", { name: "birds.txt", level: 1 }).waitFor()
  await page.unroute("**/api/v1/files/")
})

itInLongForm("adds an upload to the attachments of the last message only", async () => {
  const { page } = visit
  await startChat()
  await dropFiles(page, "#composer", [{ name: "first.txt", text: "Herons stand still." }])
  await attached().getByText("first.txt").waitFor()
  await sendMessage("What do herons do?")
  await answers().getByText("You said: What do herons do?").waitFor()
  await dropFiles(page, "#composer", [{ name: "second.txt", text: "Gulls shout." }])
  const chips = page.getByRole("button", { name: /^Remove (first|second)/ })
  await expect.poll(() => chips.count()).toBe(2)
  await page.getByRole("button", { name: "Remove first.txt" }).click()
  await composer().fill("And gulls?")
  await composer().press("Enter")
  await answers().getByText("You said: And gulls?").waitFor()
  await dropFiles(page, "#composer", [{ name: "third.txt", text: "Terns dive." }])
  await page.getByRole("button", { name: "Remove third.txt" }).waitFor()
  await page.getByRole("button", { name: "Remove second.txt" }).waitFor()
  expect(await page.getByRole("button", { name: "Remove first.txt" }).count()).toBe(0)
})

itInLongForm("says why a file cannot be used, and sends once it is removed", async () => {
  const { page } = visit
  await startChat()
  await dropFiles(page, "#composer", [{ name: "void.txt", text: "  \n" }])
  await attached().getByRole("alert").waitFor()
  await composer().fill("What does it say?")
  await composer().press("Enter")
  await page.getByText("Retry or remove the failed files, then send.").waitFor()
  await attached().getByRole("button", { name: "Remove void.txt" }).click()
  await composer().press("Enter")
  await answers().getByText("You said: What does it say?").waitFor()
})

itInLongForm("shows a file's state that changed before the event stream connected", async () => {
  const { page } = visit
  const connected = Promise.withResolvers<void>()
  await page.route("**/api/v1/events", async (route) => {
    await connected.promise
    await route.continue()
  })
  let fetchCount = 0
  await page.route(/\/api\/v1\/files\/[\w-]{36}$/, async (route) => {
    const response = await route.fetch()
    const file = await response.json()
    // Reports the state before processing finished, as a slow network would.
    if (fetchCount++ === 0) Object.assign(file.data, { status: "processing", error: null })
    await route.fulfill({ response, json: file })
  })
  await startChat()
  await dropFiles(page, "#composer", [{ name: "empty.txt", text: " \n" }])
  await expect.poll(() => fetchCount).toBe(1)
  await page.getByRole("button", { name: "Remove empty.txt" }).waitFor()
  connected.resolve()
  await attached().getByRole("alert").waitFor()
  await page.unrouteAll({ behavior: "wait" })
})

itInLongForm("shows a file's state that changed during its first request", async () => {
  const { page } = visit
  let fetchCount = 0
  await page.route(/\/api\/v1\/files\/[\w-]{36}$/, async (route) => {
    const response = await route.fetch()
    const file = await response.json()
    if (fetchCount++ === 0) {
      Object.assign(file.data, { status: "processing", error: null })
      // The event arrives before this response.
      await sleep(1500)
    }
    await route.fulfill({ response, json: file })
  })
  await startChat()
  await dropFiles(page, "#composer", [{ name: "blank.txt", text: "\t\n" }])
  await attached().getByRole("alert").waitFor()
  await page.unrouteAll({ behavior: "wait" })
})

itInLongForm("accepts dropped and pasted images", async () => {
  const { page } = visit
  await startChat()
  const png =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
  await page.evaluate((base64) => {
    const file = (name: string, type: string): File =>
      new File([Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))], name, { type })
    const area = document.querySelector("#composer")
    const dropped = new DataTransfer()
    dropped.items.add(file("dropped.png", "image/png"))
    area?.dispatchEvent(new DragEvent("drop", { dataTransfer: dropped, bubbles: true }))
    const pasted = new DataTransfer()
    pasted.items.add(file("pasted.png", "image/png"))
    area?.dispatchEvent(
      new ClipboardEvent("paste", { clipboardData: pasted, bubbles: true, cancelable: true }),
    )
  }, png)
  await page.getByRole("img", { name: "dropped.png" }).waitFor()
  await page.getByRole("img", { name: "pasted.png" }).waitFor()
  await sendMessage("Two of them")
  await answers().getByText("I see 2 images. You said: Two of them").waitFor()
})

itInLongForm("uses the collections attached to a model in its form", async () => {
  const { page } = visit
  await visit.open("/models/new?base=gpt-fake")
  await page.getByRole("textbox", { name: "Name", exact: true }).fill("Beetle expert")
  await page.getByRole("combobox", { name: "Knowledge" }).fill("Beetle rep")
  await page.getByRole("option", { name: /Beetle reports/ }).click()
  await page.getByRole("button", { name: "Create model" }).click()
  await page.waitForURL(/\/models\//)
  await visit.open("/?model=beetle-expert")
  for (const one of await attached()
    .getByRole("button", { name: /^Remove/ })
    .all())
    await one.click()
  await sendMessage("How did sales of beetles do? [1]")
  await answers()
    .getByRole("button", { name: /^Source 1: report.txt/ })
    .first()
    .waitFor()
})
