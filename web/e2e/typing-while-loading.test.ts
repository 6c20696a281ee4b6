import type { Route } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { app, closeAdminApp, startAdminApp, visit } from "./admin-app.ts"

beforeAll(() => startAdminApp())
afterAll(closeAdminApp)

/** Loads the start page, and then nothing that matches until the returned function is called. */
const openWithout = async (chunk: RegExp): Promise<() => void> => {
  const { page, open } = visit
  const { promise, resolve } = Promise.withResolvers<void>()
  await page.route(chunk, async (route) => {
    await promise
    await route.continue()
  })
  await open("/?model=gpt-fake")
  await page.getByLabel("Message", { exact: true }).waitFor()
  return () => resolve()
}

it("the model menu receives what is typed while it loads, and Enter chooses", async () => {
  const { page } = visit
  const release = await openWithout(/model-list/)
  await page.getByRole("button", { name: /: gpt-fake$/ }).click()
  await page.keyboard.type("reason")
  await page.keyboard.press("Enter")
  release()
  await page.getByLabel("Model: gpt-reason-fake").waitFor()
})

it("the palette receives what is typed while it loads", async () => {
  const { page } = visit
  const release = await openWithout(/command-palette/)
  await page.getByLabel("Message", { exact: true }).focus()
  await page.keyboard.press("ControlOrMeta+k")
  await page.keyboard.type("usage")
  release()
  const search = page.getByRole("dialog").getByRole("combobox")
  await expect.poll(() => search.inputValue()).toBe("usage")
  expect(await page.getByLabel("Message", { exact: true }).inputValue()).toBe("")
})

it("a menu follows the arrow keys pressed while it loads", async () => {
  const { page } = visit
  const release = await openWithout(/menu-parts/)
  await page
    .getByRole("button", { name: /Ada|Admin|Account/ })
    .last()
    .focus()
  await page.keyboard.press("Enter")
  await page.keyboard.press("ArrowDown")
  release()
  await expect.poll(() => page.evaluate(() => document.activeElement?.role)).toBe("menuitem")
})

it("Escape cancels a menu that is still loading, and typing goes on elsewhere", async () => {
  const { page } = visit
  const release = await openWithout(/command-palette/)
  const composer = page.getByLabel("Message", { exact: true })
  await composer.focus()
  await page.keyboard.press("ControlOrMeta+k")
  await page.keyboard.type("lost")
  await page.keyboard.press("Escape")
  await page.keyboard.type("kept")
  release()
  await expect.poll(() => composer.inputValue()).toBe("kept")
  expect(await page.getByRole("dialog").count()).toBe(0)
})

const missing = "This part of the page could not be loaded."

it.each([
  [
    "the model menu",
    /model-list/,
    () => visit.page.getByRole("button", { name: /: gpt-fake$/ }).click(),
    () => visit.page.getByRole("listbox"),
  ],
  [
    "the palette",
    /command-palette/,
    () => visit.page.keyboard.press("ControlOrMeta+k"),
    () => visit.page.getByRole("dialog"),
  ],
])("%s says that it could not be loaded, loses nothing, and opens later", async (...args) => {
  const [, chunk, act, popup] = args
  const { page, open } = visit
  await open("/?model=gpt-fake")
  const composer = page.getByLabel("Message", { exact: true })
  await composer.fill("A draft")
  await page.getByRole("button", { name: "Prompt and parameters" }).click()
  await page.evaluate(() => document.body.setAttribute("data-same-page", ""))
  const abort = (route: Route) => route.abort()
  await page.route(chunk, abort)
  await act()
  await page.getByRole("alert").getByText(missing).waitFor()
  expect(await composer.inputValue()).toBe("A draft")
  expect(await page.locator("[data-same-page]").count()).toBe(1)
  await page.unroute(chunk, abort)
  await act()
  await popup().waitFor()
  await expect.poll(() => page.getByText(missing).count()).toBe(0)
  await page.keyboard.press("Escape")
})

describe("Enter in the composer, while what it would choose loads", () => {
  const post = async (path: string, body: object) => {
    const reply = await app.gateway.call("POST", `/api/v1${path}`, body)
    expect(reply.status).toBe(200)
  }
  const sent: string[] = []
  beforeAll(async () => {
    await post("/prompts/create", { command: "tides", title: "Tides", content: "When is it high?" })
    await post("/knowledge/create", { name: "Harbour", description: "" })
    visit.page.on("request", (request) => {
      if (request.method() === "POST" && request.url().endsWith("/messages")) {
        sent.push(request.postDataJSON().content)
      }
    })
  })

  const typeWithout = async (pattern: RegExp, text: string): Promise<() => void> => {
    const { page } = visit
    const release = await openWithout(pattern)
    const composer = page.getByLabel("Message", { exact: true })
    await composer.fill("")
    await composer.focus()
    await page.keyboard.type(text)
    await page.keyboard.press("Enter")
    return release
  }

  it("chooses the prompt once it is loaded, and sends nothing", async () => {
    const release = await typeWithout(/api\/v1\/prompts/, "/tid")
    release()
    const composer = visit.page.getByLabel("Message", { exact: true })
    await expect.poll(() => composer.inputValue()).toBe("When is it high?")
    expect(sent).toEqual([])
  })

  it("attaches the collection once it is loaded, and sends nothing", async () => {
    const release = await typeWithout(/api\/v1\/knowledge/, "#Harb")
    release()
    const { page } = visit
    await page
      .getByRole("button", { name: /Harbour/ })
      .first()
      .waitFor()
    await expect.poll(() => page.getByLabel("Message", { exact: true }).inputValue()).toBe("")
    expect(sent).toEqual([])
  })

  it("sends the message once if nothing is suggested", async () => {
    const release = await typeWithout(/api\/v1\/knowledge/, "#nothing-like-this")
    release()
    await expect.poll(() => sent).toEqual(["#nothing-like-this"])
    await visit.page.waitForURL(/\/c\//)
  })

  it("the fields of a prompt receive what is typed while they load", async () => {
    await post("/prompts/create", { command: "ship", title: "Ship", content: "Greet {{ship}}." })
    const { page } = visit
    const release = await openWithout(/prompt-fields/)
    const composer = page.getByLabel("Message", { exact: true })
    await composer.fill("/ship")
    await page.getByRole("option", { name: /Ship/ }).waitFor()
    await page.keyboard.press("Enter")
    await page.keyboard.type("Titanic")
    await page.keyboard.press("Enter")
    release()
    await expect.poll(() => composer.inputValue()).toBe("Greet Titanic.")
  })
})

it("the code editor receives what is typed after a click on its place, until another click", async () => {
  const { page, open } = visit
  const content = "export const before = (request) => request\n"
  await app.gateway.call("POST", "/api/v1/functions/create", {
    id: "early",
    name: "Early",
    content,
  })
  const code = page.locator(".cm-content")
  for (const isLeft of [false, true]) {
    const release = await openWithout(/\/editor-/)
    await open("/functions/early")
    await page.locator("div:has(> [data-takes-held-keys])").getByRole("status").click()
    if (isLeft) await page.getByRole("heading", { name: "Early" }).click()
    await page.keyboard.type("// tide")
    release()
    await code.waitFor()
    if (isLeft) expect(await code.innerText()).not.toContain("tide")
    else await expect.poll(() => code.innerText()).toContain("// tideexport const before")
    await page.unrouteAll({ behavior: "wait" })
    page.once("dialog", (dialog) => void dialog.accept())
  }
})

it("the dialog that moves a chat chooses the project whose name is typed while it loads", async () => {
  const { page, open } = visit
  const { call } = app.gateway
  await call("POST", "/api/v1/folders/", { name: "Harbour works" })
  const { id } = (await call("POST", "/api/v1/chats/new", { models: ["gpt-fake"] })).body
  const release = await openWithout(/move-dialog/)
  await open(`/c/${id}`)
  await page.getByRole("button", { name: "More actions for this chat", exact: true }).click()
  await page.getByRole("menuitem", { name: "Move to project" }).click()
  await page.keyboard.type("Harb")
  release()
  const project = page.getByRole("dialog").getByRole("combobox")
  await expect.poll(() => project.inputValue()).toBe("Harb")
  await page.getByRole("option", { name: "Harbour works" }).waitFor()
  await page.keyboard.press("Enter")
  await expect.poll(() => project.inputValue()).toBe("Harbour works")
})
