import { afterAll, beforeAll, expect, it } from "vitest"
import { type FakeModelHub, startFakeModelHub } from "../../server/test/fakes/model-hub.ts"
import { tinyModel } from "../../server/test/fakes/tiny-embedding-model.ts"
import { embedderOptions } from "../../server/test/knowledge/built-in-model-process.ts"
import { app, closeAdminApp, startAdminApp, visit } from "./admin-app.ts"
import { chooseOption } from "./choose-option.ts"

let hub: FakeModelHub

beforeAll(async () => {
  hub = await startFakeModelHub()
  const options = { ...embedderOptions, installableModels: [tinyModel], modelDownloadRetryMs: 10 }
  await startAdminApp({ HF_ENDPOINT: hub.url }, options)
})
afterAll(async () => {
  await closeAdminApp()
  await hub.close()
})

it("installs an embedding model, shows its progress and errors, and removes it", async () => {
  const { page, open, pageErrors } = visit
  const install = page.getByRole("button", { name: "Install tiny" })
  const progress = page.getByRole("progressbar", { name: "Installing tiny" })
  await open("/admin/settings")
  await page.getByText("MIT license").waitFor()

  hub.faults.push("missing")
  await install.click()
  await page.getByText("it answered with status 404").waitFor()

  hub.faults.push("stalled")
  await install.click()
  await progress.waitFor()
  await page.reload()
  await progress.waitFor()
  const cancel = page.getByRole("button", { name: "Cancel" })
  await page.route("**/installations/tiny", (route) =>
    route.fulfill({ status: 503, json: { detail: "The server is busy." } }),
  )
  await cancel.click()
  await page.getByText("The server is busy.").waitFor()
  await page.unroute("**/installations/tiny")
  await cancel.click()
  await progress.waitFor({ state: "detached" })

  await install.click()
  await page.getByText("Installed. You can choose it").waitFor()
  await chooseOption(page.getByLabel("Embedding model"), "Built-in (tiny)")
  await page.getByRole("button", { name: "Save", exact: true }).click()
  await page.getByText("In use: Built-in (tiny)").waitFor()
  expect(await page.getByText("works best in English").count()).toBe(0)

  const remove = page.getByRole("button", { name: "Remove", exact: true })
  await remove.click()
  await page.getByRole("button", { name: "Remove tiny" }).click()
  await page.getByText("Semantic search uses this model.").waitFor()
  await page.getByRole("button", { name: "Cancel" }).click()
  await chooseOption(page.getByLabel("Embedding model"), "Built-in (all-minilm-l6-v2)")
  await page.getByRole("button", { name: "Save", exact: true }).click()
  await page.getByText("In use: Built-in (all-minilm-l6-v2)").waitFor()
  await remove.click()
  await page.getByRole("button", { name: "Remove tiny" }).click()
  await install.waitFor()

  await open("/admin/audit")
  for (const event of ["started to install", "installed", "removed"])
    await page.getByText(`${event} the embedding model`).first().waitFor()
  expect(pageErrors).toEqual([])
  expect(app.gateway.logLines.some(({ level }) => level === 50)).toBe(false)
})
