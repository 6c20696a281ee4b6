import { afterAll, afterEach, beforeAll, expect, it } from "vitest"
import { app, closeAdminApp, startAdminApp, visit } from "./admin-app.ts"
import { dropFiles } from "./drop-files.ts"

beforeAll(() => startAdminApp())
afterAll(closeAdminApp)
afterEach(() => app.provider.clearFaults())

const composer = () => visit.page.getByLabel("Message", { exact: true })
const answers = () => visit.page.locator("article[data-role=assistant]")
const slowDown = (ms: number): void =>
  app.provider.injectFault({ kind: "slow_frames", ms }, { on: /chat/ })
const leaveDialog = () =>
  visit.page.getByRole("alertdialog", { name: "Leave this temporary chat?" })
const sendMessage = async (text: string): Promise<void> => {
  await composer().fill(text)
  await composer().press("Enter")
}
const words = Array.from({ length: 150 }, (_, index) => `word${index}`).join(" ")

it("answers without saving anything, and asks before the messages are lost", async () => {
  const { page, open, pageErrors } = visit
  await open("/")
  await page.getByRole("button", { name: "Temporary chat" }).click()
  await page.getByText("This chat isn't saved.").waitFor()
  await page.getByLabel(/^Model: /).click()
  await page.getByRole("combobox", { name: "Search models" }).fill("gpt-reason")
  await page.getByRole("option", { name: /gpt-reason-fake/ }).click()
  await page.getByRole("button", { name: "Temporary chat" }).press("Enter")
  await page.getByText("What are you working on?").waitFor()
  await page.getByRole("button", { name: "Temporary chat" }).press("Enter")
  await page.getByText("This chat isn't saved.").waitFor()
  await page.getByLabel("Model: gpt-reason-fake").waitFor()
  await composer().fill("just typing a secret")
  expect(await page.evaluate("JSON.stringify(localStorage)")).not.toContain("secret")
  await sendMessage("a secret question")
  await answers().getByText("You said: a secret question").waitFor()
  await sendMessage("and a second one")
  await answers().getByText("You said: and a second one").waitFor()
  expect(app.provider.requests.findLast(({ path }) => /chat/.test(path))?.json).toMatchObject({
    model: "gpt-reason-fake",
    messages: [
      { role: "user", content: "a secret question" },
      { role: "assistant" },
      { role: "user", content: "and a second one" },
    ],
  })
  await page.getByRole("link", { name: "Models", exact: true }).click()
  await leaveDialog().getByRole("button", { name: "Cancel" }).click()
  await answers().getByText("You said: and a second one").waitFor()
  await page.getByRole("link", { name: "Models", exact: true }).click()
  await leaveDialog().getByRole("button", { name: "Leave chat" }).click()
  await page.getByRole("heading", { name: "Models", level: 1 }).waitFor()

  const { body: chats } = await app.gateway.call("GET", "/api/v1/chats/")
  expect(chats.items).toEqual([])
  const { body: found } = await app.gateway.call("GET", "/api/v1/chats/?query=secret")
  expect(found.items).toEqual([])
  expect(await page.evaluate("JSON.stringify([localStorage, sessionStorage])")).not.toContain(
    "secret",
  )
  const { body: usage } = await app.gateway.call("GET", "/api/v1/usage?group_by=model")
  expect(JSON.stringify(usage)).toContain("gpt-reason-fake")
  expect(JSON.stringify(usage)).not.toContain("secret")
  await open("/temporary")
  expect(await answers().count()).toBe(0)
  expect(pageErrors).toEqual([])
})

it("stops, continues, regenerates, and edits, and queues the next message", async () => {
  const { page, open } = visit
  await open("/temporary?model=gpt-fake")
  slowDown(40)
  await sendMessage(words)
  await answers().getByText("word5 ").waitFor()
  await page.keyboard.press("Escape")
  await page.getByText("You stopped this answer.").waitFor()
  expect(await answers().innerText()).not.toContain("word149")
  await page.getByRole("button", { name: "Continue the answer" }).click()
  await answers()
    .getByText(/You said:.*You said:/)
    .waitFor()
  slowDown(40)
  await page.getByRole("button", { name: "Regenerate" }).click()
  await page.getByRole("button", { name: "Stop generating" }).waitFor()
  await sendMessage("queued meanwhile")
  await page.getByRole("region", { name: "Queued message" }).waitFor()
  await answers().getByText("You said: queued meanwhile").waitFor()
  await page.getByText("2/2").first().waitFor({ state: "attached" })
  await composer().press("ArrowUp")
  await page.getByRole("textbox", { name: "Edit message" }).fill("worded differently")
  await page.keyboard.press("Enter")
  await answers().getByText("You said: worded differently").waitFor()
  await page.getByRole("button", { name: "Previous version" }).last().click()
  await answers().getByText("You said: queued meanwhile").waitFor()
})

it("shows images and errors, sends files, and compares models", async () => {
  const { page, open } = visit
  await open("/temporary?model=gpt-reason-fake")
  const png =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkaPj/HwAEgAJ/TdMnRgAAAABJRU5ErkJggg=="
  const picker = page.locator("input[name=attachments]")
  const buffer = Buffer.from(png, "base64")
  await picker.setInputFiles({ name: "sea.png", mimeType: "image/png", buffer })
  await page.getByRole("img", { name: "sea.png" }).waitFor()
  await dropFiles(page, "#composer", [{ name: "tern.txt", text: "Terns dive in the harbour." }])
  await page.getByRole("button", { name: "Remove tern.txt" }).waitFor()
  await page.getByRole("button", { name: "Compare with another model" }).click()
  await page.getByRole("combobox", { name: "Search models" }).fill("gpt-fake")
  await page.getByRole("option", { name: /gpt-fake/ }).click()
  await page.getByRole("button", { name: "Remove gpt-fake" }).waitFor()
  await sendMessage("What do terns do?")
  await page.getByText("I see 1 image.").nth(1).waitFor()
  await page.locator("article[data-role=user] img").waitFor()
  const { json } = app.provider.requests.findLast(({ path }) => /chat/.test(path)) ?? {}
  expect(JSON.stringify(json)).toContain("Terns dive in the harbour.")
  await page.getByRole("button", { name: "Remove gpt-fake" }).click()
  const body = { error: { message: "The model is overloaded", code: "overloaded" } }
  app.provider.injectFault({ kind: "status", status: 529, body }, { on: /chat/ })
  await sendMessage("please fail")
  const alert = answers().getByRole("alert")
  await alert.getByText("The model is overloaded").first().waitFor()
  await alert.getByRole("button", { name: "Try again" }).click()
  await answers().getByText("You said: please fail").waitFor()
})
