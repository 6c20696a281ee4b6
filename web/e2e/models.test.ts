import type { Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { createCollection, upload } from "../../server/test/knowledge/collections.ts"
import { chooseOption } from "./choose-option.ts"
import { startTestApp, type TestApp } from "./test-app.ts"

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.close())

describe("a workspace model", () => {
  it("is created, tried, shared with everyone, used, disabled, and deleted", async () => {
    const { gateway } = app
    const { page, open, pageErrors } = await app.asAdmin()
    await open("/models/view/gpt-fake")
    await page.getByRole("link", { name: "Customize model" }).click()
    await page.getByRole("heading", { name: "Create model" }).waitFor()
    expect(await page.getByLabel("Base model").inputValue()).toBe("gpt-fake")
    await page.getByRole("textbox", { name: "Name" }).fill("Harbour Pilot")
    expect(await page.getByLabel("ID", { exact: true }).inputValue()).toBe("harbour-pilot")
    await page.getByLabel("System prompt").fill("Answer like a pilot.")
    await page.getByLabel("Tags").fill("harbour,")
    await page.getByRole("radio", { name: "Everyone" }).check()
    await page.getByText("Parameters").click()
    await page.getByLabel("Temperature").fill("0.2")

    await page.getByLabel("Ask something").fill("hello")
    await page.getByRole("button", { name: "Ask" }).click()
    await page.getByRole("log").getByText("You said: hello").waitFor()
    const tried = app.provider.requests.findLast(({ path }) => path.includes("/chat/"))
    expect(tried?.json).toMatchObject({ model: "gpt-fake", temperature: 0.2 })

    await page.getByRole("button", { name: "Create model" }).click()
    await page.getByRole("heading", { name: "Harbour Pilot" }).waitFor()
    const { key } = await gateway.createUser("Grace")
    const ask = () =>
      gateway.call(
        "POST",
        "/v1/chat/completions",
        { model: "harbour-pilot", messages: [{ role: "user", content: "hello" }] },
        { key },
      )
    expect((await ask()).status).toBe(200)

    await page.getByRole("link", { name: "Models" }).first().click()
    await page.getByRole("switch", { name: "Enable Harbour Pilot" }).click()
    await page.getByText("Disabled").last().waitFor()
    await expect.poll(async () => (await ask()).status).toBe(404)

    await page.getByRole("link", { name: "Harbour Pilot" }).click()
    await page.getByRole("heading", { name: "Delete model" }).waitFor()
    const main = page.getByRole("main")
    // The form shows it, and the ID can't be changed.
    await main.getByLabel("Base model").waitFor()
    expect(await main.getByText("Based on").count()).toBe(0)
    expect(await main.getByText("ID", { exact: true }).count()).toBe(1)
    expect(await main.getByText("Access", { exact: true }).count()).toBe(1)
    await page.getByRole("button", { name: "Delete model" }).click()
    await page.getByRole("alertdialog").getByRole("button", { name: "Delete model" }).click()
    await page.getByRole("heading", { name: "Models", exact: true }).waitFor()
    await page.getByRole("link", { name: "Harbour Pilot" }).waitFor({ state: "detached" })
    expect(pageErrors).toEqual([])
  })

  it("is tested with its collections, whose passages its users can read", async () => {
    const text = "High water at Roscoff is at seven."
    const query = "?process_in_background=false"
    const { body } = await upload(app.gateway, "roscoff.txt", text, { query })
    await createCollection(app.gateway, "Roscoff", [body.id])
    const { page, open, pageErrors } = await app.asAdmin()
    await open("/models/new?base=gpt-fake")
    const warning = page.getByText("People who can use this model can read passages")
    expect(await warning.count()).toBe(0)
    await page.getByRole("combobox", { name: "Knowledge" }).fill("Roscoff")
    await page.getByRole("option", { name: "Roscoff" }).click()
    await warning.waitFor()
    await page.getByLabel("Ask something").fill("When is high water?")
    await page.getByRole("button", { name: "Ask" }).click()
    await page.getByRole("log").getByText("You said: When is high water?").waitFor()
    const tried = app.provider.requests.findLast(({ path }) => path.includes("/chat/"))
    expect(JSON.stringify(tried?.json)).toContain(text)
    expect(pageErrors).toEqual([])
  })

  it("gets a name for Claude Code by its own switch while the setting is off", async () => {
    const { page, open, pageErrors } = await app.asAdmin()
    await open("/admin/settings")
    const setting = page.getByRole("switch", { name: "Claude Code names" })
    await setting.click()
    await page.getByRole("button", { name: "Save", exact: true }).click()
    await page.getByText("Saved", { exact: true }).waitFor()
    await open("/models/new?base=gpt-fake")
    await page.getByRole("textbox", { name: "Name" }).fill("Helmsman")
    await page.getByRole("switch", { name: "Claude Code name" }).click()
    await page.getByRole("button", { name: "Create model" }).click()
    await page.getByRole("heading", { name: "Helmsman" }).waitFor()

    const headers = { "anthropic-version": "2023-06-01" }
    const { body } = await app.gateway.call("GET", "/v1/models", undefined, { headers })
    const ids = body.data.map(({ id }: { id: string }) => id)
    expect(ids).toContain("claude-helmsman")
    expect(ids).toContain("gpt-fake")
    await page.reload()
    const ownSwitch = page.getByRole("switch", { name: "Claude Code name" })
    await expect.poll(() => ownSwitch.isChecked()).toBe(true)
    await app.gateway.call("POST", "/api/v1/settings", { claude_aliases: true })
    expect(pageErrors).toEqual([])
  })

  it("shows a validation error below the field", async () => {
    const { page, open } = await app.asAdmin()
    await open("/models/new?base=gpt-fake")
    await page.getByRole("textbox", { name: "Name" }).fill("Two words")
    await page.getByLabel("ID", { exact: true }).fill("two words")
    await page.getByRole("button", { name: "Create model" }).click()
    await page.getByText("Do not use spaces").waitFor()
  })
})

describe("the model list", () => {
  it("keeps its search and filters in the URL", async () => {
    const { page, open } = await app.asAdmin()
    await open("/models")
    await page.getByLabel("Search models").fill("llama")
    await page.waitForURL(/query=llama/)
    await chooseOption(page.getByLabel("Source"), "Runtime")
    await page.waitForURL(/kind=local/)
    const rows = page.getByRole("table").getByRole("link")
    await expect.poll(() => rows.allInnerTexts()).toEqual(["llama3.2:latest"])
    await page.reload()
    await expect.poll(() => rows.allInnerTexts()).toEqual(["llama3.2:latest"])
  })

  it("has pages and includes workspace models beyond the first API page", async () => {
    const { call } = app.gateway
    const ids = Array.from({ length: 201 }, (_, n) => `paged-${n}`)
    const models = ids.map((id) => ({ id, name: id, base_model_id: "gpt-fake" }))
    expect(await call("POST", "/api/v1/models/import", { models })).toMatchObject({ status: 200 })
    const { page, open } = await app.asAdmin()
    await open("/models?query=paged")
    await page.getByText("1–30 of 201").waitFor()
    await page.getByRole("button", { name: "Next page" }).click()
    await page.getByText("31–60 of 201").waitFor()
    const rows = page.getByRole("table").getByRole("link")
    expect(await rows.count()).toBe(30)
    await open("/models?query=paged&page=9")
    await page.getByText("181–201 of 201").waitFor()
    expect(await page.getByRole("table").getByRole("switch").count()).toBe(21)
    for (const id of ids) await call("POST", "/api/v1/models/model/delete", { id })
  })
})

describe("a connection's model", () => {
  const rowOf = (page: Page, model: string) =>
    page.getByRole("row").filter({ has: page.getByRole("link", { name: model, exact: true }) })

  it("is listed with its connection's name and, for administrators, who may use it", async () => {
    const { gateway, provider } = app
    const { body } = await gateway.call("POST", "/api/v1/connections/create", {
      kind: "openai",
      name: "Second provider",
      base_url: provider.url,
      api_key: "up-key",
      id_prefix: "second",
      access_grants: [],
    })
    const { page, open } = await app.asAdmin()
    await open("/models")
    await rowOf(page, "second.gpt-fake").getByRole("cell", { name: "Second provider" }).waitFor()
    await rowOf(page, "second.gpt-fake").getByRole("cell", { name: "Admins only" }).waitFor()
    await rowOf(page, "gpt-fake").getByRole("cell", { name: "Everyone", exact: true }).waitFor()
    const { host } = new URL(provider.url)
    await rowOf(page, "gpt-fake").getByRole("cell", { name: host, exact: true }).waitFor()
    await gateway.call("DELETE", `/api/v1/connections/${body.id}`)
  })
})

describe("the runtime", () => {
  it("pulls a model with progress, lists it, and deletes it", async () => {
    const { page, open } = await app.asAdmin()
    await open("/models/runtime")
    await page.getByLabel("Model name").fill("phi3")
    await page.getByRole("button", { name: "Pull model" }).click()
    await page.getByText("phi3 is ready.").waitFor()
    await page.getByRole("button", { name: "Delete phi3:latest" }).click()
    await page.getByRole("alertdialog").getByRole("button", { name: "Delete model" }).click()
    await page.getByRole("button", { name: "Delete phi3:latest" }).waitFor({ state: "detached" })

    await page.getByLabel("Model name").fill("missing-one")
    await page.getByRole("button", { name: "Pull model" }).click()
    await page.getByRole("alert").getByText("file does not exist").waitFor()
  })
})
