import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { startTestApp, type TestApp } from "./test-app.ts"

const scimToken = "the-identity-providers-own-token-of-this-test"
let app: TestApp

beforeAll(async () => {
  app = await startTestApp({ SCIM_ENABLED: "true", SCIM_TOKEN: scimToken })
})
afterAll(() => app.close())

/** Calls SCIM as the identity provider. */
const scim = (method: string, path: string, body?: object) =>
  app.gateway.call(method, `/api/v1/scim/v2${path}`, body, { key: scimToken })

describe("the email address of a deleted account", () => {
  it("can be released, so that the provider can create a new account with it", async () => {
    const userName = "grace@example.org"
    const { id } = (await scim("POST", "/Users", { userName, externalId: "first" })).body
    await scim("DELETE", `/Users/${id}`)
    const next = { userName, externalId: "second" }
    expect((await scim("POST", "/Users", next)).status).toBe(409)

    const { page, open, pageErrors } = await app.asAdmin()
    await open("/admin/users?active=false")
    await page.getByRole("table").getByRole("link").first().click()
    await page.getByText("The identity provider deleted this account").waitFor()
    await page.getByRole("button", { name: "Release address" }).click()
    await page.getByText("grace@example.org is released").waitFor()
    await page.getByRole("button", { name: "Release address" }).waitFor({ state: "detached" })

    const created = await scim("POST", "/Users", next)
    expect([created.status, created.body.id === id]).toEqual([201, false])
    // The address now belongs to another account.
    await page.getByRole("switch", { name: "Active" }).click()
    await page.getByRole("button", { name: "Save" }).click()
    await page.getByRole("alert").getByText("already in use").waitFor()
    await page.reload()
    await page.getByText("grace@example.org is released").waitFor()
    expect(pageErrors.filter((complaint) => !complaint.includes("409"))).toEqual([])
  })

  it("cannot be released while the account is active", async () => {
    const { id } = (await scim("POST", "/Users", { userName: "alan@example.org" })).body
    const { page, open } = await app.asAdmin()
    await open(`/admin/users/${id}`)
    await page.getByRole("heading", { name: "Reset password" }).waitFor()
    expect(await page.getByRole("button", { name: "Release address" }).count()).toBe(0)
  })
})
