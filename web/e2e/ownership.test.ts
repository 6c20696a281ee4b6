import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { createCollection } from "../../server/test/knowledge/collections.ts"
import { findViolations } from "./find-violations.ts"
import { startTestApp, type TestApp } from "./test-app.ts"

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.close())

const everyone = [{ principal_type: "user", principal_id: "*", permission: "read" }]

/** Sends a request that must succeed. */
const post = async (path: string, body: object, key?: string) => {
  const reply = await app.gateway.call("POST", `/api/v1${path}`, body, key ? { key } : {})
  expect([path, reply.status, reply.body]).toEqual([path, 200, expect.anything()])
  return reply.body
}

const createPrompt = (command: string, key?: string) =>
  post(
    "/prompts/create",
    { command, title: command, content: "text", access_grants: everyone },
    key,
  )

describe("an administrator who deletes an account", () => {
  it("sees what others use of it, and hands it over to another person", async () => {
    const leaver = await app.gateway.createUser("Leaver")
    const heir = await app.gateway.createUser("Heir")
    const prompt = await createPrompt("greeting", leaver.key)
    const { page, open, pageErrors } = await app.asAdmin()
    await open(`/admin/users/${leaver.id}`)
    await page.getByRole("button", { name: "Delete user" }).click()
    const dialog = page.getByRole("alertdialog")
    await dialog.getByText("Leaver owns 1 prompt and 1 API key.").waitFor()
    await dialog.getByRole("region", { name: "Other people use:" }).getByText("greeting").waitFor()
    await dialog.getByText("Shared with everyone").waitFor()
    expect(await findViolations(page)).toEqual([])
    await dialog.getByRole("textbox").fill(leaver.email)
    const confirm = dialog.getByRole("button", { name: "Hand over and delete user" })
    expect(await confirm.isDisabled()).toBe(true)
    await dialog.getByLabel("New owner").fill("hei")
    await page.getByRole("option", { name: "Heir" }).click()
    await confirm.dblclick()
    await page.getByRole("heading", { name: "Users" }).waitFor()
    const { body } = await app.gateway.call("GET", `/api/v1/prompts/${prompt.id}`)
    expect([body.user_id, body.user_name]).toEqual([heir.id, "Heir"])
    expect(pageErrors).toEqual([])
  })

  it("chooses with the keyboard alone to delete everything", async () => {
    const leaver = await app.gateway.createUser("Second")
    const prompt = await createPrompt("second", leaver.key)
    const { page, open } = await app.asAdmin()
    await open(`/admin/users/${leaver.id}`)
    await page.getByRole("button", { name: "Delete user" }).press("Enter")
    const dialog = page.getByRole("alertdialog")
    const radio = dialog.getByRole("radio", { name: "Hand it over to a person or group" })
    await radio.focus()
    await page.keyboard.press("ArrowDown")
    await dialog.getByText("Other people lose what is listed above.").waitFor()
    await page.keyboard.press("Tab")
    await page.keyboard.type(leaver.email)
    await page.keyboard.press("Tab")
    await page.keyboard.press("Tab")
    await page.keyboard.press("Enter")
    await page.getByRole("heading", { name: "Users" }).waitFor()
    expect((await app.gateway.call("GET", `/api/v1/prompts/${prompt.id}`)).status).toBe(404)
  })
})

describe("whoever deletes what others need", () => {
  it("sees a list, and must accept it before the deletion, even with a double click", async () => {
    const group = await post("/groups/create", { name: "Pilots" })
    const prompt = await createPrompt("departure")
    const access_grants = [{ principal_type: "group", principal_id: group.id, permission: "read" }]
    await post(`/prompts/${prompt.id}/update`, { access_grants })
    const { page, open, pageErrors } = await app.asAdmin()
    await open(`/admin/groups/${group.id}`)
    await page.getByRole("button", { name: "Delete group" }).click()
    const dialog = page.getByRole("alertdialog")
    const confirm = dialog.getByRole("button", { name: "Delete group" })
    await confirm.dblclick()
    await dialog.getByRole("alert").getByText("Nothing was deleted yet").waitFor()
    await dialog.getByText("departure").waitFor()
    expect(await findViolations(page)).toEqual([])
    expect(await confirm.isDisabled()).toBe(true)
    expect((await app.gateway.call("GET", `/api/v1/groups/${group.id}`)).status).toBe(200)
    await dialog.getByRole("checkbox", { name: "Delete it all the same" }).check()
    await confirm.click()
    await page.getByRole("heading", { name: "Groups", exact: true }).waitFor()
    expect((await app.gateway.call("GET", `/api/v1/groups/${group.id}`)).status).toBe(404)
    expect(pageErrors).toEqual([])
  })
})

describe("an owner", () => {
  it("hands a collection over by email address and says if nobody has it", async () => {
    const owner = await app.gateway.createUser("Owner")
    const heir = await app.gateway.createUser("Successor")
    const id = await createCollection(app.gateway, "Charts", [], owner.key)
    const { page, open, pageErrors } = await app.openSession()
    await open("/sign-in")
    await page.getByLabel("Email").fill(owner.email)
    await page.getByLabel("Password", { exact: true }).fill("Owner has a password")
    await page.getByRole("button", { name: "Sign in", exact: true }).click()
    await page.getByRole("link", { name: "Knowledge" }).first().waitFor()
    await open(`/knowledge/${id}/settings`)
    await page.getByRole("button", { name: "Hand over" }).click()
    const dialog = page.getByRole("alertdialog")
    const confirm = dialog.getByRole("button", { name: "Hand over" })
    expect(await confirm.isDisabled()).toBe(true)
    expect(await findViolations(page)).toEqual([])
    await dialog.getByLabel("New owner's email address").fill("nobody@example.com")
    await confirm.click()
    await dialog.getByText("There is no account with this ID or email address.").waitFor()
    await dialog.getByLabel("New owner's email address").fill(heir.email)
    await confirm.click()
    await page.getByRole("heading", { name: "Knowledge" }).waitFor()
    const { body } = await app.gateway.call("GET", `/api/v1/knowledge/${id}`)
    expect([body.user_id, body.user_name]).toEqual([heir.id, "Successor"])
    expect(pageErrors).toEqual([])
  })
})

describe("a newcomer", () => {
  it("starts with a model of a connection, not with one that a member published", async () => {
    const author = await app.gateway.createUser("Author")
    const model = { id: "a-first", name: "A first one", base_model_id: "gpt-fake" }
    await post("/models/create", { ...model, access_grants: everyone }, author.key)
    await app.gateway.createUser("Newcomer")
    const { page, open } = await app.openSession()
    await open("/sign-in")
    await page.getByLabel("Email").fill("newcomer@example.com")
    await page.getByLabel("Password", { exact: true }).fill("Newcomer has a password")
    await page.getByRole("button", { name: "Sign in", exact: true }).click()
    const { body } = await app.gateway.call("GET", "/v1/models")
    const offered = body.data.find((model: { base_model_id?: string }) => !model.base_model_id)
    await page.getByRole("button", { name: `Model: ${offered.id}` }).waitFor()
    await open("/models")
    await page
      .getByRole("row", { name: /A first one/ })
      .getByText("Author")
      .waitFor()
  })
})
