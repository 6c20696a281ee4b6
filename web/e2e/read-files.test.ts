import { afterAll, beforeAll, expect, it } from "vitest"
import { createCollection, upload } from "../../server/test/knowledge/collections.ts"
import { app, closeAdminApp, startAdminApp, visit } from "./admin-app.ts"
import { chooseOption } from "./choose-option.ts"
import { findViolations } from "./find-violations.ts"

const query = "?process_in_background=false"
/** "Привет, мир" in windows-1251. */
const greeting = Buffer.from("cff0e8e2e5f22c20ece8f0", "hex")
const text = "This text was read as koi8-r, but that is not certain."

beforeAll(() => startAdminApp())
afterAll(closeAdminApp)

const row = (name: string) => visit.page.getByRole("row", { name: new RegExp(name) })
const composer = () => visit.page.getByLabel("Message", { exact: true })

const addWithWarning = async (name: string): Promise<string> => {
  const { body: file } = await upload(app.gateway, name, greeting, { query })
  const uncertain = [{ id: "document_encoding_uncertain", values: { encoding: "koi8-r" } }]
  await app.gateway.gateway.db.transact(async (tx) => {
    const changes = { warnings: JSON.stringify(uncertain) }
    await tx.updateTable("files").set(changes).where("id", "=", file.id).execute()
  })
  return file.id
}

/** Opens a new chat with a file attached. */
const attach = async (id: string, name: string): Promise<void> => {
  const { page, open, context } = visit
  await open("/?model=gpt-fake")
  const me = await context.request.get(`${app.gateway.url}/api/v1/auths/`)
  const key = `portico.drafts.${(await me.json()).id}.new.files`
  const draft = JSON.stringify([{ type: "file", id, name }])
  await page.evaluate(([item, files]) => localStorage.setItem(item, files), [key, draft] as const)
  await page.reload()
}

it("shows what was not read of a file, and reads it with another encoding", async () => {
  const { page } = visit
  const id = await addWithWarning("greeting.txt")
  const collection = await createCollection(app.gateway, "Greetings", [id])
  await visit.open(`/knowledge/${collection}`)
  await row("greeting.txt").getByText(text).waitFor()
  expect(await findViolations(page)).toEqual([])
  await attach(id, "greeting.txt")
  await page.getByRole("list", { name: "Attached" }).getByText(`Warning: ${text}`).waitFor()
  expect(await findViolations(page)).toEqual([])
  await visit.open("/knowledge/files")
  await row("greeting.txt").getByText(text).waitFor()
  await page.getByRole("link", { name: "greeting.txt" }).click()
  await page.getByRole("listitem").filter({ hasText: text }).waitFor()
  await page.getByRole("button", { name: "Read with another encoding" }).click()
  await chooseOption(page.getByRole("combobox", { name: "Encoding" }), "windows-1251")
  expect(await findViolations(page)).toEqual([])
  const dialog = page.getByRole("alertdialog")
  await dialog.getByRole("button", { name: "Process again" }).click()
  await page.getByText("Привет, мир").waitFor()
  await page.locator("dd").filter({ hasText: "windows-1251" }).waitFor()
  await page.getByText(text).waitFor({ state: "detached" })
})

it("shows the progress of files that are read again after an upgrade", async () => {
  const { page } = visit
  const id = await addWithWarning("old.txt")
  const setVersion = (attempted_reader_version: number): Promise<void> =>
    app.gateway.gateway.db.transact(async (tx) => {
      await tx.updateTable("files").set({ attempted_reader_version }).where("id", "=", id).execute()
    })
  const progress = page.getByText("Files are being read again after an upgrade: 1 of 2")
  await setVersion(1)
  await visit.open("/admin")
  await progress.waitFor()
  await setVersion(1000)
  await page.reload()
  await page.getByText("0 waiting").waitFor()
  expect(await progress.count()).toBe(0)
})

it("opens a cited passage at its present place in a file that was read again", async () => {
  const { page } = visit
  const fact = "Sales of beetles rose in spring, and nobody knows why they did."
  const { body: file } = await upload(app.gateway, "report.txt", fact, { query })
  await attach(file.id, "report.txt")
  await composer().fill("How did sales of beetles do? [1]")
  await composer().press("Enter")
  const answer = page.locator("article[data-role=assistant]")
  const cited = answer.getByRole("list", { name: "Sources" }).getByRole("button").first()
  await cited.waitFor()
  const before = "A page that an older version did not read. "
  await app.gateway.gateway.db.transact(async (tx) => {
    const now = `${before}${fact.replace(",", " ,")} The end.`
    await tx.updateTable("file_texts").set({ text: now }).where("file_id", "=", file.id).execute()
    const passage = { text: now, ends: now.length }
    await tx.updateTable("passages").set(passage).where("file_id", "=", file.id).execute()
  })
  await cited.click()
  const pane = page.getByRole("complementary", { name: "Sources" })
  await pane.locator("mark").getByText(fact).waitFor()
  await pane.getByText(/did not read/).waitFor()
  expect(await pane.getByText("The file has changed").count()).toBe(0)
  const link = pane.getByRole("link", { name: "Open file" })
  expect(await link.getAttribute("href")).toContain(`at=${before.length}`)
})
