import { afterAll, beforeAll, expect, it } from "vitest"
import {
  startWebhookReceiver,
  type WebhookReceiver,
} from "../../server/test/fakes/webhook-receiver.ts"
import { app, closeAdminApp, startAdminApp, visit } from "./admin-app.ts"
import { findViolations } from "./find-violations.ts"

let receiver: WebhookReceiver
beforeAll(async () => {
  receiver = await startWebhookReceiver()
  await startAdminApp({}, { limitWarningMs: 100 })
})
afterAll(async () => {
  await closeAdminApp()
  await receiver.close()
})

it("sets up a webhook, shows its secret once, and tests it", async () => {
  const { page, open } = visit
  await open("/admin/settings")
  await page.getByLabel("Address").fill("nowhere")
  await page.getByRole("button", { name: "Save webhook" }).click()
  await page.getByText("Enter an address that starts with http:// or https://.").waitFor()
  await page.getByLabel("Address").fill(receiver.url)
  await page.getByRole("button", { name: "Save webhook" }).click()
  const secret = page.locator("[data-secret]")
  await expect.poll(() => secret.textContent()).toMatch(/^whsec_/)

  await page.getByRole("button", { name: "Send test event" }).click()
  await page.getByText(/Test event accepted \(status 200\) after \d+ ms/).waitFor()
  await page.getByText("webhook.test: accepted (status 200)").waitFor()
  expect(receiver.received).toHaveLength(1)
  receiver.respondWith(500)
  await page.getByRole("button", { name: "Send test event" }).click()
  await page.getByText("webhook.test: rejected with status 500").waitFor()

  await page.reload()
  await page.getByText("rejected with status 500").waitFor()
  expect(await secret.count()).toBe(0)
  await page.getByRole("button", { name: "Replace secret" }).click()
  await page.getByRole("alertdialog").getByRole("button", { name: "Replace secret" }).click()
  await expect.poll(() => secret.textContent()).toMatch(/^whsec_/)
  await page.getByRole("button", { name: "Delete webhook" }).click()
  await page.getByRole("alertdialog").getByRole("button", { name: "Delete webhook" }).click()
  await page.getByRole("button", { name: "Send test event" }).waitFor({ state: "detached" })
  await expect.poll(() => page.getByLabel("Address").inputValue()).toBe("")
})

it("changes what happens to requests that limits cannot be checked for", async () => {
  const { page, open } = visit
  await open("/admin/settings")
  await page.getByLabel("Models without a price").click()
  await page.getByRole("option", { name: "Reject" }).click()
  await page.getByRole("button", { name: "Save", exact: true }).click()
  await page.getByText("Saved", { exact: true }).waitFor()
  const { body } = await app.gateway.call("GET", "/api/v1/settings")
  expect(body.values).toMatchObject({
    unpriced_models: "reject",
    limits_without_database: "reject",
  })
})

it("warns in chats and on the overview when a limit is nearly used up", async () => {
  const { page, open } = visit
  const composer = page.getByLabel("Message", { exact: true })
  const answers = page.locator("article[data-role=assistant][data-state=completed]")
  const limit = { target: { type: "everyone" }, metric: "requests", amount: 5, window: "total" }
  const created = await app.gateway.call("POST", "/api/v1/limits", limit)
  await open("/?model=gpt-fake")
  const notice = page.getByText(
    "80% of the limit on requests in total for all users together is used.",
  )
  await composer.fill("Hello")
  await composer.press("Enter")
  await expect.poll(() => answers.count()).toBe(1)
  expect(await notice.count()).toBe(0)
  const request = { model: "gpt-fake", messages: [{ role: "user", content: "Hello" }] }
  for (let count = 0; count < 3; count++)
    await app.gateway.call("POST", "/v1/chat/completions", request)
  await expect
    .poll(async () => (await app.gateway.call("GET", "/api/v1/limits/notices")).body.items)
    .toHaveLength(1)
  await page.reload()
  await notice.waitFor()
  expect(await findViolations(page)).toEqual([])
  await page.getByRole("complementary", { name: "Notice" }).getByRole("button").click()
  await notice.waitFor({ state: "detached" })
  await page.reload()
  await expect.poll(() => answers.count()).toBe(1)
  expect(await notice.count()).toBe(0)

  await open("/admin")
  await page.getByText("1 limit is at least 80% used.").waitFor()
  await page.getByRole("link", { name: "Show limits" }).click()
  await page.waitForURL("**/admin/limits")
  await app.gateway.call("DELETE", `/api/v1/limits/${created.body.id}`)
})
