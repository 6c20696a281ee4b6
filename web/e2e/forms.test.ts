import type { Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { findViolations } from "./find-violations.ts"
import { startTestApp, type TestApp } from "./test-app.ts"

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.close())

const typeAndPressEnter = async (page: Page, label: string, text: string): Promise<void> => {
  const field = page.getByRole("combobox", { name: label, exact: true })
  await field.click()
  await field.pressSequentially(text)
  await page.keyboard.press("Enter")
}

/** Paths of requests that change something. */
const collectWrites = (page: Page): string[] => {
  const writes: string[] = []
  page.on("request", (request) => {
    if (request.method() === "POST") writes.push(new URL(request.url()).pathname)
  })
  return writes
}

describe("Enter in a combobox", () => {
  it("chooses the first match of each field of a model, without submitting the form", async () => {
    const grace = await app.gateway.createUser("Grace")
    await app.gateway.call("POST", "/api/v1/knowledge/create", { name: "Tide tables" })
    const { page, open, pageErrors } = await app.asAdmin()
    const writes = collectWrites(page)
    await open("/models/new")
    await page.getByRole("textbox", { name: "Name" }).fill("Pilot")
    await typeAndPressEnter(page, "Base model", "gpt-f")
    await expect.poll(() => page.getByLabel("Base model").inputValue()).toBe("gpt-fake")
    await typeAndPressEnter(page, "Knowledge", "tide")
    await page.getByRole("button", { name: "Remove Tide tables" }).waitFor()
    await typeAndPressEnter(page, "Add a person or group", grace.email)
    await page.getByRole("combobox", { name: "Access for Grace" }).waitFor()
    expect(writes).toEqual([])
    expect(pageErrors).toEqual([])
  })

  it("keeps text that matches nothing, and the form", async () => {
    const { page, open } = await app.asAdmin()
    const writes = collectWrites(page)
    await open("/models/new")
    await typeAndPressEnter(page, "Base model", "no such model")
    await page.getByText("No results").waitFor()
    expect(await page.getByLabel("Base model").inputValue()).toBe("no such model")
    expect(writes).toEqual([])
  })

  it("adds the match to a key's models and routes, and text without a match", async () => {
    const { page, open } = await app.asAdmin()
    const writes = collectWrites(page)
    await open("/account/keys/new")
    await typeAndPressEnter(page, "Allowed models", "gpt-f")
    await page.getByRole("button", { name: "Remove: gpt-fake", exact: true }).waitFor()
    await typeAndPressEnter(page, "Allowed models", "another")
    await page.getByRole("button", { name: "Remove: another", exact: true }).waitFor()
    await typeAndPressEnter(page, "Allowed routes", "embed")
    await page.getByRole("button", { name: "Remove: /v1/embeddings", exact: true }).waitFor()
    const models = page.getByRole("combobox", { name: "Allowed models", exact: true })
    await models.fill("llama")
    await page.getByRole("option", { name: "Add “llama”" }).click()
    await page.getByRole("button", { name: "Remove: llama", exact: true }).waitFor()
    expect(await models.inputValue()).toBe("")
    expect(writes).toEqual([])
  })

  it("chooses the first suggestion for a model to pull, and pulls a model that is none", async () => {
    const { page, open, pageErrors } = await app.asAdmin()
    const writes = collectWrites(page)
    await open("/models/runtime")
    const name = page.getByRole("combobox", { name: "Model name" })
    await typeAndPressEnter(page, "Model name", "qwen")
    await expect.poll(() => name.inputValue()).toBe("qwen3:4b")
    await name.fill("mist")
    await page.getByRole("option", { name: "mistral" }).waitFor()
    await page.keyboard.press("Escape")
    await page.getByRole("option").first().waitFor({ state: "detached" })
    expect(await name.inputValue()).toBe("mist")
    expect(writes).toEqual([])
    await name.fill("phi3")
    await page.keyboard.press("Enter")
    await page.getByText("phi3 is ready.").waitFor()
    expect(pageErrors).toEqual([])
  })

  it("adds the first match to a group", async () => {
    const linus = await app.gateway.createUser("Linus")
    const { body } = await app.gateway.call("POST", "/api/v1/groups/create", { name: "Pilots" })
    const { page, open } = await app.asAdmin()
    await open(`/admin/groups/${(body as { id: string }).id}`)
    await typeAndPressEnter(page, "Add a member", linus.email)
    await page.getByRole("table").getByRole("link", { name: "Linus" }).waitFor()
  })

  it("chooses the first model in the chat's menu and for code samples", async () => {
    const { page, open } = await app.asAdmin()
    await open("/")
    await page.getByRole("button", { name: /^Model: / }).click()
    await page.getByRole("combobox", { name: "Search models" }).pressSequentially("llama3.2")
    await page.keyboard.press("Enter")
    await page.getByLabel("Model: llama3.2:latest").waitFor()
    await open("/account/keys")
    await typeAndPressEnter(page, "Model", "llama")
    await page.getByText(/"model": "llama3.2:latest"/).waitFor()
  })
})

describe("a select", () => {
  it("opens and chooses by keyboard, without errors or accessibility violations", async () => {
    const { page, open, pageErrors } = await app.asAdmin()
    await open("/admin/users/new")
    const role = page.getByRole("combobox", { name: "Role" })
    expect(await role.innerText()).toBe("User")
    await role.focus()
    await page.keyboard.press("ArrowDown")
    await page.getByRole("option", { name: "Pending" }).waitFor()
    // The list of an open select lies outside the page's landmarks.
    expect(await findViolations(page, { except: ["region"] })).toEqual([])
    await page.keyboard.press("p")
    await page.keyboard.press("Enter")
    await expect.poll(() => role.innerText()).toBe("Pending")
    await expect.poll(() => role.evaluate((field) => field.matches(":focus"))).toBe(true)
    await page.keyboard.press("Enter")
    await page.keyboard.press("Escape")
    await page.getByRole("option").first().waitFor({ state: "detached" })
    expect(await role.innerText()).toBe("Pending")
    expect(pageErrors).toEqual([])
  })
})

describe("field errors", () => {
  it("appear in the page's language and disappear as the field is corrected", async () => {
    const { page, open, pageErrors } = await app.asAdmin({ locale: "de-DE" })
    await open("/admin/users/new")
    await page.getByLabel("E-Mail").fill("grace")
    await page.getByLabel("Passwort", { exact: true }).fill("short")
    await page.getByRole("button", { name: "Benutzer hinzufügen" }).click()
    await page.getByText("Geben Sie einen Namen ein.").waitFor()
    await page.getByText("Geben Sie eine E-Mail-Adresse wie ada@example.com ein.").waitFor()
    await page.getByText("Prüfen Sie die markierten Felder.").waitFor()
    await page.getByText("Verwenden Sie mindestens 8 Zeichen.").waitFor()
    const password = page.getByLabel("Passwort", { exact: true })
    const isInvalid = () => password.getAttribute("aria-invalid")
    expect(await isInvalid()).toBe("true")
    await password.pressSequentially("er")
    await expect.poll(isInvalid).toBe(null)
    await page.getByText("Geben Sie einen Namen ein.").waitFor()
    await page.getByRole("button", { name: "Benutzer hinzufügen" }).click()
    await expect.poll(isInvalid).toBe("true")
    expect(pageErrors).toEqual([])
  })

  it("disappear when a model is chosen from a list", async () => {
    const { page, open } = await app.asAdmin()
    await open("/models/new")
    await page.getByRole("textbox", { name: "Name" }).fill("Pilot")
    await page.getByRole("button", { name: "Create model" }).click()
    await page.getByText("Enter a model ID.").waitFor()
    await page.getByLabel("Base model").click()
    await page.getByRole("option", { name: "gpt-fake" }).click()
    await page.getByText("Enter a model ID.").waitFor({ state: "detached" })
  })
})

describe("a German page", () => {
  it("says in German why a connection fails, and names keys as on a German keyboard", async () => {
    const dead = { kind: "openai", name: "Dead provider", base_url: "http://127.0.0.1:9/v1" }
    const created = await app.gateway.call("POST", "/api/v1/connections/create", dead)
    const { page, open, pageErrors } = await app.asAdmin({ locale: "de-DE" })
    await open(`/admin/connections/${created.body.id}`)
    await page.getByRole("button", { name: "Verbindung testen" }).click()
    const result = page.getByRole("status").filter({ hasText: "127.0.0.1:9" })
    await result.getByText("ist nicht erreichbar: Verbindung abgelehnt.").waitFor()
    const search = page.getByRole("button", { name: "Suchen" })
    await search.getByText("Strg").waitFor()
    expect(pageErrors).toEqual([])
  })
})

describe("a form with numbers and lists", () => {
  it("keeps what is no number in its field and saves nothing, then saves what is typed", async () => {
    const { page, open } = await app.asAdmin()
    const writes = collectWrites(page)
    await open("/models/new?base=gpt-fake")
    await page.getByRole("textbox", { name: "Name" }).fill("Numbers")
    await page.getByText("Parameters", { exact: true }).click()
    const temperature = page.getByLabel("Temperature")
    await temperature.pressSequentially("1e")
    await page.getByText("Enter a number, such as 0.5.").waitFor()
    await page.getByRole("button", { name: "Create model" }).click()
    await expect
      .poll(() => temperature.evaluate((one) => one === document.activeElement))
      .toBe(true)
    expect(await temperature.inputValue()).toBe("1e")
    expect(writes).toEqual([])
    await temperature.fill("0,5")
    await page.getByRole("combobox", { name: /^Stop/ }).pressSequentially("END")
    await page.keyboard.press("ControlOrMeta+s")
    await page.waitForURL(/\/models\/view\//)
    const { body } = await app.gateway.call("GET", "/api/v1/models/model?id=numbers")
    expect(body.params).toEqual({ temperature: 0.5, stop: ["END"] })
  })

  it("never takes an emptied or wrong duration for one without an end", async () => {
    const { page, open } = await app.asAdmin()
    await open("/admin/settings")
    const days = page.getByLabel("Session length")
    for (const text of ["", "1e"]) {
      await days.fill(text)
      await page.keyboard.press("ControlOrMeta+s")
      await page.getByText("Enter a number, such as 0.5.").waitFor()
    }
    await days.fill("2,5")
    await page.keyboard.press("ControlOrMeta+s")
    await page.getByText("Saved", { exact: true }).waitFor()
    const { body } = await app.gateway.call("GET", "/api/v1/settings")
    expect(body.values.jwt_expires_in).toBe(216_000)
  })
})
