import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { app, closeAdminApp, startAdminApp, visit } from "./admin-app.ts"

beforeAll(() => startAdminApp())
afterAll(closeAdminApp)

const everyone = [{ principal_type: "user", principal_id: "*", permission: "read" }]

/** Sends a request that must succeed. */
const post = async (path: string, body: object, key?: string) => {
  const reply = await app.gateway.call("POST", `/api/v1${path}`, body, key ? { key } : {})
  expect([path, reply.status, reply.body]).toEqual([path, 200, expect.anything()])
  return reply.body
}

const dialog = () => visit.page.getByRole("alertdialog")
const button = (name: string) => visit.page.getByRole("button", { name })

const openGroup = async (name: string): Promise<string> => {
  const { id } = await post("/groups/create", { name })
  await visit.open(`/admin/groups/${id}`)
  return id
}

/** Holds requests that delete something until the returned function is called. */
const holdDeletions = async (status?: number) => {
  const { page } = visit
  const { promise, resolve } = Promise.withResolvers<void>()
  let count = 0
  await page.route(/\/api\/v1\//, async (route) => {
    if (route.request().method() !== "DELETE") return route.fallback()
    count += 1
    await promise
    if (status === undefined) return route.continue()
    const body = JSON.stringify({ detail: "The server is stopping.", code: "unavailable" })
    await route.fulfill({ status, contentType: "application/json", body })
  })
  return {
    count: () => count,
    release: async () => {
      resolve()
      await page.unrouteAll({ behavior: "wait" })
    },
  }
}

describe("a dialog that confirms", () => {
  it("stays while it works, acts once, and then gives the focus back", async () => {
    const { page } = visit
    await openGroup("Slow")
    const deletions = await holdDeletions(503)
    await button("Delete group").press("Enter")
    const confirm = dialog().getByRole("button", { name: "Delete group" })
    await confirm.press("Enter")
    await page.keyboard.press("Enter")
    await page.keyboard.press("Escape")
    await expect.poll(() => confirm.isDisabled()).toBe(true)
    expect(await dialog().getByRole("button", { name: "Cancel" }).isDisabled()).toBe(true)
    expect(deletions.count()).toBe(1)
    await deletions.release()
    await dialog().getByRole("alert").getByText("The server is stopping.").waitFor()
    expect(await confirm.evaluate((element) => element === document.activeElement)).toBe(true)
    await page.keyboard.press("Escape")
    await dialog().waitFor({ state: "detached" })
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.textContent))
      .toBe("Delete group")
    await page.keyboard.press("Enter")
    await dialog().waitFor()
    expect(await dialog().getByRole("alert").count()).toBe(0)
  })

  it("moves the focus to the list of what is affected, and deletes with the keyboard", async () => {
    const { page } = visit
    const id = await openGroup("Listed")
    const access_grants = [{ principal_type: "group", principal_id: id, permission: "read" }]
    await post("/prompts/create", { command: "listed", title: "l", content: "text", access_grants })
    await button("Delete group").press("Enter")
    await dialog().getByRole("button", { name: "Delete group" }).press("Enter")
    await dialog().getByText("listed").waitFor()
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.ariaLabel))
      .toBe("Nothing was deleted yet. This affects:")
    await page.keyboard.press("Tab")
    await page.keyboard.press("Space")
    await page.keyboard.press("Tab")
    await page.keyboard.press("Tab")
    await page.keyboard.press("Enter")
    await page.getByRole("heading", { name: "Groups", exact: true }).waitFor()
    expect((await app.gateway.call("GET", `/api/v1/groups/${id}`)).status).toBe(404)
  })

  it("confirms with Enter once what it asks for is typed", async () => {
    const { page, open } = visit
    const { id } = await post("/knowledge/create", { name: "Typed", description: "" })
    await open(`/knowledge/${id}/settings`)
    await button("Delete collection").press("Enter")
    await dialog().locator("input:focus").waitFor()
    await page.keyboard.type("Type")
    await page.keyboard.press("Enter")
    expect(await dialog().count()).toBe(1)
    await page.keyboard.type("d")
    await page.keyboard.press("Enter")
    await page.getByRole("heading", { name: "Knowledge", exact: true }).waitFor()
    expect((await app.gateway.call("GET", `/api/v1/knowledge/${id}`)).status).toBe(404)
  })

  it("offers to hand over what others began to use while it was open", async () => {
    const { page, open } = visit
    const leaver = await app.gateway.createUser("Leaver")
    const heir = await app.gateway.createUser("Heir")
    const text = { command: "late", title: "late", content: "text" }
    const prompt = await post("/prompts/create", text, leaver.key)
    await open(`/admin/users/${leaver.id}`)
    await button("Delete user").click()
    await dialog().getByText("Leaver owns 1 prompt").waitFor()
    await dialog().getByRole("radio", { name: "Delete everything" }).check()
    await post(`/prompts/${prompt.id}/update`, { access_grants: everyone })
    await dialog().getByRole("textbox").last().fill(leaver.email)
    await page.keyboard.press("Enter")
    await dialog().getByRole("alert").getByText("other people have begun to use").waitFor()
    await dialog().getByRole("region", { name: "Other people use:" }).getByText("late").waitFor()
    await dialog().getByLabel("New owner").fill("hei")
    await page.getByRole("option", { name: "Heir" }).click()
    await dialog().getByRole("button", { name: "Hand over and delete user" }).click()
    await page.getByRole("heading", { name: "Users" }).waitFor()
    const { body } = await app.gateway.call("GET", `/api/v1/prompts/${prompt.id}`)
    expect(body.user_id).toBe(heir.id)
  })
})
