import { afterAll, beforeAll, expect, it } from "vitest"
import { createChatClient } from "../../server/test/conversations/chat-client.ts"
import { jsonResponse } from "../../server/test/fakes/responses.ts"
import { type FakeUpstream, startFakeUpstream } from "../../server/test/fakes/upstream.ts"
import { adminKey } from "../../server/test/harness/gateway.ts"
import { createCollection, upload } from "../../server/test/knowledge/collections.ts"
import { isRewriting, manual, streamed } from "../../server/test/knowledge/rewriting-upstream.ts"
import { waitForModels } from "../../server/test/models/wait-for-models.ts"
import { app, closeAdminApp, startAdminApp, visit } from "./admin-app.ts"

let upstream: FakeUpstream
let collection: string

const standalone = "What is the code of the tillers?"
const paraphrase = "tillers code number"

beforeAll(async () => {
  upstream = await startFakeUpstream({
    respond: (request) => {
      if (request.path === "/v1/models") return jsonResponse(200, { data: [{ id: "writer" }] })
      return streamed(isRewriting(request) ? JSON.stringify({ standalone, paraphrase }) : "Hello.")
    },
  })
  await startAdminApp({ OPENAI_API_BASE_URLS: `${upstream.origin}/v1`, OPENAI_API_KEYS: "key" })
  await waitForModels(app.gateway, ["writer"])
  await app.gateway.call("POST", "/api/v1/settings", { query_rewriting_model: "" })
  const query = "?process_in_background=false"
  const { body } = await upload(app.gateway, "manual.md", manual, { query })
  collection = await createCollection(app.gateway, "Ship", [body.id])
})
afterAll(async () => {
  await closeAdminApp()
  await upstream.close()
})

const search = () => visit.page.getByRole("button", { name: "Search", exact: true }).click()

it("shows how a follow-up was rewritten, and what was found by that", async () => {
  const { page } = visit
  await visit.open(`/knowledge/${collection}/search?q=And+its+number%3F`)
  await page.getByText("choose a model to see the effect").waitFor({ state: "hidden" })
  await page.getByText("The question was not rewritten: it is complete").waitFor()
  await page.getByText("Chat in which it is asked").click()
  await page.getByRole("combobox", { name: "Model of the chat" }).fill("writer")
  await page.getByRole("option", { name: "writer" }).click()
  await page.getByRole("textbox", { name: "Previous question" }).fill("Which is near the end?")
  const answer = page.getByRole("textbox", { name: "Answer to it" })
  await answer.fill("The chapter about tillers.")
  await search()
  await page.getByText("writer rewrote the question").waitFor()
  await page.getByText(standalone, { exact: true }).waitFor()
  await page.getByText(paraphrase, { exact: true }).waitFor()
  const found = page.getByText(`Found by the rewritten question “${standalone}”`)
  await found.first().waitFor()
  await page.waitForURL(/model=writer/)
  await search()
  await page.getByText("An earlier result was reused.").waitFor()
})

it("searches like the chat from which a test search is opened", async () => {
  const { page } = visit
  const client = createChatClient(app.gateway, adminKey)
  const id = await client.createChat({ models: ["writer"] })
  const files = [{ type: "collection" as const, id: collection, name: "Ship" }]
  await client.sendMessage(id, { content: "Which one is near the end of the manual?", files })
  await client.sendMessage(id, { content: "And the number of it?", files })
  await visit.open(`/c/${id}`)
  await page.getByRole("link", { name: "Test search" }).last().click()
  await page.getByText("writer rewrote the question").waitFor()
  // The chat's request was the same.
  await page.getByText("An earlier result was reused.").waitFor()
  const answer = page.getByRole("textbox", { name: "Answer to it" })
  expect(await answer.inputValue()).toBe("Hello.")
  await page.reload()
  await page.getByText("writer rewrote the question").waitFor()
  expect(await answer.inputValue()).toBe("Hello.")
})

it("searches without the model of an old chat that was removed", async () => {
  const { page } = visit
  await visit.open(`/knowledge/${collection}/search?q=code+of+the+tillers&model=removed`)
  await page.getByText("This model is not available to you.").waitFor()
  await page.getByText(/^The model would receive \d+ passages\./).waitFor()
})

it("shows every passage that the model would receive", async () => {
  const { page } = visit
  await visit.open(`/knowledge/${collection}/search?q=code+of+the+tillers`)
  await page.getByRole("combobox", { name: "Number of passages" }).click()
  await page.getByRole("option", { name: "5 passages", exact: true }).click()
  const used = page.getByText("Sent to the model", { exact: true })
  await expect.poll(() => used.count()).toBe(5)
  const summary = await page.getByText(/^The model would receive \d+ passages\./).innerText()
  const [, count] = /receive (\d+) passages/.exec(summary) ?? []
  await page.getByRole("button", { name: `Show all ${count} passages` }).click()
  await expect.poll(() => used.count()).toBe(Number(count))
})

it("lets a collection turn rewriting off", async () => {
  const { page } = visit
  await visit.open(`/knowledge/${collection}/settings`)
  await page.getByRole("combobox", { name: "Rewriting of questions" }).click()
  await page.getByRole("option", { name: "Off" }).click()
  await page.getByRole("button", { name: "Save", exact: true }).click()
  await page.getByText("Saved", { exact: true }).first().waitFor()
  await visit.open(`/knowledge/${collection}/search?q=Its+code%3F&model=writer`)
  await page.getByText("The question was not rewritten: rewriting is off.").waitFor()
})

it("lets administrators choose the model and its time", async () => {
  const { page } = visit
  await visit.open("/admin/settings")
  await page.getByRole("combobox", { name: "Model for rewriting questions" }).fill("writer")
  await page.getByRole("option", { name: "writer" }).click()
  const timeout = page.getByRole("textbox", { name: "Time limit for rewriting" })
  await timeout.fill("50")
  await page.getByRole("button", { name: "Save", exact: true }).click()
  await page.getByText("Enter at least 100 and at most 30,000 milliseconds.").waitFor()
  await timeout.fill("1500")
  await page.getByRole("button", { name: "Save", exact: true }).click()
  const readValues = async () =>
    (await app.gateway.call("GET", "/api/v1/settings")).body.values.query_rewriting_timeout_ms
  await expect.poll(readValues).toBe(1500)
  const { body } = await app.gateway.call("GET", "/api/v1/settings")
  expect(body.values.query_rewriting_model).toBe("writer")
})
