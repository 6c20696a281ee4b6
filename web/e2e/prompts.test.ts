import type { Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { chooseOption } from "./choose-option.ts"
import { findViolations } from "./find-violations.ts"
import { startTestApp, type TestApp } from "./test-app.ts"

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.close())

const composerOf = (page: Page) => page.getByLabel("Message", { exact: true })

const createPrompt = async (fields: object): Promise<string> => {
  const prompt = { title: "Title", content: "Text", ...fields }
  const { status, body } = await app.gateway.call("POST", "/api/v1/prompts/create", prompt)
  expect(status).toBe(200)
  return body.id
}

const signInAsGrace = async () => {
  const { email } = await app.gateway.createUser("Grace")
  const session = await app.openSession()
  const data = { email, password: "Grace has a password" }
  await session.context.request.post(`${app.gateway.url}/api/v1/auths/signin`, { data })
  return session
}

describe("a prompt", () => {
  it("is created, used in a chat, changed, and deleted", async () => {
    const { page, open, pageErrors } = await app.asAdmin()
    await open("/models")
    await page.getByRole("link", { name: "Prompts" }).click()
    await page.getByRole("heading", { name: "No prompts yet" }).waitFor()
    await page.getByRole("link", { name: "Create prompt" }).last().click()
    await page.getByRole("textbox", { name: "Title" }).fill("Reply to a Letter")
    const command = page.getByRole("textbox", { name: "Command" })
    expect(await command.inputValue()).toBe("reply-to-a-letter")
    await command.fill("two words")
    await page
      .getByRole("textbox", { name: "Text" })
      .fill("Write a {{tone:formal,friendly}} reply to {{name}} about {{topic|the tide}}.")
    const variables = page.getByRole("region", { name: "Variables" })
    expect(await variables.getByRole("listitem").allInnerTexts()).toEqual([
      expect.stringMatching(/^tone\s*formal · friendly$/),
      "name",
      expect.stringMatching(/^topic\s*the tide$/),
    ])
    await page.getByRole("button", { name: "Create prompt" }).click()
    await page.getByText("Use letters, digits").waitFor()
    await command.fill("reply")
    await page.getByRole("button", { name: "Create prompt" }).click()
    await page
      .getByRole("row")
      .filter({ hasText: "Reply to a Letter" })
      .getByText("/reply")
      .waitFor()
    expect(await findViolations(page)).toEqual([])

    await open("/")
    await composerOf(page).pressSequentially("/rep")
    await page.getByRole("option", { name: "Reply to a Letter" }).waitFor()
    await page.keyboard.press("Enter")
    const fields = page.getByRole("form", { name: "Fill in “Reply to a Letter”" })
    await chooseOption(fields.getByLabel("tone"), "friendly")
    await fields.getByLabel("name").fill("Ada")
    expect(await fields.getByLabel("topic").inputValue()).toBe("the tide")
    expect(await findViolations(page)).toEqual([])
    await page.keyboard.press("Enter")
    await fields.waitFor({ state: "detached" })
    expect(await composerOf(page).inputValue()).toBe(
      "Write a friendly reply to Ada about the tide.",
    )
    await expect.poll(() => page.evaluate("document.activeElement?.id")).toBe("composer")

    await composerOf(page).fill("Be brief.")
    await open("/prompts?query=letter")
    await page.getByRole("link", { name: "Use Reply to a Letter in a new chat" }).click()
    await fields.getByLabel("name").fill("Grace")
    await page.keyboard.press("Enter")
    const written = "Be brief.\n\nWrite a formal reply to Grace about the tide."
    await expect.poll(() => composerOf(page).inputValue()).toBe(written)
    expect(new URL(page.url()).search).toBe("")
    await page.reload()
    await expect.poll(() => composerOf(page).inputValue()).toBe(written)

    await open("/prompts?query=letter")
    await page.getByRole("link", { name: "Reply to a Letter", exact: true }).click()
    await page.getByRole("link", { name: "Use in a new chat" }).click()
    await fields.getByLabel("name").waitFor()
    await page.goBack()
    await page.getByRole("textbox", { name: "Text" }).fill("Short text.")
    await page.keyboard.press("ControlOrMeta+s")
    await page.getByText("Saved", { exact: true }).waitFor()
    expect(await findViolations(page)).toEqual([])
    await page.getByRole("button", { name: "Delete prompt" }).click()
    await page.getByRole("alertdialog").getByRole("button", { name: "Delete prompt" }).click()
    await page.getByRole("heading", { name: "No prompts yet" }).waitFor()
    expect(pageErrors).toEqual([])
  })

  it("without variables is inserted with one key, before the rest of the message", async () => {
    const id = await createPrompt({
      command: "translate",
      title: "Into English",
      content: "By {{user}}:",
    })
    const other = await createPrompt({ command: "zz-translate", title: "Into Breton" })
    const { page, open } = await app.asAdmin()
    await open("/")
    await composerOf(page).fill(" good day")
    await page.getByRole("button", { name: "Insert a prompt" }).click()
    const options = page.getByRole("option")
    await expect.poll(() => options.count()).toBe(2)
    await page.keyboard.type("translate")
    await expect
      .poll(() => options.allInnerTexts())
      .toEqual([expect.stringContaining("Into English"), expect.stringContaining("Into Breton")])
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("ArrowUp")
    await page.keyboard.press("Enter")
    expect(await composerOf(page).inputValue()).toBe("By Portico Administrator: good day")
    for (const one of [id, other]) {
      await app.gateway.call("DELETE", `/api/v1/prompts/${one}/delete`)
    }
  })

  it("menu closes with Escape, and text that names no prompt is sent as it is", async () => {
    const id = await createPrompt({ command: "fill", title: "Fill in", content: "{{x:a,b}}" })
    const { page, open } = await app.asAdmin()
    await open("/?model=gpt-fake")
    const composer = composerOf(page)
    await composer.pressSequentially("/fi")
    await page.getByRole("option").first().waitFor()
    await page.keyboard.press("Escape")
    await page.getByRole("option").first().waitFor({ state: "detached" })
    expect(await composer.inputValue()).toBe("/fi")

    await composer.fill("")
    await composer.pressSequentially("/fill")
    await page.getByRole("option").first().click()
    await page.getByRole("form").getByLabel("x").press("Enter")
    await page.getByRole("option", { name: "b" }).waitFor()
    await page.keyboard.press("Escape")
    await page.getByRole("option", { name: "b" }).waitFor({ state: "detached" })
    await page.keyboard.press("Escape")
    await page.getByRole("form").waitFor({ state: "detached" })
    await expect.poll(() => page.evaluate("document.activeElement?.id")).toBe("composer")

    await composer.fill("")
    await composer.pressSequentially("/etc/hosts and more")
    await page.keyboard.press("Enter")
    await page.getByText("You said: /etc/hosts and more").waitFor()
    await app.gateway.call("DELETE", `/api/v1/prompts/${id}/delete`)
  })

  it("is shared by a member with the group that was searched for", async () => {
    const { page, open } = await signInAsGrace()
    const { body } = await app.gateway.call("GET", "/api/v1/users?query=Grace")
    for (const name of ["Harbour pilots", "Lighthouse keepers"]) {
      const group = await app.gateway.call("POST", "/api/v1/groups/create", { name })
      const add = { user_ids: [body.items[0].id] }
      await app.gateway.call("POST", `/api/v1/groups/${group.body.id}/members/add`, add)
    }
    await open("/prompts/new")
    await page.getByLabel("Only me and people I choose").check()
    const field = page.getByRole("combobox", { name: "Add one of your groups" })
    await field.fill("keepers")
    await expect.poll(() => page.getByRole("option").allTextContents()).toHaveLength(1)
    await field.press("Enter")
    await page.getByRole("listitem").getByText("Lighthouse keepers").waitFor()
  })

  it("that is shared can be used, but not changed, by others", async () => {
    const everyone = { principal_type: "user", principal_id: "*", permission: "read" }
    const id = await createPrompt({
      command: "minutes",
      title: "Minutes",
      content: "Write the minutes.",
      access_grants: [everyone],
    })
    const { page, open } = await signInAsGrace()
    await open("/prompts")
    const row = page.getByRole("row").filter({ hasText: "Minutes" })
    await row.getByRole("cell", { name: "Everyone", exact: true }).waitFor()
    await row.getByRole("link", { name: "Minutes", exact: true }).click()
    await page.getByText("Write the minutes.").waitFor()
    expect(await page.getByRole("textbox", { name: "Text" }).count()).toBe(0)
    await open("/")
    await composerOf(page).pressSequentially("/min")
    await page.getByRole("option").getByText("by Portico Administrator").waitFor()
    await page.keyboard.press("Enter")
    expect(await composerOf(page).inputValue()).toBe("Write the minutes.")
    await app.gateway.call("DELETE", `/api/v1/prompts/${id}/delete`)
  })
})

describe("a message", () => {
  it("is saved as a prompt", async () => {
    const { page, open } = await app.asAdmin()
    await open("/?model=gpt-fake")
    await composerOf(page).fill("Explain the tides to a child.")
    await page.keyboard.press("Enter")
    await page.getByText("You said: Explain the tides to a child.").waitFor()
    await page.getByRole("button", { name: "Save as prompt" }).click()
    const text = page.getByRole("textbox", { name: "Text" })
    await expect.poll(() => text.inputValue()).toBe("Explain the tides to a child.")
    await page.getByRole("textbox", { name: "Title" }).fill("Tides")
    await page.getByRole("button", { name: "Create prompt" }).click()
    await page.getByRole("link", { name: "Tides", exact: true }).waitFor()
  })
})

describe("a model's starters", () => {
  it("are saved with the model and offered to the start page", async () => {
    const { page, open } = await app.asAdmin()
    await open("/models/new?base=gpt-fake")
    await page.getByRole("textbox", { name: "Name" }).fill("Pilot")
    const starters = page.getByRole("group", { name: "Starters" })
    await starters.getByLabel("Starter 1").fill("When is high water?")
    await starters.getByLabel("Starter 3").fill(" Plan a trip ")
    await page.getByRole("button", { name: "Create model" }).click()
    await page.getByRole("heading", { name: "Pilot" }).waitFor()
    const { body } = await app.gateway.call("GET", "/api/models")
    const pilot = body.data.find(({ id }: { id: string }) => id === "pilot")
    expect(pilot.starters).toEqual(["When is high water?", "Plan a trip"])
    await page.reload()
    await starters.getByLabel("Starter 2").waitFor()
    expect(await starters.getByLabel("Starter 2").inputValue()).toBe("Plan a trip")
    expect(await findViolations(page)).toEqual([])
  })
})

describe("personal instructions", () => {
  it("are saved and sent with the user's chats", async () => {
    const { page, open, pageErrors } = await app.asAdmin()
    await open("/account")
    await page.getByRole("link", { name: "Instructions" }).click()
    const field = page.getByRole("textbox", { name: "Instructions" })
    await field.fill("Answer in metric units.")
    await page.keyboard.press("ControlOrMeta+s")
    await page.getByText("Saved", { exact: true }).waitFor()
    expect(await findViolations(page)).toEqual([])
    await page.reload()
    await expect.poll(() => field.inputValue()).toBe("Answer in metric units.")
    await open("/?model=gpt-fake")
    await composerOf(page).fill("How far is Brest?")
    await page.keyboard.press("Enter")
    await page.getByText("You said: How far is Brest?").waitFor()
    const sent = app.provider.requests.map(({ json }) => JSON.stringify(json))
    const [asked] = sent.filter((text) => text?.includes("How far is Brest?"))
    expect(asked).toContain("Answer in metric units.")

    await open("/temporary?model=gpt-fake")
    await composerOf(page).fill("And how far is Dover?")
    await page.keyboard.press("Enter")
    await page.getByText("You said: And how far is Dover?").waitFor()
    expect(app.provider.requests.at(-1)?.json).toMatchObject({
      messages: [
        { role: "system", content: "Answer in metric units." },
        { role: "user", content: "And how far is Dover?" },
      ],
    })
    expect(pageErrors).toEqual([])
  })
})
