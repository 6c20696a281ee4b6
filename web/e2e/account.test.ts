import OpenAI from "openai"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { chooseOption } from "./choose-option.ts"
import { startTestApp, type TestApp } from "./test-app.ts"

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.close())

describe("an API key", () => {
  it("is created, shown once, works with the OpenAI SDK, and stops working when revoked", async () => {
    const { page, open, pageErrors } = await app.asAdmin()
    await open("/account/keys")
    await page.getByRole("link", { name: "Create key" }).first().click()
    await page.getByRole("heading", { name: "Create key" }).waitFor()
    await page.getByLabel("Name").fill("Nightly report")
    await chooseOption(page.getByLabel("Expires"), "In 30 days")
    await page.getByLabel("Allowed models").fill("gpt-fake,")
    await page.getByRole("button", { name: "Create key" }).click()
    await page.getByRole("heading", { name: "Nightly report is ready" }).waitFor()
    const apiKey = await page.locator("[data-secret]").innerText()
    expect(apiKey).toMatch(/^sk-/)
    await page.getByRole("radio", { name: "curl" }).check()
    const command = page.getByRole("figure", { name: "Terminal" })
    await command.getByText(`curl ${app.gateway.url}/v1/chat/completions`).waitFor()
    expect(await command.innerText()).toContain(apiKey)

    const client = new OpenAI({ baseURL: `${app.gateway.url}/v1`, apiKey, maxRetries: 0 })
    const ask = (model: string) =>
      client.chat.completions.create({ model, messages: [{ role: "user", content: "hello" }] })
    expect((await ask("gpt-fake")).choices[0]?.message.content).toBe("You said: hello")
    await expect(ask("llama3.2:latest")).rejects.toMatchObject({ status: 403 })

    await page.getByRole("link", { name: "Done" }).click()
    await page.getByText("Nightly report", { exact: true }).waitFor()
    expect(await page.content()).not.toContain(apiKey)
    await page.getByRole("button", { name: "Revoke Nightly report" }).click()
    await page.getByRole("alertdialog").getByRole("button", { name: "Revoke key" }).click()
    await page.getByRole("alertdialog").waitFor({ state: "detached" })
    await expect(ask("gpt-fake")).rejects.toMatchObject({ status: 401 })
    expect(pageErrors).toEqual([])
  })

  it("shows a validation error below an invalid route", async () => {
    const { page, open } = await app.asAdmin()
    await open("/account/keys/new")
    await page.getByLabel("Allowed routes").fill("chat,")
    await page.getByRole("button", { name: "Create key" }).click()
    await page.getByText("Enter a path such as /v1/chat/completions").waitFor()
    expect(await page.getByLabel("Allowed routes").getAttribute("aria-invalid")).toBe("true")
  })
})

describe("the account pages", () => {
  it("show only the user's own usage, also by API key", async () => {
    const { gateway } = app
    const grace = await gateway.createUser("Grace")
    const messages = [{ role: "user", content: "hello" }]
    const ask = (model: string, key?: string) =>
      gateway.call("POST", "/v1/chat/completions", { model, messages }, key ? { key } : {})
    await ask("gpt-fake", grace.key)
    await ask("llama3.2:latest")
    const readOwnUsage = () => gateway.call("GET", "/api/v1/usage", undefined, { key: grace.key })
    await expect.poll(async () => (await readOwnUsage()).body.total).toBe(1)
    const { page, open, context } = await app.openSession()
    const data = { email: grace.email, password: "Grace has a password" }
    await context.request.post(`${gateway.url}/api/v1/auths/signin`, { data })
    await open("/account/usage")
    await page.getByRole("table").getByText("gpt-fake").waitFor()
    expect(await page.getByRole("table").getByText("llama3.2").count()).toBe(0)
    await page.getByLabel("Group by").click()
    const choices = page.getByRole("option")
    expect(await choices.allInnerTexts()).toEqual([
      "By model",
      "By API key",
      "By outcome",
      "Over time",
    ])
    await choices.getByText("By API key").click()
    await page.getByRole("table").getByText("test", { exact: true }).waitFor()
  })

  it("offer a longer range to a user without usage", async () => {
    const { page, open, context } = await app.openSession()
    const lise = await app.gateway.createUser("Lise")
    const data = { email: lise.email, password: "Lise has a password" }
    await context.request.post(`${app.gateway.url}/api/v1/auths/signin`, { data })
    await open("/account/usage")
    await page.getByRole("button", { name: "Show the last 365 days" }).click()
    await expect.poll(() => page.getByLabel("Range").innerText()).toBe("Last 365 days")
    await page.getByRole("main").getByRole("link", { name: "New chat" }).waitFor()
  })

  it("keep the current page's tab in view when the window becomes narrow", async () => {
    const { page, open } = await app.asAdmin()
    await open("/account/sessions")
    await page.setViewportSize({ width: 360, height: 800 })
    const tab = page.getByRole("navigation", { name: "Account" }).getByRole("link", {
      name: "Sessions",
    })
    const rightEdge = async () => {
      const box = await tab.boundingBox()
      return box ? box.x + box.width : Number.NaN
    }
    await expect.poll(rightEdge).toBeLessThanOrEqual(360)
  })

  it("list the sessions and end another one immediately", async () => {
    const here = await app.asAdmin()
    const there = await app.asAdmin()
    await here.open("/account/sessions")
    await here.page.getByText("This session").waitFor()
    const buttons = here.page.getByRole("button", { name: "End session" })
    const before = await buttons.count()
    await buttons.first().click()
    await expect.poll(() => buttons.count()).toBe(before - 1)
    await there.open("/account")
    await there.page.getByRole("heading", { name: "Sign in" }).waitFor()
  })

  it("keep unsaved changes until they are saved or discarded", async () => {
    const { page, open } = await app.asAdmin()
    await open("/account")
    await page.getByLabel("Name").fill("Ada, Countess of Lovelace")
    await page.getByRole("link", { name: "Models" }).click()
    await page.getByRole("alertdialog").getByRole("button", { name: "Cancel" }).click()
    await page.keyboard.press("Control+s")
    await page.getByText("Saved", { exact: true }).waitFor()
    await page.getByRole("button", { name: "Ada, Countess of Lovelace" }).waitFor()
    await page.getByRole("link", { name: "Models" }).click()
    await page.getByRole("heading", { name: "Models" }).waitFor()
  })

  it("keep changes made after saving, too", async () => {
    const { page, open } = await app.asAdmin()
    await open("/account")
    await page.getByLabel("Name").fill("Ada Byron")
    await page.keyboard.press("Control+s")
    await page.getByText("Saved", { exact: true }).waitFor()
    await page.getByLabel("Name").fill("Ada King")
    await page.getByRole("link", { name: "Models" }).click()
    await page.getByRole("alertdialog").getByRole("button", { name: "Cancel" }).click()
    expect(await page.getByLabel("Name").inputValue()).toBe("Ada King")
  })

  it("show the storage used and its limit", async () => {
    const { page, open } = await app.asAdmin()
    const chat = { title: "Long", system: "s".repeat(200_000) }
    await app.gateway.call("POST", "/api/v1/chats/new", chat)
    await open("/account")
    await page.getByText(/^2\d\d kB of 100 GB used$/).waitFor()
    const chats = page.getByRole("definition").filter({ hasText: /^2\d\d kB$/ })
    expect(await chats.count()).toBe(1)
  })

  it("follow the system theme until one is chosen, and keep it after a reload", async () => {
    const { page, open } = await app.asAdmin({ colorScheme: "dark" })
    const backgroundColor = () =>
      page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    await open("/account")
    await expect.poll(backgroundColor).toBe("rgb(22, 22, 24)")
    await chooseOption(page.getByLabel("Theme"), "Light")
    await expect.poll(backgroundColor).toBe("rgb(255, 255, 255)")
    await page.reload()
    await expect.poll(backgroundColor).toBe("rgb(255, 255, 255)")
  })
})
