import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { waitForModels } from "../../server/test/models/wait-for-models.ts"
import { app, closeAdminApp, startAdminApp } from "./admin-app.ts"
import { chooseOption } from "./choose-option.ts"

const path = "/api/v1/prices"

beforeAll(async () => {
  await startAdminApp()
  await waitForModels(app.gateway, ["gpt-fake", "llama3.2:latest"])
})
afterAll(closeAdminApp)

const entriesOf = async (model: string): Promise<Record<string, unknown>[]> =>
  (await app.gateway.call("GET", `${path}?model=${model}`)).body.items

describe("the page of prices", () => {
  it("leads from a model without a price to one with it, and back", async () => {
    const { page, open, pageErrors } = await app.asAdmin()
    await open("/admin/prices")
    await page.getByRole("button", { name: "Show them" }).click()
    expect(page.url()).toContain("view=unpriced")
    await page.getByRole("link", { name: "Set price of gpt-fake" }).click()
    await page.getByLabel("Input", { exact: true }).fill("0.07")
    await page.getByRole("button", { name: "Set price" }).click()
    await page.getByText("Enter both an input and an output price").waitFor()
    await page.getByLabel("Output", { exact: true }).fill("1,5")
    await page.getByRole("button", { name: "Set price" }).click()
    await page.getByRole("heading", { name: "Price now" }).waitFor()
    await page.getByRole("definition").filter({ hasText: "$0.07" }).waitFor()
    expect(await entriesOf("gpt-fake")).toMatchObject([{ input: 70, output: 1500 }])

    await page.getByRole("button", { name: "Delete price" }).click()
    await page.getByRole("alertdialog").getByRole("button", { name: "Delete price" }).click()
    await page.getByText("count without a cost until you set a price").waitFor()
    expect(await entriesOf("gpt-fake")).toEqual([])
    expect(pageErrors).toEqual([])
  })

  it("keeps what the form does not show, and prices that hold for one connection only", async () => {
    const tiers = [{ above: 200_000, input: 5000, output: 22_500 }]
    const general = { input: 2500, output: 15_000, from: 100, tiers }
    await app.gateway.call("PUT", `${path}/gpt-fake`, general)
    const connection = "env-openai-0"
    const own = { connection, input: 1, output: 1, from: 100 }
    await app.gateway.call("PUT", `${path}/gpt-fake`, own)

    const { page, open } = await app.asAdmin()
    await open("/admin/prices/view/gpt-fake")
    const row = page.getByRole("row").filter({ hasText: "All connections" })
    await row.getByRole("link", { name: "Edit price" }).click()
    await page.getByText("Above 200,000 input tokens").waitFor()
    await page.getByLabel("Cached input", { exact: true }).fill("0.25")
    await page.getByRole("button", { name: "Edit price" }).click()
    await page.getByRole("heading", { name: "Price now" }).waitFor()
    expect(await entriesOf("gpt-fake")).toEqual([
      { ...general, model: "gpt-fake", cached_input: 250, origin: "custom" },
      { ...own, model: "gpt-fake", origin: "custom" },
    ])
    await row.getByRole("button", { name: "Delete price" }).click()
    await page.getByRole("alertdialog").getByRole("button", { name: "Delete price" }).click()
    await row.waitFor({ state: "detached" })
    // The dialog hides the row before the price is deleted.
    await expect.poll(() => entriesOf("gpt-fake")).toMatchObject([own])
  })

  it("sets a price per hour of one connection from a day on", async () => {
    const { page, open } = await app.asAdmin()
    await open("/admin/prices/set?model=llama3.2:latest")
    const scope = page.getByRole("combobox", { name: "Applies to" })
    await scope.click()
    await page
      .getByRole("option", { name: /^Only 127/ })
      .last()
      .click()
    await page.getByLabel("Valid from").fill("2027-01-01")
    await page.getByLabel("Hour of answering").fill("2.5")
    await page.getByRole("button", { name: "Set price" }).click()
    await page.getByText("Upcoming").waitFor()
    expect(await entriesOf("llama3.2:latest")).toMatchObject([
      { connection: expect.stringMatching(/^env-/), from: 1_798_761_600, gpu_hour: 2.5e9 },
    ])
  })

  it("shows what an import changes before it does", async () => {
    await app.gateway.call("PUT", `${path}/gpt-reason-fake`, { input: 1000, output: 2000, from: 1 })
    const { page, open } = await app.asAdmin()
    await open("/admin/prices/import")
    const choose = (text: string) =>
      page.getByLabel("Choose file").setInputFiles({
        name: "prices.csv",
        mimeType: "text/csv",
        buffer: Buffer.from(`model,from,input,output\n${text}`),
      })
    await choose("gpt-reason-fake,1,x,2000")
    await page.getByText("Line 2, input:").waitFor()
    await choose("gpt-reason-fake,1,3000,2000\nnew-model,1,5,6")
    await page.getByText("1 new, 1 changed, 0 unchanged, 0 skipped").waitFor()
    await page.getByRole("row", { name: /gpt-reason-fake.*\$1\.00.*becomes.*\$3\.00/ }).waitFor()
    expect(await entriesOf("new-model")).toEqual([])
    await page.getByRole("button", { name: "Import 2 prices" }).click()
    await page.getByRole("link", { name: "new-model" }).waitFor()
    expect(await entriesOf("gpt-reason-fake")).toMatchObject([{ input: 3000 }])
  })

  it("shows the end of a model beside its name", async () => {
    const end = { end_of_life: "2099-03-01", successor: "gpt-next" }
    await app.gateway.call("PUT", `${path}/gpt-fake`, { input: 1, output: 1, ...end })
    const text = "Ends Mar 1, 2099; use gpt-next"
    const { page, open } = await app.asAdmin()
    for (const where of ["/models", "/models/view/gpt-fake", "/admin/prices"]) {
      await open(where)
      await page.getByText(text).first().waitFor()
    }
    await open("/")
    await page.getByRole("button", { name: /^Model:/ }).click()
    await page.getByRole("option").getByText(text).waitFor()
  })

  it("says which models it shows", async () => {
    const { page, open } = await app.asAdmin()
    await open("/admin/prices")
    await chooseOption(page.getByRole("combobox", { name: "Show" }), "All known models")
    await page.getByLabel("Search models").fill("claude-opus")
    await page.getByRole("row").filter({ hasText: "claude-opus" }).first().waitFor()
    expect(page.url()).toContain("view=all")
  })
})
