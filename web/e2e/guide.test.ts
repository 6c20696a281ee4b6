import { afterAll, beforeAll, expect, it } from "vitest"
import { startTestApp, type TestApp } from "./test-app.ts"

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({
    ...{ ADMIN_EMAIL: "", ADMIN_PASSWORD: "", ADMIN_API_KEY: "", INSTALL_GUIDE: "true" },
    ...{ OPENAI_API_BASE_URLS: "", OPENAI_API_KEYS: "", OLLAMA_BASE_URLS: ";" },
  })
})
afterAll(() => app.close())

it("answers questions about Portico with citations in a fresh install without models", async () => {
  const { page, open, pageErrors } = await app.openSession()
  await open("/")
  await page.getByRole("heading", { name: "Welcome to Portico" }).waitFor()
  await page.getByLabel("Name").fill("Ada Lovelace")
  await page.getByLabel("Email").fill("ada@example.com")
  await page.getByLabel("Password", { exact: true }).fill("correct horse")
  await page.keyboard.press("Enter")
  await page.getByRole("link", { name: "Ask the Guide first" }).click()
  await page.getByLabel("Message", { exact: true }).fill("How do I create an API key?")
  await page.keyboard.press("Enter")
  const answer = page.locator("article[data-role=assistant]")
  await answer.getByText("The key is shown once").waitFor()
  await answer.getByText("Getting started, How do I create an API key?").waitFor()
  await expect.poll(() => answer.innerText()).toMatch(/\[?1\]?/)
  expect(pageErrors).toEqual([])
})

it("starts chatting with a model of the connection just made, not with Guide again", async () => {
  const { page, open } = await app.openSession()
  await open("/sign-in")
  await page.getByLabel("Email").fill("ada@example.com")
  await page.getByLabel("Password", { exact: true }).fill("correct horse")
  await page.keyboard.press("Enter")
  await page.getByLabel("Message", { exact: true }).waitFor()
  await open("/?model=guide")
  await page.getByLabel("Message", { exact: true }).fill("How do I create an API key?")
  await page.keyboard.press("Enter")
  await page.waitForURL(/\/c\//, { waitUntil: "commit" })
  await open("/connect")
  await page.getByLabel("Address").fill(app.provider.url)
  await page.getByRole("textbox", { name: "API key" }).fill("up-key")
  await page.getByRole("button", { name: "Connect", exact: true }).click()
  await page.getByRole("link", { name: "Start chatting" }).click()
  await page.getByLabel("Model: gpt-fake").waitFor()
})
