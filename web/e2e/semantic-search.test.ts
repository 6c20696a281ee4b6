import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { embedderOptions } from "../../server/test/knowledge/built-in-model-process.ts"
import { createCollection, uploadAndEmbed } from "../../server/test/knowledge/collections.ts"
import { app, closeAdminApp, startAdminApp, visit } from "./admin-app.ts"
import { chooseOption } from "./choose-option.ts"
import { startTestApp } from "./test-app.ts"

const model = () => visit.page.getByLabel("Embedding model")
const setting = async () =>
  (await app.gateway.call("GET", "/api/v1/settings")).body.values.embedding_model
const pullButton = () => visit.page.getByRole("button", { name: "Pull bge-m3" })

let collection: string

beforeAll(async () => {
  await startAdminApp({}, embedderOptions)
  const text = "The harbour master keeps the lifeboat ready."
  const file = await uploadAndEmbed(app.gateway, "harbour.txt", text)
  collection = await createCollection(app.gateway, "Harbour", [file.id])
})
afterAll(closeAdminApp)

describe("semantic search", () => {
  it("says on a collection's page that the built-in model works best in English", async () => {
    const { page, open } = visit
    await open(`/knowledge/${collection}`)
    await page.getByText("the built-in model, which works best in English").waitFor()
    await open(`/knowledge/${collection}/search?q=rescue%20ship`)
    await page.getByText(/Keyword and semantic search, using built-in/).waitFor()
    await page.getByText(/^Semantic search: rank 1, similarity 0\.\d+$/).waitFor()
  })

  it("pulls a multilingual model with one click, which can be canceled", async () => {
    const { page, open, pageErrors } = visit
    await open("/admin/settings")
    await page.getByText("In use: Built-in (all-minilm-l6-v2)").waitFor()
    await page.getByText("The built-in model works best in English.").waitFor()
    await page.getByText("bge-m3 · 1.2 GB").waitFor()
    await page.getByLabel("Token budget for sources").fill("6000")

    app.runtime.pace.delayMs = 60_000
    await pullButton().click()
    await page.getByRole("progressbar", { name: "Pulling bge-m3" }).waitFor()
    await page.getByText("Keep this page open").waitFor()
    await page.getByRole("button", { name: "Cancel" }).click()
    await page.getByRole("progressbar").waitFor({ state: "detached" })
    expect(await setting()).toBe("")

    app.runtime.pace.delayMs = 50
    await pullButton().click()
    await page.getByText("bge-m3:latest is selected.").waitFor()
    await pullButton().waitFor({ state: "detached" })
    expect(await setting()).toBe("bge-m3:latest")
    expect(await model().innerText()).toContain("bge-m3:latest")
    await page.getByText("In use: bge-m3:latest").waitFor()

    await page.getByText("Unsaved changes").waitFor()
    await page.getByRole("button", { name: "Save", exact: true }).click()
    await page.getByText("Saved", { exact: true }).waitFor()
    const { values } = (await app.gateway.call("GET", "/api/v1/settings")).body
    expect(values).toMatchObject({ rag_token_budget: 6000, embedding_model: "bge-m3:latest" })
    expect(pageErrors).toEqual([])
  })

  it("shows the progress of building an index", async () => {
    const { page, open } = visit
    let done = 0
    await page.route("**/api/v1/embedding-model", async (route) => {
      const response = await route.fetch()
      const status = await response.json()
      done += 320
      const building = done < 1200 ? { model: "bge-m3:latest", done, total: 1200 } : null
      await route.fulfill({ response, json: { ...status, admin: { ...status.admin, building } } })
    })
    await open("/admin/settings")
    await page.getByText("Building the index for bge-m3:latest: 320 of 1,200 passages").waitFor()
    await page.getByText("640 of 1,200 passages").waitFor()
    await page.getByRole("progressbar").waitFor({ state: "detached" })
    await page.unrouteAll({ behavior: "wait" })
  })

  it("can be turned off, which collections then show", async () => {
    const { page, open } = visit
    await open("/admin/settings")
    await chooseOption(model(), "Off (keyword search only)")
    await page.getByRole("button", { name: "Save", exact: true }).click()
    await page.getByText("Off. Collections use keyword search only.").waitFor()
    expect(await setting()).toBe("none")
    await open(`/knowledge/${collection}`)
    await page.getByText("this collection uses keyword search only").waitFor()
  })

  it("can be locked by an environment variable, and then offers no model to pull", async () => {
    const fixed = await startTestApp({ EMBEDDING_MODEL: "nomic-embed-text" })
    try {
      const { page, open } = await fixed.asAdmin()
      await open("/admin/settings")
      await page.getByText("EMBEDDING_MODEL").waitFor()
      expect(await page.getByLabel("Embedding model").isDisabled()).toBe(true)
      expect(await page.getByRole("button", { name: /^Pull/ }).count()).toBe(0)
    } finally {
      await fixed.close()
    }
  })
})
