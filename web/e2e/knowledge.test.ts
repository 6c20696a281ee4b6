import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { createPdf } from "../../server/test/files/make-documents.ts"
import { itInLongForm } from "../../server/test/harness/long-form.ts"
import { listenOnLoopback } from "../../server/test/harness/ports.ts"
import { createCollection, upload } from "../../server/test/knowledge/collections.ts"
import { app, startAdminApp, visit } from "./admin-app.ts"
import { dropFiles } from "./drop-files.ts"

/** What the OCR service returns for a scan; blank at first. */
let recognizedText = " "
const ocrService = createServer((request, response) => {
  request.resume().once("end", () => response.end(recognizedText))
})

beforeAll(async () => {
  const port = await listenOnLoopback(ocrService)
  // No connection offers this model, so search falls back to keywords.
  const embedding = { EMBEDDING_MODEL: "nobodys-embedding-model" }
  await startAdminApp({ EXTRACTION_URL: `http://127.0.0.1:${port}`, ...embedding })
})
afterAll(async () => {
  await app.close()
  ocrService.close()
})

const zone = "text=Drop files or folders here"
const wait = "?process_in_background=false"
const row = (name: string) => visit.page.getByRole("row", { name: new RegExp(name) })
const stateOf = (name: string, state: string) => row(name).getByRole("cell", { name: state })
const answers = () => visit.page.locator("article[data-role=assistant]")

const createCollectionOnPage = async (name: string): Promise<void> => {
  const { page } = visit
  await visit.open("/knowledge")
  await page.getByRole("link", { name: "Create collection" }).first().click()
  await page.getByRole("textbox", { name: "Name" }).fill(name)
  await page.getByRole("button", { name: "Create collection" }).click()
  await page.getByRole("heading", { name, level: 1 }).waitFor()
}

it("leads from an empty list of files to the collections", async () => {
  const { page } = visit
  await visit.open("/knowledge/files")
  await page.getByText("Files you add to a collection or a chat will appear here.").waitFor()
  await page.getByRole("link", { name: "Go to collections" }).click()
  await page.getByRole("heading", { name: "Knowledge", level: 1 }).waitFor()
})

it("processes 20 files dropped on a new collection, reprocesses one, and cites them in answers", async () => {
  const { page } = visit
  await createCollectionOnPage("Harbours")
  const texts = Array.from({ length: 19 }, (_, index) => ({
    name: `harbour-${index}.txt`,
    text: `Harbour number ${index} lies at the coast. Its lighthouse keeper is called Keeper${index}.`,
  }))
  const scan = {
    name: "scan.pdf",
    text: createPdf([""]).toString("latin1"),
    type: "application/pdf",
  }
  await dropFiles(page, zone, [...texts, scan])
  await page.getByText("20 files · 1 failed").waitFor()
  expect(await page.getByRole("region", { name: "Uploads" }).count()).toBe(0)
  await stateOf("scan.pdf", "Failed").waitFor()
  await row("scan.pdf").getByText(/text/).first().waitFor()

  recognizedText = "The breakwater of Scanmouth was built by Isambard."
  await page.getByRole("button", { name: "Process scan.pdf again", exact: true }).click()
  await stateOf("scan.pdf", "Ready").waitFor()
  await page.getByText("20 files", { exact: true }).waitFor()
  expect(await stateOf("harbour-", "Ready").count()).toBe(19)

  await page.getByRole("button", { name: "Chat with this collection" }).click()
  await page.getByRole("list", { name: "Attached" }).getByText("Harbours").waitFor()
  const composer = page.getByLabel("Message", { exact: true })
  // The whole collection fits into the prompt, so the scan may have any number.
  const numbers = Array.from({ length: 20 }, (_, index) => index + 1)
  await composer.fill(`Who built the breakwater of Scanmouth? [${numbers.join(", ")}]`)
  await composer.press("Enter")
  const citation = answers()
    .getByRole("button", { name: /^Source \d+: scan.pdf/ })
    .first()
  await citation.click()
  const pane = page.getByRole("complementary", { name: "Sources" })
  await pane.locator("mark").getByText("built by Isambard").waitFor()
  await page.keyboard.press("Escape")
  await pane.waitFor({ state: "detached" })
  expect(await citation.evaluate((element) => element === document.activeElement)).toBe(true)
  await page.reload()
  await citation.waitFor()
  expect(visit.pageErrors).toEqual([])
})

itInLongForm(
  "shows an upload's progress, cancels uploads, and retries an interrupted one",
  async () => {
    const { page } = visit
    await createCollectionOnPage("Slow line")
    let isDisconnected = true
    let shown = Promise.withResolvers<void>()
    await page.route("**/api/v1/files/", async (route) => {
      if (route.request().method() !== "POST") return route.continue()
      if (isDisconnected) return route.abort("connectionreset")
      await shown.promise
      return route.continue().catch(() => {})
    })
    await dropFiles(page, zone, [{ name: "one.txt", text: "One goes over a bad line." }])
    await page.getByRole("alert").getByText("The upload was interrupted").waitFor()
    isDisconnected = false
    await page.getByRole("button", { name: "Retry one.txt" }).click()
    await page.getByRole("progressbar", { name: "Uploading one.txt" }).waitFor()
    shown.resolve()
    shown = Promise.withResolvers()
    await stateOf("one.txt", "Ready").waitFor()
    await dropFiles(page, zone, [{ name: "two.txt", text: "Two is never there." }])
    const cancelled = page.waitForEvent("requestfailed", (request) => request.method() === "POST")
    await page.getByRole("button", { name: "Cancel upload of two.txt" }).click()
    await page.getByRole("region", { name: "Uploads" }).waitFor({ state: "detached" })
    await cancelled
    shown.resolve()
    await page.unroute("**/api/v1/files/")
    await dropFiles(page, zone, [{ name: "empty.txt", text: "" }])
    await page.getByRole("alert").getByText("The file is empty.").waitFor()
    await page.getByRole("button", { name: "Dismiss empty.txt" }).click()
    expect(await row("two.txt").count()).toBe(0)
  },
)

itInLongForm("accepts dropped and chosen folders, without hidden system files", async () => {
  const { page, context } = visit
  const folder = mkdtempSync(join(tmpdir(), "portico-folder-"))
  mkdirSync(join(folder, "manuals", "old"), { recursive: true })
  writeFileSync(join(folder, "manuals", "pump.txt"), "The pump has two valves.")
  writeFileSync(join(folder, "manuals", "old", "crane.txt"), "The crane lifts nine tons.")
  writeFileSync(join(folder, "manuals", ".DS_Store"), "left by a system")
  await createCollectionOnPage("From folders")
  const box = await page.locator(zone).boundingBox()
  const at = { x: (box?.x ?? 0) + 5, y: (box?.y ?? 0) + 5 }
  const data = { items: [], files: [join(folder, "manuals")], dragOperationsMask: 1 }
  const devtools = await context.newCDPSession(page)
  for (const type of ["dragEnter", "dragOver", "drop"] as const) {
    await devtools.send("Input.dispatchDragEvent", { type, ...at, data })
  }
  await page.getByText("2 files", { exact: true }).waitFor()
  await row("crane.txt").getByText("manuals/old/crane.txt").waitFor()
  // Files that the collection already has are not added again.
  writeFileSync(join(folder, "manuals", "winch.txt"), "The winch holds two tons.")
  await page.locator("input[name=folder]").setInputFiles(join(folder, "manuals"))
  await page.getByText("3 files", { exact: true }).waitFor()
  expect(await page.getByText("DS_Store").count()).toBe(0)
  rmSync(folder, { recursive: true })
})

itInLongForm(
  "renames, empties, and deletes a collection, and removes and deletes its files",
  async () => {
    const { page } = visit
    await createCollectionOnPage("Short life")
    await dropFiles(page, zone, [
      { name: "a.txt", text: "First of three." },
      { name: "b.txt", text: "Second of three." },
      { name: "c.txt", text: "Third of three." },
    ])
    await page.getByText("3 files", { exact: true }).waitFor()
    const choose = async (name: string, item: string): Promise<void> => {
      await page.getByRole("button", { name: `More actions for ${name}` }).click()
      await page.getByRole("menuitem", { name: item }).click()
    }
    await choose("a.txt", "Remove from collection")
    await row("a.txt").waitFor({ state: "detached" })
    await choose("b.txt", "Delete file")
    const dialog = page.getByRole("alertdialog")
    await dialog.getByText("Used in: Short life.").waitFor()
    await dialog.getByRole("button", { name: "Delete file" }).click()
    await row("b.txt").waitFor({ state: "detached" })

    await page.getByRole("link", { name: "Settings", exact: true }).last().click()
    await page.getByRole("textbox", { name: "Name" }).fill("Shorter life")
    await page.getByRole("button", { name: "Save" }).click()
    await page.getByRole("heading", { name: "Shorter life", level: 1 }).waitFor()
    await page.getByRole("button", { name: "Remove all files" }).click()
    await dialog.getByRole("button", { name: "Remove all files" }).click()
    await dialog.waitFor({ state: "detached" })
    await page.getByRole("button", { name: "Delete collection" }).click()
    const confirm = dialog.getByRole("button", { name: "Delete collection" })
    expect(await confirm.isDisabled()).toBe(true)
    await dialog.getByRole("textbox").fill("Shorter life")
    await confirm.click()
    await page.getByRole("heading", { name: "Knowledge", level: 1 }).waitFor()
    expect(await page.getByRole("link", { name: "Shorter life" }).count()).toBe(0)
  },
)

itInLongForm("explains search results, and says that only keyword search is used", async () => {
  const { page } = visit
  const { body: one } = await upload(app.gateway, "bees.md", "# Bees\n\nThe waggle dance.", {
    query: wait,
  })
  const { body: two } = await upload(app.gateway, "tax.txt", "Taxes are due in May.", {
    query: wait,
  })
  const id = await createCollection(app.gateway, "Zoo", [one.id, two.id])
  await visit.open(`/knowledge/${id}/search`)
  await page.getByText("this collection uses keyword search only").waitFor()
  await page.getByRole("textbox", { name: "Question or keywords" }).fill("waggle dance")
  await page.keyboard.press("Enter")
  await page.getByText("The model would receive 2 passages.").waitFor()
  await page.getByText(/Uses \d+ of 4,000 tokens\. Keyword search only\./).waitFor()
  const first = page.getByRole("listitem").filter({ hasText: "bees.md" }).first()
  await first.getByText(/^Keyword search: rank 1, score [\d.]+ \(BM25\)$/).waitFor()
  await first.getByText("Whole file").waitFor()
  await first.getByText("Sent to the model").waitFor()
  await page.waitForURL(/search\?q=waggle/)
  await page.reload()
  await page.getByText("Keyword search: rank 1").waitFor()
  await page.getByText("Chat in which it is asked").click()
  await page.getByRole("textbox", { name: "Previous question" }).fill("When are taxes due?")
  await page.keyboard.press("Enter")
  await page.getByText("Found using the previous question").waitFor()
  await page.waitForURL(/previous=When/)
  await page.getByRole("link", { name: "bees.md" }).click()
  await page.getByRole("heading", { name: "bees.md", level: 1 }).waitFor()
  await page.locator("[aria-current=true]").getByText("The waggle dance.").waitFor()
  await page.getByRole("link", { name: "Zoo" }).waitFor()
  const long = `# Insects\n\n${"Many words of one chapter. ".repeat(60)}\n\n## Ants\n\nAnts march.\n`
  const { body: book } = await upload(app.gateway, "book.md", long, { query: wait })
  await visit.open(`/knowledge/files/${book.id}`)
  await page.getByText(/headings and pages/).click()
  await page.getByRole("link", { name: "Ants", exact: true }).click()
  await page.locator("[aria-current=true]").getByText("Ants march.").waitFor()
})

it("shows the states and sizes of files and who can read a collection on a phone", async () => {
  const { page } = visit
  const { body } = await upload(app.gateway, "buoys.txt", "Red buoys to port.", { query: wait })
  const id = await createCollection(app.gateway, "Buoys", [body.id])
  await page.setViewportSize({ width: 360, height: 740 })
  try {
    await visit.open("/knowledge")
    await row("Buoys").getByText("Private").filter({ visible: true }).waitFor()
    await visit.open("/knowledge/files")
    await row("buoys.txt").getByText("18 B").filter({ visible: true }).waitFor()
    await visit.open(`/knowledge/${id}`)
    const passages = row("buoys.txt").getByText("Passages: 1").filter({ visible: true })
    await passages.waitFor()
    expect(await row("buoys.txt").innerText()).toMatch(/Ready\s+18 B\s+Passages: 1/)
  } finally {
    await page.setViewportSize({ width: 1280, height: 720 })
  }
})

itInLongForm("executes no scripts from files, file names, or collections", async () => {
  const { page } = visit
  const script = `<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>`
  const name = "<img src=x onerror=window.hacked=1>.md"
  const { body: file } = await upload(app.gateway, name, `# ${script}\n\n${script} owls`, {
    query: wait,
  })
  const id = await createCollection(app.gateway, script, [file.id])
  for (const path of [
    "/knowledge",
    "/knowledge/files",
    `/knowledge/${id}`,
    `/knowledge/${id}/settings`,
    `/knowledge/files/${file.id}`,
  ]) {
    await visit.open(path)
    await page.getByText("window.hacked").first().waitFor()
  }
  await visit.open(`/knowledge/${id}/search`)
  await page.getByRole("textbox", { name: "Question or keywords" }).fill("owls")
  await page.keyboard.press("Enter")
  await page.getByText("Keyword search: rank 1").waitFor()
  await page.getByRole("button", { name: "Chat with this collection" }).click()
  const composer = page.getByLabel("Message", { exact: true })
  await composer.fill("What about owls? [1]")
  await composer.press("Enter")
  await answers()
    .getByRole("button", { name: /^Source 1/ })
    .first()
    .click()
  await page.getByRole("complementary", { name: "Sources" }).locator("mark").waitFor()
  expect(await page.evaluate("window.hacked")).toBe(undefined)
  expect(visit.pageErrors).toEqual([])
})
