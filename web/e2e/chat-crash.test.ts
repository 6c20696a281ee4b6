import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Browser } from "playwright-core"
import { afterAll, beforeAll, expect, it } from "vitest"
import { type FakeOpenAI, startFakeOpenAI } from "../../server/test/fakes/openai.ts"
import { adminEmail, adminPassword } from "../../server/test/harness/gateway.ts"
import { killAllGateways, startGatewayProcess } from "../../server/test/harness/gateway-process.ts"
import { launch } from "./test-app.ts"

let provider: FakeOpenAI
let browser: Browser
let dataDir: string

const start = (port: string) =>
  startGatewayProcess({
    env: {
      PORT: port,
      DATA_DIR: dataDir,
      ADMIN_EMAIL: adminEmail,
      ADMIN_PASSWORD: adminPassword,
      OLLAMA_BASE_URLS: ";",
      OPENAI_API_BASE_URLS: provider.url,
      OPENAI_API_KEYS: "up-key",
    },
  })

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "portico-crash-"))
  provider = await startFakeOpenAI({ apiKey: "up-key" })
  browser = await launch()
})
afterAll(async () => {
  killAllGateways()
  await browser.close()
  await provider.close()
  rmSync(dataDir, { recursive: true, force: true })
})

it("explains an answer cut off by a server crash and reconnects automatically", async () => {
  const first = await start("0")
  const context = await browser.newContext({ locale: "en-US" })
  const data = { email: adminEmail, password: adminPassword }
  await context.request.post(`${first.url}/api/v1/auths/signin`, { data })
  const page = await context.newPage()
  page.setDefaultTimeout(20_000)
  await page.goto(first.url)
  provider.injectFault({ kind: "slow_frames", ms: 50 }, { on: /chat/ })
  const words = Array.from({ length: 200 }, (_, index) => `word${index}`).join(" ")
  await page.getByLabel("Message", { exact: true }).fill(words)
  await page.keyboard.press("Enter")
  const answer = page.locator("article[data-role=assistant]")
  await answer.getByText("word20 ").waitFor()
  await page.getByLabel("Message", { exact: true }).fill("a draft to keep")
  await first.kill()
  await page.getByText("Connection lost").first().waitFor()
  expect(await answer.innerText()).toContain("word10")

  const second = await start(new URL(first.url).port)
  await answer.getByText("The server stopped before this answer was complete").waitFor()
  await page.getByText("Connection lost").first().waitFor({ state: "hidden" })
  expect(await answer.innerText()).toContain("word10")
  const composer = page.getByLabel("Message", { exact: true })
  expect(await composer.inputValue()).toBe("a draft to keep")
  await composer.press("Enter")
  await page.getByText("You said: a draft to keep").waitFor()
  await second.kill()
})
