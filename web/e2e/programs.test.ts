import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { chooseOption } from "./choose-option.ts"
import { findViolations } from "./find-violations.ts"
import { type BrowserSession, startTestApp, type TestApp } from "./test-app.ts"

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.close())

const readClipboard = ({ page }: BrowserSession): Promise<string> =>
  page.evaluate(() => navigator.clipboard.readText())

const chooseModel = async ({ page }: BrowserSession, name: string): Promise<void> => {
  await page.getByLabel("Model", { exact: true }).fill(name)
  await page.keyboard.press("Enter")
}

/** Clicks a button that then says "Copied". @returns the clipboard */
const copy = async (session: BrowserSession, name: string): Promise<string> => {
  const { page } = session
  const button = page.getByRole("button", { name: `Copy: ${name}`, exact: true })
  await button.click()
  // Another button may still say so.
  await button.waitFor({ state: "detached" })
  await page.getByRole("button", { name: "Copied" }).first().waitFor()
  return readClipboard(session)
}

describe("connecting a program", () => {
  it("copies lines with the address, a new key that works, and the chosen model", async () => {
    const session = await app.asAdmin()
    const { page, open, context, pageErrors } = session
    await context.grantPermissions(["clipboard-read", "clipboard-write"])
    await open("/account/keys")
    await page.getByRole("main").getByRole("link", { name: "Connect a program" }).last().click()
    await chooseModel(session, "llama3.2")
    const withPlaceholder = await copy(session, "Terminal")
    expect(withPlaceholder).toContain("export ANTHROPIC_AUTH_TOKEN=YOUR_API_KEY\n")

    await page.getByRole("button", { name: "Create key" }).click()
    const apiKey = await page.locator("[data-secret]").innerText()
    const focused = "document.activeElement?.querySelector('[data-secret]')?.textContent"
    await expect.poll(() => page.evaluate(focused)).toBe(apiKey)
    const withKey = await copy(session, "Terminal")
    expect(withKey.split("\n").slice(0, 3)).toEqual([
      `export ANTHROPIC_BASE_URL=${app.gateway.url}`,
      `export ANTHROPIC_AUTH_TOKEN=${apiKey}`,
      "export ANTHROPIC_MODEL=llama3.2:latest",
    ])
    const { status } = await app.gateway.call("GET", "/v1/models", undefined, { key: apiKey })
    expect(status).toBe(200)
    expect(await findViolations(page)).toEqual([])

    await page.reload()
    await page.getByText("YOUR_API_KEY").first().waitFor()
    expect(await page.content()).not.toContain(apiKey)
    await page.getByRole("link", { name: "API keys" }).click()
    await page.getByRole("table").getByText("Claude Code", { exact: true }).waitFor()
    expect(pageErrors).toEqual([])
  })

  it("is done by keyboard, for another program and operating system", async () => {
    const session = await app.asAdmin()
    const { page, open, context } = session
    await context.grantPermissions(["clipboard-read", "clipboard-write"])
    await open("/account/programs")
    await page.getByRole("radio", { name: "Claude Code" }).focus()
    await page.keyboard.press("ArrowRight")
    await page.getByRole("heading", { name: "Codex" }).waitFor()
    expect(new URL(page.url()).search).toBe("?program=codex")
    await chooseModel(session, "gpt-fake")
    await chooseOption(page.getByLabel("Operating system"), "Windows (PowerShell)")
    const config = await copy(session, "%USERPROFILE%\\.codex\\config.toml")
    expect(config).toContain('model = "gpt-fake"\n')
    expect(config).toContain(`base_url = "${app.gateway.url}/v1"\n`)
    expect(await copy(session, "PowerShell")).toBe("$env:PORTICO_API_KEY = 'YOUR_API_KEY'\ncodex")
  })

  it("copies values for programs with a form", async () => {
    const session = await app.asAdmin()
    await session.context.grantPermissions(["clipboard-read", "clipboard-write"])
    await session.open("/account/programs?program=n8n")
    expect(await copy(session, "Base URL")).toBe(`${app.gateway.url}/v1`)
    expect(await session.page.getByLabel("Operating system").count()).toBe(0)
  })

  it("warns if the new key may not be used by the program, and offers only its models", async () => {
    const { page, open } = await app.asAdmin()
    await open("/account/keys/new")
    await page.getByLabel("Allowed models").fill("gpt-reason-fake,")
    await page.getByLabel("Allowed routes").fill("/api/chat/completions,")
    await page.getByRole("button", { name: "Create key" }).click()
    // The first program that the key may be used for.
    await page.getByRole("heading", { name: "Cursor" }).waitFor()
    expect(await page.getByText("isn't allowed").count()).toBe(0)
    expect(await page.getByLabel("Model", { exact: true }).inputValue()).toBe("gpt-reason-fake")
    await page.getByLabel("Model", { exact: true }).click()
    expect(await page.getByRole("option").allInnerTexts()).toEqual(["gpt-reason-fake"])
    await page.keyboard.press("Escape")
    await page.getByRole("radio", { name: "Claude Code" }).check()
    await page.getByText("Claude Code calls /v1/messages, which this key isn't allowed").waitFor()
  })

  it("says what to do without models, and why a key could not be created", async () => {
    const { page, open } = await app.asAdmin()
    await page.route("**/api/v1/auths/api_keys", (route) =>
      route.fulfill({ status: 403, json: {} }),
    )
    await open("/account/programs")
    await page.getByRole("button", { name: "Create key" }).click()
    await page.getByRole("alert").waitFor()
    await page.route("**/api/v1/models", (route) => route.fulfill({ json: { data: [] } }))
    await page.reload()
    await page.getByRole("heading", { name: "No models yet" }).waitFor()
    await page.getByRole("link", { name: "Connect models" }).waitFor()
  })
})
