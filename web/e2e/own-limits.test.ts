import { afterAll, beforeAll, expect, it } from "vitest"
import { waitForModels } from "../../server/test/models/wait-for-models.ts"
import { startTestApp, type TestApp } from "./test-app.ts"

const path = "/api/v1/limits"

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  await waitForModels(app.gateway, ["gpt-fake"])
})
afterAll(() => app.close())

const signIn = async (name: string, email: string) => {
  const session = await app.openSession()
  await session.open("/sign-in")
  await session.page.getByLabel("Email").fill(email)
  await session.page.getByLabel("Password", { exact: true }).fill(`${name} has a password`)
  await session.page.getByRole("button", { name: "Sign in" }).click()
  await session.page.getByLabel("Message", { exact: true }).waitFor()
  return session
}

it("a manager limits a member within the group's own limit, and a service key", async () => {
  const { gateway } = app
  const manager = await gateway.createUser("Manager")
  const member = await gateway.createUser("Member")
  const { body: group } = await gateway.call("POST", "/api/v1/groups/create", { name: "Pilots" })
  const groupPath = `/api/v1/groups/${group.id}`
  await gateway.call("POST", `${groupPath}/members/add`, { user_ids: [manager.id, member.id] })
  await gateway.call("POST", `${groupPath}/managers/add`, { user_ids: [manager.id] })
  const { body: key } = await gateway.call("POST", `${groupPath}/keys`, { name: "Tide display" })
  const target = { type: "group", id: group.id }
  const month = { metric: "cost", window: "month" }
  await gateway.call("POST", path, { target, ...month, amount: 50e9 })

  const { page, open, pageErrors } = await signIn("Manager", manager.email)
  await open(`/account/groups/${group.id}`)
  await page.getByRole("link", { name: "Member", exact: true }).click()
  await page.getByRole("button", { name: "Add limit" }).click()
  const amount = page.getByLabel("Amount", { exact: true })
  await amount.fill("60")
  await page.getByRole("button", { name: "Add limit" }).click()
  await page.getByText("The group's own limit is 50 dollars.").waitFor()
  await amount.fill("20")
  await page.getByRole("button", { name: "Add limit" }).click()
  await page.getByText("$0.00 of $20.00 used").waitFor()
  const byManager = { set_by: "manager", group_id: group.id }
  const limitsOf = async (type: string) =>
    (await gateway.call("GET", `${path}?target_type=${type}`)).body.items
  expect(await limitsOf("user")).toMatchObject([
    { target: { id: member.id }, ...month, amount: 20e9, ...byManager },
  ])

  await page.getByRole("link", { name: "Pilots" }).click()
  await page.getByRole("link", { name: "Tide display" }).click()
  await page.getByRole("button", { name: "Add limit" }).click()
  await amount.fill("10")
  await page.getByRole("button", { name: "Add limit" }).click()
  await page.getByText("0 of 10 requests used").waitFor()
  expect(await limitsOf("key")).toMatchObject([{ target: { id: key.id }, ...byManager }])
  await page.getByRole("button", { name: "Delete limit: 10 requests per minute" }).click()
  await page.getByRole("alertdialog").getByRole("button", { name: "Delete limit" }).click()
  await page.getByText("No limits of its own.").waitFor()
  expect(pageErrors).toEqual([])
})

it("a user sees their limits, only the part of shared ones, and limits an own key", async () => {
  const { gateway } = app
  const user = await gateway.createUser("Grace")
  const perDay = { metric: "requests", window: "day" }
  await gateway.call("POST", path, { target: { type: "everyone" }, ...perDay, amount: 5 })
  const target = { type: "user", id: user.id }
  await gateway.call("POST", path, { target, ...perDay, amount: 4 })
  const messages = [{ role: "user", content: "one" }]
  const request = { model: "gpt-fake", messages }
  await gateway.call("POST", "/v1/chat/completions", request, { key: user.key })

  const { page, open, pageErrors } = await signIn("Grace", user.email)
  await open("/account/usage")
  await page.getByText("1 of 4 requests used").waitFor()
  await page.getByRole("heading", { name: "Requests per day", exact: true }).waitFor()
  await page.getByText("20% used").waitFor()
  expect(await page.getByText("5 requests").count()).toBe(0)

  await open("/account/keys")
  await page.getByRole("link", { name: "test", exact: true }).click()
  await page.getByRole("button", { name: "Add limit" }).click()
  await page.getByLabel("Amount", { exact: true }).fill("7")
  await page.getByRole("button", { name: "Add limit" }).click()
  await page.getByText("0 of 7 requests used").waitFor()
  await page.getByRole("button", { name: "Edit limit: 7 requests per minute" }).waitFor()
  const { body } = await gateway.call("GET", `${path}?target_type=key`)
  const [{ id, target: ofKey, ...limit }] = body.items
  expect(limit).toMatchObject({ amount: 7, set_by: "owner" })

  // What an administrator sets is shown, but stays.
  await gateway.call("DELETE", `${path}/${id}`)
  await gateway.call("POST", path, { target: ofKey, ...perDay, amount: 9 })
  await page.reload()
  await page.getByText("Set by an administrator").waitFor()
  expect(await page.getByRole("button", { name: /Edit limit|Delete limit/ }).count()).toBe(0)
  expect(pageErrors).toEqual([])
})
