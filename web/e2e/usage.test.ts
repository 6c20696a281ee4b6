import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { createUsageRow } from "../../server/test/harness/usage-records.ts"
import { chooseOption } from "./choose-option.ts"
import { findLayoutProblems } from "./layout-problems.ts"
import { startTestApp, type TestApp } from "./test-app.ts"

const dollar = 1_000_000_000
const daySeconds = 86_400
const now = Math.floor(Date.now() / 1000)
const dayOf = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 10)

let app: TestApp
let grace: Awaited<ReturnType<TestApp["gateway"]["createUser"]>>

beforeAll(async () => {
  app = await startTestApp()
  grace = await app.gateway.createUser("Grace")
  const { recordQueue } = app.gateway.gateway
  const add = (fields: Parameters<typeof createUsageRow>[0]) =>
    recordQueue.enqueue(createUsageRow({ at: now, user_id: grace.id, ...fields }))
  add({ model: "gpt-large", cost: 3 * dollar })
  add({ model: "gpt-large", cost: 2 * dollar, user_id: "deleted" })
  add({ model: "gpt-small", cost: dollar / 4, at: now - 2 * daySeconds })
  add({ model: "local", cost: null })
  add({ model: "gpt-old", cost: 7 * dollar, at: now - 100 * daySeconds })
  for (let index = 0; index < 8; index++) add({ model: `tiny-${index}`, cost: dollar / 1000 })
  await recordQueue.flush()
})
afterAll(() => app.close())

describe("the usage page", () => {
  it("shows what each model cost, each day's parts by keyboard, and one model by user", async () => {
    const { page, open, pageErrors } = await app.asAdmin()
    await open("/admin/usage")
    const totals = page.getByRole("group", { name: "Chart metric" })
    await totals.getByRole("button", { name: "Cost $5.26" }).waitFor()
    await page.getByText("1 request has no price; its cost is not included.").waitFor()
    const legend = page.getByRole("figure").getByRole("listitem")
    await expect.poll(() => legend.first().innerText()).toMatch(/gpt-large\s+\$5\.00/)
    expect(await legend.last().innerText()).toMatch(/All others\s+\$0\.003/)

    const chart = page.getByRole("slider", { name: "Cost per day" })
    await chart.focus()
    await page.keyboard.press("End")
    expect(await chart.getAttribute("aria-valuetext")).toMatch(
      /: \$5\.01; gpt-large: \$5\.00; tiny/,
    )
    await page.keyboard.press("ArrowLeft")
    await page.keyboard.press("ArrowLeft")
    expect(await chart.getAttribute("aria-valuetext")).toMatch(/: \$0\.25; gpt-small: \$0\.25$/)
    expect(await legend.first().innerText()).toMatch(/gpt-large\s+\$0\.00/)

    await legend.getByRole("button", { name: "gpt-large" }).click()
    await page.getByRole("button", { name: "Model: gpt-large" }).waitFor()
    const table = page.getByRole("table", { name: "By user" })
    await table.getByRole("row", { name: /Grace.*\$3\.00/ }).waitFor()
    await table.getByRole("row", { name: /Deleted user.*\$2\.00/ }).waitFor()
    await page.getByRole("button", { name: "Model: gpt-large" }).click()
    await totals.getByRole("button", { name: "Cost $5.26" }).waitFor()
    expect(pageErrors).toEqual([])
  })

  it("shows another figure, a longer range, and days that one chooses", async () => {
    const { page, open } = await app.asAdmin()
    await open("/admin/usage")
    await page.getByRole("button", { name: /^Requests/ }).click()
    await page.getByRole("slider", { name: "Requests per day" }).waitFor()
    await chooseOption(page.getByLabel("Range"), "Last 365 days")
    await page.getByRole("button", { name: "Cost $12.26" }).waitFor()
    await page.getByRole("slider", { name: "Requests per month" }).waitFor()

    await chooseOption(page.getByLabel("Range"), "Custom range")
    const day = dayOf(now - 2 * daySeconds)
    await page.getByLabel("First day").fill(day)
    await page.getByLabel("Last day").fill(day)
    await page.getByRole("button", { name: "Cost $0.25" }).waitFor()
    await page.getByRole("slider", { name: "Requests per hour" }).waitFor()
    expect(page.url()).toContain(`from=${day}&to=${day}`)
    await chooseOption(page.getByLabel("Group by"), "Over time")
    const rows = page.getByRole("table", { name: "Over time" }).getByRole("row")
    await expect.poll(() => rows.count()).toBe(2)
  })

  it("is linked from a user with what the user cost, and fits a phone", async () => {
    const { page, open } = await app.asAdmin({ viewport: { width: 360, height: 800 } })
    await open(`/admin/users/${grace.id}`)
    await page.getByText("$3.26").waitFor()
    await page.getByRole("link", { name: "View usage" }).click()
    await page.getByRole("button", { name: "User: Grace" }).waitFor()
    await page.getByRole("button", { name: "Cost $3.26" }).waitFor()
    await page.getByRole("table").waitFor()
    expect(await page.evaluate(findLayoutProblems)).toEqual([])
  })

  it("shows a touched bar's values until another is touched", async () => {
    const { page, open } = await app.asAdmin()
    await open("/admin/usage?range=7&by=none")
    const chart = page.getByRole("slider")
    const box = await chart.boundingBox()
    const position = { clientX: (box?.x ?? 0) + (box?.width ?? 0) * (4.5 / 7) }
    const touch = { ...position, clientY: (box?.y ?? 0) + 20, pointerType: "touch", bubbles: true }
    for (const type of ["pointerdown", "pointerup", "pointerout", "pointerleave"]) {
      await chart.dispatchEvent(type, touch)
    }
    await page.getByRole("figure").getByText("$0.25", { exact: true }).waitFor()
  })
})

describe("one's own usage", () => {
  it("has no cost if administrators hide costs", async () => {
    const { gateway } = app
    const { page, open, context } = await app.openSession()
    const data = { email: grace.email, password: "Grace has a password" }
    await context.request.post(`${gateway.url}/api/v1/auths/signin`, { data })
    await open("/account/usage")
    await page.getByRole("button", { name: "Cost $3.26" }).waitFor()
    await gateway.call("POST", "/api/v1/settings", { show_cost: false })
    await open("/account/usage")
    await page.getByRole("button", { name: "Requests 11" }).waitFor()
    expect(await page.getByText(/\$|no price/).count()).toBe(0)
    await open("/account/keys")
    await page.getByRole("table").waitFor()
    expect(await page.getByText(/Cost/).count()).toBe(0)
  })
})
