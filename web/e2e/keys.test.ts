import { afterAll, beforeAll, expect, it } from "vitest"
import { chooseOption } from "./choose-option.ts"
import { startTestApp, type TestApp } from "./test-app.ts"

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.close())

const status = async (key: string): Promise<number> =>
  (await app.gateway.call("GET", "/v1/models", undefined, { key })).status

it("an administrator finds an unused key and revokes it, and its owner stays", async () => {
  const { gateway } = app
  const { id, key } = await gateway.createUser("Grace")
  const { page, open, pageErrors } = await app.asAdmin()
  await open("/admin/keys")
  await page.getByLabel("Search keys and owners").fill("grace@")
  const row = page.getByRole("row").filter({ hasText: "Grace" })
  await row.getByText("test").waitFor()
  await page.getByText("ADMIN_API_KEY").waitFor({ state: "detached" })
  await chooseOption(page.getByLabel("Use", { exact: true }), "Unused for 30 days")
  await page.getByText("test", { exact: true }).waitFor({ state: "detached" })
  await chooseOption(page.getByLabel("Use", { exact: true }), "Never used")
  await row.getByRole("button", { name: "Revoke test" }).click()
  const dialog = page.getByRole("alertdialog")
  await dialog.getByText("This key belongs to Grace.").waitFor()
  await dialog.getByRole("button", { name: "Revoke key" }).click()
  await row.waitFor({ state: "detached" })
  expect(await status(key)).toBe(401)
  expect((await gateway.call("GET", `/api/v1/users/${id}`)).body.active).toBe(true)
  expect(pageErrors).toEqual([])
})

it("an administrator appoints a manager, who adds a member and makes a service key", async () => {
  const { gateway } = app
  const person = await gateway.createUser("Manager")
  const colleague = await gateway.createUser("Colleague")
  const { body: group } = await gateway.call("POST", "/api/v1/groups/create", { name: "Pilots" })
  const path = `/api/v1/groups/${group.id}`
  await gateway.call("POST", `${path}/members/add`, { user_ids: [person.id] })
  const admin = await app.asAdmin()
  await admin.open(`/admin/groups/${group.id}`)
  await admin.page.getByRole("button", { name: "Actions for Manager" }).click()
  await admin.page.getByRole("menuitem", { name: "Make manager" }).click()
  await expect
    .poll(async () => (await gateway.call("GET", `${path}/members`)).body.items[0].role, {
      timeout: 10_000,
    })
    .toBe("manager")

  const password = "Manager has a password"
  const { page, open, pageErrors } = await app.openSession()
  await open("/sign-in")
  await page.getByLabel("Email").fill(person.email)
  await page.getByLabel("Password", { exact: true }).fill(password)
  await page.getByRole("button", { name: "Sign in" }).click()
  await page.getByLabel("Message", { exact: true }).waitFor()
  await open("/account")
  await page.getByRole("link", { name: "Groups" }).click()
  await page.getByRole("link", { name: "Pilots" }).click()
  await page.getByLabel("Add a member by email").fill("nobody@example.com")
  await page.getByRole("button", { name: "Add member" }).click()
  await page.getByRole("alert").getByText("There is no account").waitFor()
  await page.getByLabel("Add a member by email").fill(colleague.email)
  await page.getByRole("button", { name: "Add member" }).click()
  await page.getByRole("button", { name: "Remove Colleague" }).waitFor()
  expect(await page.getByRole("button", { name: "Remove Manager" }).count()).toBe(0)

  await page.getByRole("link", { name: "Create service key" }).click()
  await page.getByLabel("Name").fill("Tide display")
  await page.getByRole("button", { name: "Create service key" }).click()
  await page.getByRole("heading", { name: "Tide display is ready" }).waitFor()
  const secret = (await page.locator("[data-secret]").textContent()) ?? ""
  expect(await status(secret)).toBe(200)
  await page.getByRole("link", { name: "Done" }).click()
  await page.getByRole("button", { name: "Revoke Tide display" }).click()
  await page.getByRole("alertdialog").getByRole("button", { name: "Revoke key" }).click()
  await page.getByText("No service keys yet").waitFor()
  expect(await status(secret)).toBe(401)
  expect(pageErrors).toEqual([])
})
