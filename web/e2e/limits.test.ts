import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { waitForModels } from "../../server/test/models/wait-for-models.ts"
import { app, closeAdminApp, startAdminApp } from "./admin-app.ts"
import { chooseOption } from "./choose-option.ts"

const path = "/api/v1/limits"

beforeAll(async () => {
  await startAdminApp()
  await waitForModels(app.gateway, ["gpt-fake"])
})
beforeEach(async () => {
  const { body } = await app.gateway.call("GET", `${path}?page_size=200`)
  for (const { id } of body.items) await app.gateway.call("DELETE", `${path}/${id}`)
})
afterAll(closeAdminApp)

const readLimits = async (): Promise<Record<string, unknown>[]> =>
  (await app.gateway.call("GET", path)).body.items

const createGroup = async (name: string): Promise<string> =>
  (await app.gateway.call("POST", "/api/v1/groups/create", { name })).body.id

describe("an administrator", () => {
  it("gives a group 50 dollars a month, in the browser's time zone", async () => {
    const id = await createGroup("Pilots")
    await createGroup("Translators")
    const { page, open, pageErrors } = await app.asAdmin()
    await open("/admin")
    await page.getByRole("link", { name: "Limits" }).click()
    await page.getByText("No limits yet").waitFor()
    await page.getByRole("link", { name: "Create limit" }).click()
    await page.getByRole("combobox", { name: "Group" }).fill("pil")
    await page.getByRole("option", { name: "Pilots" }).click()
    await page.getByLabel("Amount", { exact: true }).fill("50")
    await page.getByRole("button", { name: "Create limit" }).click()
    const row = page.getByRole("row").filter({ hasText: "Pilots" })
    await row.getByText("$50.00 per month").last().waitFor()
    await row.getByText("$0.00 of $50.00 used").last().waitFor()
    const time_zone = await page.evaluate("new Intl.DateTimeFormat().resolvedOptions().timeZone")
    expect(await readLimits()).toMatchObject([
      {
        target: { type: "group", id },
        ...{ metric: "cost", amount: 50e9, window: "month", mode: "hard", rolling: false },
        ...{ time_zone, raise: null },
      },
    ])
    await row.getByRole("link", { name: "Pilots" }).click()
    await page.getByRole("heading", { name: "$50.00 per month" }).waitFor()
    expect(pageErrors).toEqual([])
  })

  it("gives a key 10 requests a minute on its page, changes it, and removes it", async () => {
    const id = await createGroup("Reports")
    const keys = `/api/v1/groups/${id}/keys`
    const { body } = await app.gateway.call("POST", keys, { name: "Nightly report" })
    const { page, open, pageErrors } = await app.asAdmin()
    await open("/admin/keys")
    await page.getByRole("link", { name: "Nightly report" }).click()
    await page.getByRole("button", { name: "Add limit" }).click()
    await page.keyboard.type("10")
    await page.keyboard.press("Enter")
    await page.getByText("0 of 10 requests used").waitFor()
    const limit = { target: { type: "key", id: body.id }, metric: "requests", window: "minute" }
    expect(await readLimits()).toMatchObject([{ ...limit, amount: 10 }])

    const messages = [{ role: "user", content: "one" }]
    const request = { model: "gpt-fake", messages }
    await app.gateway.call("POST", "/v1/chat/completions", request, { key: body.api_key })
    await page.getByText("1 of 10 requests used").waitFor()

    await page.getByRole("button", { name: "Edit limit: 10 requests per minute" }).click()
    await page.getByLabel("Amount", { exact: true }).fill("20")
    await page.getByRole("button", { name: "Save limit" }).click()
    await page.getByText("20 requests per minute").waitFor()
    expect(await readLimits()).toMatchObject([{ ...limit, amount: 20 }])
    await page.getByRole("button", { name: "Delete limit: 20 requests per minute" }).click()
    await page.getByRole("alertdialog").getByRole("button", { name: "Delete limit" }).click()
    await page.getByText("No limits of its own.").waitFor()
    expect(await readLimits()).toEqual([])
    expect(pageErrors).toEqual([])
  })

  it("sees what is missing or wrong beside the field", async () => {
    const { page, open } = await app.asAdmin()
    await open("/admin/limits/new")
    await page.getByRole("button", { name: "Create limit" }).click()
    await page.getByText("Enter a number.").waitFor()
    await page.getByText("Choose a group", { exact: true }).waitFor()
    await chooseOption(page.getByLabel("Limit for"), "Everyone")
    await page.getByLabel("Amount", { exact: true }).fill("a lot")
    await page.getByRole("button", { name: "Create limit" }).click()
    await page.getByText("Enter a number, such as 0.5").waitFor()
    expect(await readLimits()).toEqual([])
  })

  it("limits one model's tokens softly, for the last 7 days, with a raise", async () => {
    const { id } = await app.gateway.createUser("Grace")
    const { page, open } = await app.asAdmin()
    await open(`/admin/users/${id}`)
    await page.getByRole("button", { name: "Add limit" }).click()
    await page.getByLabel("Amount", { exact: true }).fill("2000")
    await chooseOption(page.getByRole("combobox", { name: "Unit" }), "Tokens")
    await chooseOption(page.getByRole("combobox", { name: "Period" }), "Per week")
    await page.getByText("More options").click()
    await chooseOption(page.getByLabel("The period begins"), "7 days ago, at any time")
    await page.getByRole("radio", { name: "Allow a little more" }).check()
    await page.getByLabel("Only for model").fill("gpt-fake")
    await page.getByLabel("Raised amount").fill("3000")
    await page.getByLabel("Until").fill("2099-03-01T12:30")
    await page.getByRole("button", { name: "Add limit" }).click()
    await page.getByText("Raised to 3,000 tokens until Mar 1, 2099").waitFor()
    const until = await page.evaluate("new Date('2099-03-01T12:30').getTime() / 1000")
    expect(await readLimits()).toMatchObject([
      {
        target: { type: "user", id },
        ...{ metric: "tokens", amount: 2000, window: "week", rolling: true, mode: "soft" },
        ...{ model: "gpt-fake", raise: { amount: 3000, until } },
      },
    ])
    await open("/admin/limits?query=grace@")
    await page.getByRole("link", { name: "2,000 tokens per week" }).click()
    await page.getByLabel("Raised amount").fill("")
    await page.getByLabel("Until").fill("")
    await page.getByRole("button", { name: "Save" }).click()
    await page.getByText("Saved", { exact: true }).waitFor()
    expect(await readLimits()).toMatchObject([{ amount: 2000, model: "gpt-fake", raise: null }])
  })

  it("finds limits of models and connections, and those that are reached", async () => {
    const create = (target: object, values: object) =>
      app.gateway.call("POST", path, { target, metric: "requests", window: "day", ...values })
    await create({ type: "model", id: "gpt-fake" }, { amount: 1 })
    await create({ type: "connection", id: "env-openai-0" }, { amount: 7 })
    const request = { model: "gpt-fake", messages: [{ role: "user", content: "one" }] }
    await app.gateway.call("POST", "/v1/chat/completions", request)
    const { page, open } = await app.asAdmin()
    await open("/admin/limits")
    const rows = page.getByRole("row").filter({ hasText: "per day" })
    await rows.nth(1).waitFor()
    expect(await rows.nth(1).textContent()).toContain("Reached")
    await chooseOption(page.getByLabel("Limit for"), "For connections")
    await rows.nth(1).waitFor({ state: "detached" })
    await rows.getByText("1 of 7 requests used").last().waitFor()
    for (const where of ["/models/view/gpt-fake", "/admin/connections/env-openai-0"]) {
      await open(where)
      await page.getByRole("heading", { name: /requests? per day/ }).waitFor()
    }
  })
})
