import { readFileSync } from "node:fs"
import { afterAll, beforeAll, expect, it } from "vitest"
import { createCollection, upload } from "../../server/test/knowledge/collections.ts"
import { app, closeAdminApp, startAdminApp, visit } from "./admin-app.ts"

beforeAll(() => startAdminApp({ EMBEDDING_MODEL: "nobodys-embedding-model" }))
afterAll(() => closeAdminApp())

const wait = { query: "?process_in_background=false" }
const row = (name: string) => visit.page.getByRole("row", { name: new RegExp(name) })
const stateOf = (name: string) => row(name).getByRole("cell").nth(1)
const dialog = () => visit.page.getByRole("alertdialog")

it("adds a question, shows that it got worse, and exports and imports it", async () => {
  const { page } = visit
  const file = await upload(app.gateway, "leave.md", "Employees get 28 days of leave.", wait)
  const other = await upload(app.gateway, "menu.md", "Soup is served on Fridays.", wait)
  const ids = [file.body.id, other.body.id]
  const id = await createCollection(app.gateway, "Work", ids)
  await visit.open(`/knowledge/${id}/questions`)
  await page.getByRole("heading", { name: "No questions yet" }).waitFor()
  expect(await page.getByRole("button", { name: "Run now" }).isDisabled()).toBe(true)

  await page.getByRole("button", { name: "Add question" }).click()
  const add = dialog().getByRole("button", { name: "Add question" })
  expect(await add.isDisabled()).toBe(true)
  await dialog().getByLabel("Question", { exact: true }).fill("How many days of leave are there?")
  await dialog().getByRole("combobox", { name: "File with the answer" }).fill("leave")
  await page.getByRole("option", { name: "leave.md" }).click()
  await dialog().getByLabel("Passage with the answer (optional)").fill("28 days of leave")
  await add.click()
  await stateOf("How many days").getByText("Reaches the model").waitFor()
  await page.getByText("1 of 1", { exact: true }).waitFor()

  await app.gateway.call("POST", `/api/v1/knowledge/${id}/file/remove`, { file_id: ids[0] })
  await page.getByRole("button", { name: "Run now" }).click()
  await stateOf("How many days").getByText("Got worse").waitFor()
  await stateOf("How many days").getByText("The file is gone.").waitFor()
  await page.getByText("0 of 1 · −100 percentage points since the run before").waitFor()
  await page.getByRole("link", { name: "1 question got worse" }).click()
  await page.waitForURL(/state=lost/)

  const downloaded = page.waitForEvent("download")
  await page.getByRole("button", { name: "Import or export" }).click()
  await page.getByRole("menuitem", { name: "Export to file" }).click()
  const path = (await (await downloaded).path()) ?? ""
  const { questions } = JSON.parse(readFileSync(path, "utf8"))
  expect(questions).toMatchObject([{ filename: "leave.md", quotation: "28 days of leave" }])

  await page.getByRole("button", { name: "More actions for" }).click()
  await page.getByRole("menuitem", { name: "Delete question" }).click()
  await dialog().getByRole("button", { name: "Delete question" }).click()
  await row("How many days").waitFor({ state: "detached" })
  await page.getByLabel("Import from file").setInputFiles(path)
  await page.getByText("1 created, 0 replaced.").waitFor()
  await visit.open(`/knowledge/${id}/questions`)
  await row("How many days").waitFor()
  expect(visit.pageErrors).toEqual([])
})

it("adds the question of a test search with a passage that it must find", async () => {
  const { page } = visit
  const file = await upload(app.gateway, "parking.md", "Bicycles park behind hall 3.", wait)
  const id = await createCollection(app.gateway, "House", [file.body.id])
  await visit.open(`/knowledge/${id}/search?q=Where do bicycles park%3F`)
  await page.getByRole("button", { name: "Expect this passage" }).click()
  expect(await dialog().getByLabel("Question", { exact: true }).inputValue()).toBe(
    "Where do bicycles park?",
  )
  await dialog().getByRole("button", { name: "Add question" }).click()
  await page.getByText("Question added").waitFor()
  await page.getByRole("link", { name: "Questions" }).click()
  await stateOf("Where do bicycles").getByText("Reaches the model").waitFor()
  await row("Where do bicycles").getByRole("link").click()
  await page.waitForURL(/\/search\?q=/)
  expect(visit.pageErrors).toEqual([])
})

it("shows readers the questions, but nothing that changes them", async () => {
  const reader = await app.gateway.createUser("Rita")
  const file = await upload(app.gateway, "tea.md", "Tea is free.", wait)
  const id = await createCollection(app.gateway, "Kitchen", [file.body.id])
  const question = { question: "What does tea cost?", file_id: file.body.id }
  await app.gateway.call("POST", `/api/v1/knowledge/${id}/questions`, question)
  const grant = { principal_type: "user", principal_id: reader.id, permission: "read" }
  const path = `/api/v1/knowledge/${id}/update`
  await app.gateway.call("POST", path, { access_grants: [grant] })
  const { page, context, open } = await app.openSession()
  const data = { email: reader.email, password: "Rita has a password" }
  await context.request.post(`${app.gateway.url}/api/v1/auths/signin`, { data })
  await open(`/knowledge/${id}/questions`)
  await page.getByRole("row", { name: /What does tea cost/ }).waitFor()
  expect(await page.getByRole("button", { name: "Add question" }).count()).toBe(0)
  expect(await page.getByRole("button", { name: "Run now" }).count()).toBe(0)
})
