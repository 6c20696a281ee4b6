import { createServer, type Server } from "node:http"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { listenOnLoopback } from "../../server/test/harness/ports.ts"
import { waitFor } from "../../server/test/harness/usage-records.ts"
import { startTestApp, type TestApp } from "./test-app.ts"

describe("a failing connection", () => {
  let app: TestApp
  let failing: Server
  let address: string
  beforeAll(async () => {
    failing = createServer((_, response) => {
      response.writeHead(500, { "content-type": "application/json" })
      response.end(JSON.stringify({ error: { message: "The model store is full", type: "disk" } }))
    })
    address = `http://127.0.0.1:${await listenOnLoopback(failing)}`
    app = await startTestApp({ OPENAI_API_BASE_URLS: address })
  })
  afterAll(async () => {
    await app.close()
    failing.close()
  })

  it("is described in the same sentence everywhere, with the response under Details", async () => {
    const { page, open, pageErrors } = await app.asAdmin()
    await open("/admin/connections")
    const sentence = `${address} responded with status 500: The model store is full`
    const row = page.getByRole("row", { name: address })
    await row.getByText(sentence, { exact: true }).waitFor()
    const raw = '500 {"error":{"message":"The model store is full","type":"disk"}}'
    expect(await row.getByText(raw).isVisible()).toBe(false)
    await row.getByText("Details").click()
    await row.getByText(raw).waitFor()

    await row.getByRole("link").click()
    await page.getByText(sentence, { exact: true }).waitFor()
    await page.getByRole("button", { name: "Test connection" }).click()
    await page.getByRole("status").getByText(sentence).waitFor()
    await page.getByRole("status").getByText("Details").click()
    await page.getByRole("status").getByText(raw).waitFor()
    expect(pageErrors).toEqual([])
  })
})

describe("setting up", () => {
  const nobody = { ADMIN_EMAIL: "", ADMIN_PASSWORD: "", ADMIN_API_KEY: "" }
  const nothing = { OPENAI_API_BASE_URLS: "", OPENAI_API_KEYS: "", OLLAMA_BASE_URLS: ";" }

  it("marks steps as done, mentions no runtime if none is configured, and fills in a provider", async () => {
    const app = await startTestApp({ ...nobody, ...nothing })
    try {
      const { page, open, pageErrors } = await app.openSession()
      await open("/")
      await page.getByLabel("Name").fill("Ada Lovelace")
      await page.getByLabel("Email").fill("ada@example.com")
      await page.getByLabel("Password", { exact: true }).fill("correct horse")
      await page.keyboard.press("Enter")
      await page.getByRole("button", { name: "LM Studio" }).waitFor()
      expect(await page.getByText("11434").count()).toBe(0)
      const steps = page.getByRole("main").getByRole("list").getByRole("listitem")
      await expect.poll(() => steps.getByRole("img", { name: "Done" }).count()).toBe(1)

      await page.getByRole("button", { name: "LM Studio" }).press("Enter")
      expect(await page.getByLabel("Name").inputValue()).toBe("LM Studio")
      expect(await page.getByLabel("Address").inputValue()).toBe("http://127.0.0.1:1234/v1")
      await page.getByRole("button", { name: "Other" }).click()
      expect(await page.getByLabel("Address").inputValue()).toBe("")
      await page.getByLabel("Address").fill(app.provider.url)
      await page.getByLabel("API key").fill("up-key")
      await page.getByRole("button", { name: "Connect", exact: true }).click()
      await page.getByText("models are ready").waitFor()
      await expect.poll(() => steps.getByRole("img", { name: "Done" }).count()).toBe(2)
      expect(pageErrors).toEqual([])
    } finally {
      await app.close()
    }
  })
})

describe("the usage chart", () => {
  let app: TestApp
  beforeAll(async () => {
    app = await startTestApp()
    const messages = [{ role: "user", content: "hello" }]
    for (let count = 0; count < 3; count++)
      await app.gateway.call("POST", "/v1/chat/completions", { model: "gpt-fake", messages })
    await waitFor(async () => {
      const { body } = await app.gateway.call("GET", "/api/v1/usage")
      return body.items[0]?.requests === 3
    })
  })
  afterAll(() => app.close())

  it("has its labels on the grid lines and its dates in the browser's format", async () => {
    const { page, open } = await app.asAdmin({ locale: "en-GB" })
    await open("/admin/usage?measure=requests")
    const figure = page.getByRole("figure")
    const grid = await figure.getByRole("slider").boundingBox()
    const middleOf = async (label: string) => {
      const box = await figure.getByText(label, { exact: true }).boundingBox()
      return box && grid && (box.y + box.height / 2 - grid.y) / grid.height
    }
    // Three requests: the scale ends at 4.
    expect(await middleOf("4")).toBeCloseTo(0, 1)
    expect(await middleOf("2")).toBeCloseTo(0.5, 1)
    expect(await middleOf("0")).toBeCloseTo(1, 1)
    expect(await figure.getByText(/^\d{1,2} \w{3,4}$/).count()).toBeGreaterThan(2)
  })

  it("writes dates of an English page in the style of the browser's region", async () => {
    const { page, open } = await app.asAdmin({ locale: "de-DE" })
    await page.addInitScript(() => localStorage.setItem("portico.language", "en"))
    await open("/admin/usage")
    const dates = page.getByRole("figure").getByText(/^\d{1,2} \w{3,4}$/)
    await dates.first().waitFor()
    expect(await dates.count()).toBeGreaterThan(2)
  })
})

describe("provisioning while SCIM is off", () => {
  let app: TestApp
  beforeAll(async () => {
    app = await startTestApp()
  })
  afterAll(() => app.close())

  it("shows exports and a header with the same new token", async () => {
    const { page, open, pageErrors } = await app.asAdmin()
    await open("/admin/provisioning")
    const snippet = page.getByRole("tabpanel")
    await snippet.getByText("export SCIM_ENABLED=true").waitFor()
    const [, token = ""] = /^export SCIM_TOKEN=(\S{44})$/m.exec(await snippet.innerText()) ?? []
    await page.getByText(`Authorization: Bearer ${token}`, { exact: true }).waitFor()
    await page.getByText("isn't stored anywhere").waitFor()
    await page.getByRole("tab", { name: ".env" }).click()
    expect(await snippet.innerText()).toBe(`SCIM_ENABLED=true\nSCIM_TOKEN=${token}`)
    expect(pageErrors).toEqual([])
  })
})

describe("creating a model", () => {
  let app: TestApp
  beforeAll(async () => {
    app = await startTestApp()
  })
  afterAll(() => app.close())

  it("derives an ID without punctuation from its name", async () => {
    const { page, open } = await app.asAdmin()
    await open("/models/new")
    await page.getByLabel("Name", { exact: true }).fill("Café helper / très bon")
    expect(await page.getByLabel("ID", { exact: true }).inputValue()).toBe("cafe-helper-tres-bon")
  })
})
