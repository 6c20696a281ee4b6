import { readFile } from "node:fs/promises"
import OpenAI from "openai"
import type { Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { adminKey } from "../../server/test/harness/gateway.ts"
import { isLongForm } from "../../server/test/harness/short-and-long-form.ts"
import { app, closeAdminApp, startAdminApp, visit } from "./admin-app.ts"
import { chooseOption } from "./choose-option.ts"

beforeAll(() => startAdminApp())
afterAll(closeAdminApp)

const source = (greeting: string): string => `export async function* reply({ messages }, context) {
  context.log("asked by", context.user.name)
  for (const word of ["${greeting},", " you", " said: "]) {
    yield word
    await new Promise((go) => setTimeout(go, 20))
  }
  yield messages.at(-1).content
}
`

const editorOf = (page: Page) => page.getByRole("textbox", { name: /^Code of / })

/** Replaces the whole source, as a paste does. */
const write = async (page: Page, text: string): Promise<void> => {
  await editorOf(page).click()
  await page.keyboard.press("ControlOrMeta+A")
  await page.keyboard.insertText(text)
}

const output = (page: Page) => page.getByRole("log", { name: "Output" })

const ask = (model: string, content: string) =>
  new OpenAI({ baseURL: `${app.gateway.url}/v1`, apiKey: adminKey }).chat.completions.create({
    model,
    messages: [{ role: "user", content }],
    ...{ stream: true, stream_options: { include_usage: true } },
  })

describe("a function", () => {
  it("is written, run, saved, used in a chat, changed, and rolled back", async () => {
    const { page, open, pageErrors } = visit
    await open("/functions")
    await page.getByRole("link", { name: "Create function" }).first().click()
    await page.getByRole("textbox", { name: "Name" }).fill("Harbour Master")
    expect(await page.getByLabel("ID", { exact: true }).inputValue()).toBe("harbour_master")
    await page.getByRole("button", { name: "Create function" }).click()
    await page.getByRole("heading", { name: "Harbour Master" }).waitFor()

    await write(page, source("Ahoy"))
    await page.getByText("Unsaved changes").waitFor()
    await page.getByLabel("Message", { exact: true }).fill("land in sight")
    await page.keyboard.press("ControlOrMeta+Enter")
    await output(page).getByText("Ahoy, you said: land in sight").waitFor()
    await page.getByText("Completed").waitFor()
    await page
      .getByRole("log", { name: "Log" })
      .getByText("asked by Portico Administrator")
      .waitFor()
    await page.getByRole("log", { name: "Log" }).getByRole("button", { name: "Line 2" }).waitFor()
    expect(await page.getByText("Memory").locator("..").innerText()).toMatch(/Memory\s*[\d.,]+ .?B/)

    await page.keyboard.press("ControlOrMeta+S")
    const review = page.getByRole("alertdialog")
    await review.getByText("Ahoy").waitFor()
    await review.getByRole("button", { name: "Save as version 2" }).click()
    await review.waitFor({ state: "detached" })
    await page.getByText("Unsaved changes").waitFor({ state: "detached" })

    await page.getByRole("switch", { name: "Enable Harbour Master" }).click()
    await page.getByRole("link", { name: "Start chat" }).click()
    // The previous page has a field with the same name.
    await page.getByRole("heading", { name: "Harbour Master" }).waitFor({ state: "detached" })
    await page.getByLabel("Message", { exact: true }).fill("good evening")
    await page.keyboard.press("Enter")
    const answer = page.locator("article[data-role=assistant]")
    await answer.getByText("Ahoy, you said: good evening").waitFor()

    await open("/functions/harbour_master")
    await write(page, source("Farewell"))
    await page.keyboard.press("ControlOrMeta+S")
    await review.getByRole("button", { name: "Save as version 3" }).click()
    await review.waitFor({ state: "detached" })
    const readAnswer = async (): Promise<string> => {
      let text = ""
      for await (const { choices } of await ask("harbour_master", "x")) {
        text += choices[0]?.delta.content ?? ""
      }
      return text
    }
    await expect.poll(readAnswer).toBe("Farewell, you said: x")

    await page.getByRole("link", { name: "Versions" }).click()
    await page.getByRole("button", { name: "Restore version 2" }).click()
    await review.getByText("Farewell").waitFor()
    await review.getByText("Ahoy").waitFor()
    await review.getByRole("button", { name: "Restore version 2" }).click()
    await review.waitFor({ state: "detached" })
    await page.getByText("From version 2").waitFor()
    await expect.poll(readAnswer).toBe("Ahoy, you said: x")
    await page.getByRole("link", { name: "Code" }).click()
    await editorOf(page).getByText("Ahoy").waitFor()

    await page.getByRole("link", { name: "Runs" }).click()
    const runs = page.getByRole("list", { name: "Runs" }).getByRole("listitem")
    await expect.poll(() => runs.count()).toBeGreaterThan(3)
    await runs.last().click()
    await runs.last().getByText("asked by Portico Administrator").waitFor()
    expect(pageErrors).toEqual([])
  })

  it.runIf(isLongForm)("streams to the OpenAI SDK with usage", async () => {
    const pieces: string[] = []
    let usage: OpenAI.CompletionUsage | null | undefined
    for await (const chunk of await ask("harbour_master", "hello")) {
      pieces.push(chunk.choices[0]?.delta.content ?? "")
      usage = chunk.usage ?? usage
    }
    expect(pieces.join("")).toBe("Ahoy, you said: hello")
    expect(pieces.filter(Boolean).length).toBeGreaterThan(1)
    expect(usage?.total_tokens).toBeGreaterThan(0)
  })
})

describe.runIf(isLongForm)("the editor", () => {
  beforeAll(async () => {
    const body = { id: "editing", name: "Editing", content: source("Hello"), is_active: false }
    await app.gateway.call("POST", "/api/v1/functions/create", body)
  })

  it("completes members of the context from its declarations", async () => {
    const { page, open } = visit
    await open("/functions/editing")
    await write(page, "export function reply(request, context) {\n")
    await page.keyboard.type("context.st")
    await page.getByRole("option", { name: /^store/ }).waitFor()
    await page.waitForTimeout(200)
    await page.keyboard.press("Tab")
    await page.keyboard.type(".ge")
    await page.getByRole("option", { name: /^get/ }).waitFor()
    await page.waitForTimeout(200)
    await page.keyboard.press("Enter")
    await expect.poll(() => editorOf(page).innerText()).toContain("context.store.get(")
  })

  it("shows problems with line and column while typing, and jumps to them", async () => {
    const { page, open } = visit
    await open("/functions/editing")
    await write(page, "export function reply() {\n  return 'a' +* 1\n}\n")
    const problem = page.getByRole("list", { name: "Problems" }).getByRole("button")
    await problem.getByText(/Line 2:\d+/).waitFor()
    await page.locator(".cm-lintRange-error").first().waitFor()
    await problem.click()
    await page.keyboard.type("fixed")
    await expect.poll(() => editorOf(page).innerText()).toMatch(/return.*fixed/)
    await write(page, "export function reply(request, context) {\n  return context.serch('a')\n}\n")
    await page.locator(".cm-lintRange-warning").waitFor()
    await problem.first().waitFor({ state: "detached" })
  })

  it("refuses to save code that does not load, and shows the error", async () => {
    const { page, open } = visit
    await open("/functions/editing")
    await write(page, "const x = 1\nthrow new Error('not today')\nexport function reply() {}\n")
    await page.keyboard.press("ControlOrMeta+S")
    const review = page.getByRole("alertdialog")
    await review.getByRole("button", { name: "Save as version 2" }).click()
    await review.getByRole("alert").getByText("not today").waitFor()
    await review.getByRole("button", { name: "Cancel" }).click()
    await page.getByText("Unsaved changes").waitFor()
  })

  it("asks before discarding unsaved changes", async () => {
    const { page, open } = visit
    await open("/functions/editing")
    await write(page, source("Unsaved"))
    await page.getByRole("link", { name: "Settings" }).click()
    const dialog = page.getByRole("alertdialog")
    await dialog.getByText("Your changes on this page will be lost.").waitFor()
    await dialog.getByRole("button", { name: "Cancel" }).click()
    await editorOf(page).getByText("Unsaved").waitFor()
    await page.getByRole("button", { name: "Discard changes" }).click()
    await editorOf(page).getByText("Hello").waitFor()
  })

  it("indents with Tab, and moves the focus with Tab after Escape", async () => {
    const { page, open } = visit
    await open("/functions/editing")
    await write(page, "")
    await page.keyboard.press("Tab")
    expect(
      await editorOf(page).evaluate((element) => element.contains(document.activeElement)),
    ).toBe(true)
    await page.keyboard.press("Escape")
    await page.keyboard.press("Tab")
    expect(
      await editorOf(page).evaluate((element) => element.contains(document.activeElement)),
    ).toBe(false)
    await page.getByRole("button", { name: "Discard changes" }).click()
  })

  it("stops an endless run", async () => {
    const { page, open } = visit
    await open("/functions/editing")
    await write(
      page,
      "export async function* reply() {\n  for (;;) {\n    yield 'on '\n    await new Promise((go) => setTimeout(go, 20))\n  }\n}\n",
    )
    await page.getByRole("button", { name: "Run", exact: true }).click()
    await output(page).getByText("on on on").waitFor()
    await page.getByRole("button", { name: "Stop", exact: true }).click()
    await page.getByText("Stopped").waitFor()
    await page.getByRole("button", { name: "Discard changes" }).click()
  })
})

describe.runIf(isLongForm)("settings", () => {
  it("are a form generated from the code; a secret is never returned", async () => {
    const { page, open } = visit
    const content = `export const settings = {
  key: { type: "secret", label: "API key", required: true },
  tone: { type: "choice", label: "Tone", choices: ["plain", "warm"], default: "plain" },
  most: { type: "number", label: "At most", min: 1, max: 5, default: 2 },
  loud: { type: "boolean", label: "Loud", default: false },
}
export const reply = (request, { settings }) => JSON.stringify(settings)
`
    const record = { id: "asking", name: "Asking", content }
    await app.gateway.call("POST", "/api/v1/functions/create", record)
    await open("/functions/asking/settings")
    await page.getByText("Required before the function can run.").waitFor()
    await page.getByLabel("API key").fill("sk-very-secret")
    await chooseOption(page.getByLabel("Tone"), "warm")
    await page.getByLabel("At most").fill("9")
    await page.getByRole("switch", { name: "Loud" }).click()
    await page.keyboard.press("ControlOrMeta+S")
    await page.getByText("Enter a number of at most 5.").waitFor()
    await page.getByLabel("At most").fill("4")
    await page.getByRole("button", { name: "Save" }).click()
    await page.getByText("Saved", { exact: true }).waitFor()
    await page.reload()
    await page.getByText("A value is stored, encrypted.").waitFor()
    expect(await page.getByLabel("API key").inputValue()).toBe("")
    expect(await page.content()).not.toContain("sk-very-secret")
    const given = await app.gateway.call("POST", "/v1/chat/completions", {
      model: "asking",
      messages: [{ role: "user", content: "?" }],
    })
    expect(JSON.parse(given.body.choices[0].message.content)).toEqual({
      key: "sk-very-secret",
      tone: "warm",
      most: 4,
      loud: true,
    })
  })
})

describe.runIf(isLongForm)("access", () => {
  it("is set on the function's page, which only administrators see", async () => {
    const { page, open } = visit
    const { key } = await app.gateway.createUser("Grace")
    const listed = async (): Promise<string[]> => {
      const { body } = await app.gateway.call("GET", "/v1/models", undefined, { key })
      return body.data.map(({ id }: { id: string }) => id)
    }
    expect(await listed()).not.toContain("harbour_master")
    await open("/functions/harbour_master/access")
    await page.getByRole("radio", { name: "Everyone" }).check()
    await page.getByLabel("Allowed hosts").fill("api.example.com,")
    await page.getByRole("button", { name: "Save" }).click()
    await page.getByText("Saved", { exact: true }).waitFor()
    await expect.poll(listed).toContain("harbour_master")

    const grace = await app.openSession()
    const data = { email: "grace@example.com", password: "Grace has a password" }
    await grace.context.request.post(`${app.gateway.url}/api/v1/auths/signin`, { data })
    await grace.open("/functions")
    await grace.page.getByText("Page not found").waitFor()
    expect(await grace.page.getByRole("link", { name: "Functions" }).count()).toBe(0)
  })
})

describe.runIf(isLongForm)("exported functions", () => {
  it("can be deleted and imported again", async () => {
    const { page, open } = visit
    await open("/functions")
    await page.getByRole("button", { name: "Import or export" }).click()
    const saving = page.waitForEvent("download")
    await page.getByRole("menuitem", { name: "Export to file" }).click()
    const file = await (await saving).path()

    await open("/functions/harbour_master")
    await page.getByRole("button", { name: "More", exact: true }).click()
    await page.getByRole("menuitem", { name: "Delete function" }).click()
    const dialog = page.getByRole("alertdialog")
    await dialog.getByRole("textbox").fill("harbour_master")
    await dialog.getByRole("button", { name: "Delete function" }).click()
    await page.getByRole("heading", { name: "Functions", exact: true }).waitFor()
    await page.getByRole("link", { name: "Harbour Master" }).waitFor({ state: "detached" })

    await page.getByLabel("Import from file").setInputFiles({
      name: "functions.json",
      mimeType: "application/json",
      buffer: await readFile(file),
    })
    await page.getByText(/1 created, \d+ replaced/).waitFor()
    await page.getByRole("link", { name: "Harbour Master" }).waitFor()
  })
})
