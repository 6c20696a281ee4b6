import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { chooseOption } from "./choose-option.ts"
import { startTestApp, type TestApp } from "./test-app.ts"

const token = "a-scim-token-of-the-tests-that-is-long-enough"
const base = "/api/v1/scim/v2"

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ SCIM_ENABLED: "true", SCIM_TOKEN: token, SCIM_RATE_LIMIT: "off" })
})
afterAll(() => app.close())

const provision = (path: string, body: unknown, key = token) =>
  app.gateway.call("POST", base + path, body, { key })

describe("the audit page", () => {
  it("keeps its filters in the URL, opens an event, and shows related events", async () => {
    const { gateway } = app
    const user = { name: "Grace", email: "grace@example.com", password: "a password of grace" }
    const { id } = (await gateway.call("POST", "/api/v1/auths/add", user)).body
    await gateway.call("POST", `/api/v1/users/${id}/update`, { role: "admin" })
    const credentials = { email: user.email, password: "wrong" }
    await gateway.call("POST", "/api/v1/auths/signin", credentials)

    const { page, open, pageErrors } = await app.asAdmin()
    await open("/admin/audit")
    await chooseOption(page.getByRole("combobox", { name: "Action" }), "Denied or failed")
    await page.getByRole("link", { name: "auth.failed" }).waitFor()
    expect(page.url()).toContain("outcome=failure")
    await page.reload()
    await page.getByRole("link", { name: "auth.failed" }).waitFor()
    expect(await page.getByRole("link", { name: "user.created" }).count()).toBe(0)

    await open("/admin/audit?action=user.updated")
    await page.getByRole("link", { name: "user.updated" }).click()
    await page
      .getByRole("heading", { name: "Portico Administrator changed the account grace@example.com" })
      .waitFor()
    await page.getByText("→").waitFor()
    await page.getByRole("definition").filter({ hasText: "ADMIN_API_KEY" }).waitFor()
    await page.getByRole("link", { name: "grace@example.com" }).waitFor()
    await page.getByRole("link", { name: "More about this item" }).click()
    await page.getByRole("link", { name: "user.created" }).waitFor()
    expect(page.url()).toContain(`target=${id}`)
    await page.getByRole("button", { name: "Item: grace@example.com" }).click()
    await page.getByRole("link", { name: "session.created" }).first().waitFor()
    expect(pageErrors).toEqual([])
  })

  it("offers newer events and shows them on request", async () => {
    const { page, open } = await app.asAdmin()
    await open("/admin/audit?action=group.")
    await page.getByText("No results").waitFor()
    await app.gateway.call("POST", "/api/v1/groups/create", { name: "Newcomers" })
    await page.getByRole("button", { name: "Show newer events" }).click()
    await page.getByRole("link", { name: "group.created" }).waitFor()
  })

  it("filters by the kind of item and by what was done", async () => {
    const { gateway } = app
    const call = async (method: string, path: string, body?: object) =>
      (await gateway.call(method, `/api/v1${path}`, body)).body
    const chat = await call("POST", "/chats/new", { title: "Departures" })
    await call("POST", `/chats/${chat.id}/share`, {})
    const group = await call("POST", "/groups/create", { name: "Sailors" })
    const target = { type: "group", id: group.id }
    const limit = { target, metric: "requests", amount: 5, window: "day" }
    await call("POST", "/limits", limit)
    await call("DELETE", `/groups/${group.id}`)

    const { page, open } = await app.asAdmin()
    await open("/admin/audit")
    const line = (text: string) => page.getByRole("row").filter({ hasText: text })
    await chooseOption(page.getByRole("combobox", { name: "Kind" }), "Chats")
    await line("shared Departures").waitFor()
    expect(await line("the group Sailors").count()).toBe(0)
    await chooseOption(page.getByRole("combobox", { name: "Kind" }), "Limits")
    await line("created the limit 5 requests per day").waitFor()
    await chooseOption(page.getByRole("combobox", { name: "Kind" }), "All kinds")
    const action = page.getByRole("combobox", { name: "Action" })
    await chooseOption(action, "Deleted")
    await line("deleted the group Sailors").waitFor()
    expect(await line("created the group Sailors").count()).toBe(0)
    await chooseOption(action, "Access changed")
    await line("shared Departures").waitFor()
    expect(await line("Sailors").count()).toBe(0)
    await page.reload()
    await line("shared Departures").waitFor()
    await chooseOption(action, "Created")
    await line("created the group Sailors").waitFor()
    expect(await line("signed in").count()).toBe(0)
  })

  it("names the people and things, also deleted ones, and shows an upload as one line", async () => {
    const { gateway } = app
    const chat = (await gateway.call("POST", "/api/v1/chats/new", { title: "Revenue" })).body
    await gateway.call("POST", `/api/v1/chats/${chat.id}/share`)
    const { body } = await gateway.call("POST", "/api/v1/knowledge/create", { name: "Handbooks" })
    const form = new FormData()
    form.append("metadata", JSON.stringify({ knowledge_id: body.id }))
    form.append("file", new Blob(["# Tides"]), "tides.md")
    const headers = { authorization: `Bearer ${gateway.key}` }
    await fetch(`${gateway.url}/api/v1/files/`, { method: "POST", headers, body: form })
    await gateway.call("DELETE", `/api/v1/knowledge/${body.id}/delete`)

    const { page, open } = await app.asAdmin()
    await open("/admin/audit")
    const line = (text: string) => page.getByRole("row").filter({ hasText: text })
    await line("Portico Administrator shared Revenue").waitFor()
    await line("Portico Administrator uploaded tides.md to Handbooks").waitFor()
    await line("Portico Administrator deleted the collection Handbooks").waitFor()
    expect(await page.getByText("file.uploaded").count()).toBe(0)
  })

  it("lists each deleted chat, and names it only if it was shared", async () => {
    const { page, open } = await app.asAdmin()
    for (const title of ["Salaries", "Cargo", "Crew list"]) {
      const { body } = await app.gateway.call("POST", "/api/v1/chats/new", { title })
      if (title === "Cargo") await app.gateway.call("POST", `/api/v1/chats/${body.id}/share`)
      await app.gateway.call("DELETE", `/api/v1/chats/${body.id}`)
    }
    await open("/admin/audit?action=chat.&operation=delete")
    const row = page.getByRole("row")
    await row.filter({ hasText: "deleted the chat Cargo" }).waitFor()
    expect(await row.filter({ hasText: "deleted a chat" }).count()).toBe(2)
    expect(await page.getByText("Salaries").count()).toBe(0)
  })

  it("says on a phone what failed, in rows of at most two lines", async () => {
    const email = "somebody.with.a.very.long.address@subsidiary.example.com"
    await app.gateway.call("POST", "/api/v1/auths/signin", { email, password: "wrong" })
    const { page, open } = await app.asAdmin({ viewport: { width: 360, height: 740 } })
    await open("/admin/audit")
    const row = page.getByRole("row").filter({ hasText: email }).first()
    await row.getByText("Failed", { exact: true }).filter({ visible: true }).waitFor()
    const heights = await page
      .getByRole("row")
      .evaluateAll((rows) => rows.map((one) => one.getBoundingClientRect().height))
    expect(Math.max(...heights)).toBeLessThan(64)
    const search = page.getByRole("searchbox")
    const isCut = await search.evaluate((field: HTMLInputElement) => {
      const context = document.createElement("canvas").getContext("2d")
      if (!context) return true
      const { font, paddingLeft, paddingRight } = getComputedStyle(field)
      context.font = font
      const room =
        field.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight)
      return context.measureText(field.placeholder).width > room
    })
    expect(isCut).toBe(false)
  })

  it("says who was given access and who lost it", async () => {
    const { gateway } = app
    const { id } = await gateway.createUser("Bob")
    const { body } = await gateway.call("POST", "/api/v1/knowledge/create", { name: "Charts" })
    const grant = (principal_id: string, permission = "read") => ({
      ...{ principal_type: "user", principal_id, permission },
    })
    for (const access_grants of [
      [grant(id)],
      [grant(id), grant(id, "write")],
      [grant(id), grant(id, "write"), grant("*")],
      [grant("*")],
      [],
    ]) {
      await gateway.call("POST", `/api/v1/knowledge/${body.id}/update`, { access_grants })
    }
    const { page, open } = await app.asAdmin()
    await open(`/admin/audit?target=${body.id}`)
    for (const sentence of [
      "gave Bob access to Charts",
      "changed access to Charts",
      "gave everyone access to Charts",
      "revoked access to Charts from Bob",
      "revoked access to Charts from everyone",
    ]) {
      await page.getByRole("row").filter({ hasText: sentence }).first().waitFor()
    }
    expect(await page.getByText("changed the collection").count()).toBe(0)
  })

  it("exports the filtered audit log as a file", async () => {
    const { page, open } = await app.asAdmin()
    await open("/admin/audit?action=user.")
    const download = page.waitForEvent("download")
    await page.getByRole("link", { name: "Export NDJSON" }).click()
    const file = await (await download).createReadStream()
    let text = ""
    for await (const part of file) text += part
    const actions = text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).action)
    expect(actions).toContain("user.created")
    expect(actions.every((action) => action.startsWith("user."))).toBe(true)
  })
})

describe("the provisioning page", () => {
  it("shows the values to enter at the provider, the last contact, counts, and errors", async () => {
    await provision("/Users", { userName: "mary@example.com", active: true })
    await provision("/Groups", { displayName: "Crew", members: [] })
    await provision("/Users", { userName: "mary@example.com", active: true })
    await provision("/Users", {}, "guessed")
    const { page, open, pageErrors } = await app.asAdmin()
    await open("/admin/provisioning")
    await page.getByText("SCIM is on").waitFor()
    await page.getByText(`${app.gateway.url}${base}`).waitFor()
    await page.getByText("Authorization: Bearer <SCIM_TOKEN>").waitFor()
    await page.getByText("1 (1 active)").waitFor()
    await page.getByRole("link", { name: "scim.user.created" }).waitFor()
    await page.getByRole("link", { name: "auth.failed" }).waitFor()
    expect(await page.content()).not.toContain(token)
    expect(pageErrors).toEqual([])
  })

  it("locks the fields of users and groups that the provider manages", async () => {
    const { body } = await provision("/Users", { userName: "rosa@example.com", active: true })
    const group = await provision("/Groups", { displayName: "Dockers" })
    const { page, open } = await app.asAdmin()
    await open("/admin/users")
    const row = page.getByRole("row", { name: /rosa@example.com/ })
    await row.getByText("Identity provider (SCIM)").waitFor()
    await open(`/admin/users/${body.id}`)
    await page.getByLabel("Email").waitFor()
    expect(await page.getByLabel("Email").isDisabled()).toBe(true)
    await open(`/admin/groups/${group.body.id}`)
    await page.getByLabel("Name").waitFor()
    expect(await page.getByLabel("Name").isDisabled()).toBe(true)
    expect(await page.getByLabel("Add a member").count()).toBe(0)
    const rename = { email: "rosa@elsewhere.example" }
    const refused = await app.gateway.call("POST", `/api/v1/users/${body.id}/update`, rename)
    expect(refused).toMatchObject({ status: 409, body: { code: "conflict" } })
  })
})
