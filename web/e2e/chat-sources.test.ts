import { afterAll, beforeAll, expect, it } from "vitest"
import { createCollection, upload } from "../../server/test/knowledge/collections.ts"
import { app, closeAdminApp, startAdminApp, visit } from "./admin-app.ts"

let report: string

beforeAll(async () => {
  await startAdminApp()
  const query = "?process_in_background=false"
  const files = await Promise.all(
    ["Sales of beetles rose in spring.", "Sales of beetles fell in autumn."].map((text) =>
      upload(app.gateway, "report.txt", text, { query }),
    ),
  )
  const ids = files.map(({ body }) => body.id)
  report = await createCollection(app.gateway, "Beetle reports", ids)
})
afterAll(closeAdminApp)

const composer = () => visit.page.getByLabel("Message", { exact: true })
const answers = () => visit.page.locator("article[data-role=assistant]")

/** Starts a chat with a collection attached. */
const sendMessage = async (text: string, id = report): Promise<void> => {
  const { page, open } = visit
  await open("/?model=gpt-fake")
  const draft = JSON.stringify([{ type: "collection", id, name: "Beetle reports" }])
  const me = await visit.context.request.get(`${app.gateway.url}/api/v1/auths/`)
  const key = `portico.drafts.${(await me.json()).id}.new.files`
  await page.evaluate(([name, files]) => localStorage.setItem(name, files), [key, draft] as const)
  await page.reload()
  await composer().fill(text)
  await composer().press("Enter")
  await page.waitForURL(/\/c\//, { waitUntil: "commit" })
}

it("separates cited sources from others, and offers a test search if none is cited", async () => {
  const { page } = visit
  await sendMessage("How did sales of beetles do? [2]")
  const sources = answers().getByRole("list", { name: "Sources" })
  const cited = sources.getByRole("button", { name: /^2 ?report.txt/ })
  await cited.waitFor()
  expect(await sources.getByRole("button").count()).toBe(2)
  await cited.click()
  const pane = page.getByRole("complementary", { name: "Sources" })
  await pane.getByRole("list", { name: "Cited" }).getByText("Whole file").waitFor()
  expect(await pane.getByRole("button", { name: /report.txt/ }).count()).toBe(1)
  await sources.getByRole("button", { name: "1 more source" }).click()
  await pane.getByRole("button", { name: /^1 ?report.txt/, expanded: true }).waitFor()
  await pane.locator("mark").getByText("beetles").waitFor()
  await page.keyboard.press("Escape")

  await composer().fill("And in winter?")
  await composer().press("Enter")
  const uncited = answers().last()
  await uncited.getByText("This answer doesn't cite its sources.").waitFor()
  await uncited.getByRole("button", { name: "2 sources used" }).waitFor()
  await uncited.getByRole("link", { name: "Test search" }).click()
  await page.waitForURL(`**/knowledge/${report}/search?**`)
  const question = page.getByRole("textbox", { name: "Question or keywords" })
  expect(await question.inputValue()).toBe("And in winter?")
  const previous = page.getByRole("textbox", { name: "Previous question" })
  expect(await previous.inputValue()).toBe("How did sales of beetles do? [2]")
  await page.getByText("The model would receive 2 passages.").waitFor()
})

it("links citations in prose only, not in code, in links, or for unknown numbers", async () => {
  await sendMessage(
    "Sales of beetles [1], `[2]`, [1](https://example.com/) and [9] or [1, 2].\n\n```\n[2]\n```",
  )
  const numbers = answers()
    .locator(".markdown")
    .getByRole("button", { name: /^Source/ })
  await numbers.first().waitFor()
  expect(await numbers.allInnerTexts()).toEqual(["1", "1", "2"])
  expect(await answers().locator("code").allInnerTexts()).toEqual(["[2]", "[2]"])
  expect(await answers().locator(".markdown").innerText()).toContain("[9]")
})

it("shows the date and the owner of a source, and which version it is", async () => {
  const { page } = visit
  const query = "?process_in_background=false"
  const text = (days: number) =>
    `<meta name="dcterms.modified" content="${2000 + days}-05-03"><p>Every employee has ${days} days of paid leave in a year. Leave is requested in the portal two weeks in advance. Sick days do not count.`
  const ids: string[] = []
  for (const [name, days] of [
    ["Leave 2024.html", 24],
    ["Leave 2025.html", 25],
  ] as const)
    ids.push((await upload(app.gateway, name, text(days), { query })).body.id)
  const leave = await createCollection(app.gateway, "Leave rules", ids)
  await sendMessage("How much leave? [1][2]", leave)
  const sources = answers().getByRole("list", { name: "Sources" })
  await sources.getByRole("button", { name: /^1 ?Leave 2025/ }).click()
  const pane = page.getByRole("complementary", { name: "Sources" })
  const cited = pane.getByRole("list", { name: "Cited" })
  const newest = "Newest of 2 versions · Document of May 3, 2025 · Owner: Portico Administrator"
  await cited.getByText(newest).waitFor()
  const older = "Older version · Document of May 3, 2024 · Owner: Portico Administrator"
  await cited.getByText(older).waitFor()
  await page.reload()
  await cited.getByText(older).waitFor()
})

it("hides sources from readers of a shared chat who lack access to the files", async () => {
  const { page } = visit
  await sendMessage("Sales of beetles [1]")
  await answers()
    .getByRole("button", { name: /^Source 1/ })
    .first()
    .waitFor()
  const id = new URL(page.url()).pathname.split("/").at(-1) ?? ""
  await app.gateway.call("POST", `/api/v1/chats/${id}/share`, {})
  const email = "reader@example.com"
  const password = "a reader has a password"
  await app.gateway.call("POST", "/api/v1/auths/add", { name: "Reader", email, password })
  const reader = await app.openSession()
  await reader.context.request.post(`${app.gateway.url}/api/v1/auths/signin`, {
    data: { email, password },
  })
  await reader.page.goto(`${app.gateway.url}/s/${id}`)
  const withheld = "Source 1: Private file"
  await reader.page.getByRole("button", { name: withheld }).click()
  await reader.page.getByText("This chat is shared with you, but the file isn't.").waitFor()
  expect(await reader.page.content()).not.toContain("report.txt")
  await reader.context.close()
})

it("says so if no passage matched the question", async () => {
  const empty = await createCollection(app.gateway, "Empty")
  await sendMessage("How did sales of beetles do?", empty)
  await answers().getByText("No passages matched this question.").waitFor()
  await answers().getByRole("link", { name: "Test search" }).click()
  await visit.page.getByText("No passages found").waitFor()
})
