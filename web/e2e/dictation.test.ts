import { afterAll, beforeAll, expect, it } from "vitest"
import { type BrowserSession, startTestApp, type TestApp } from "./test-app.ts"

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.close())

/** Stands in for the browser's recognition; the test speaks and fails through `window.speech`. */
const fakeRecognition = `
  window.SpeechRecognition = class extends EventTarget {
    start() {
      window.speech = this
    }
    stop() {
      this.dispatchEvent(new Event("end"))
    }
    abort() {}
    hear(transcript, isFinal = true) {
      const results = [Object.assign([{ transcript }], { isFinal })]
      this.dispatchEvent(Object.assign(new Event("result"), { resultIndex: 0, results }))
    }
    fail(error) {
      this.dispatchEvent(Object.assign(new Event("error"), { error }))
      this.stop()
    }
  }
`
const noRecognition = "delete window.SpeechRecognition; delete window.webkitSpeechRecognition"

const openWith = async (script: string, locale = "en-US"): Promise<BrowserSession> => {
  const session = await app.asAdmin({ locale })
  await session.context.addInitScript({ content: script })
  await session.open("/?model=gpt-fake")
  return session
}

it("inserts dictated phrases at the caret, and shows that it listens", async () => {
  const { page, context } = await openWith(fakeRecognition)
  const composer = page.getByLabel("Message", { exact: true })
  await composer.fill("Dear harbour,  and goodbye")
  await composer.evaluate((area) => (area as HTMLTextAreaElement).setSelectionRange(14, 14))
  const button = page.getByRole("button", { name: "Dictate" })
  await button.click()
  await page.getByText("Listening…").waitFor()
  expect(await button.getAttribute("aria-pressed")).toBe("true")
  expect(await page.evaluate("window.speech.lang")).toBe("en-US")
  await page.evaluate("window.speech.hear('the tide', false)")
  await page.evaluate("window.speech.hear('the tide is high')")
  await page.evaluate("window.speech.hear('I am moving on')")
  expect(await composer.inputValue()).toBe(
    "Dear harbour, the tide is high I am moving on and goodbye",
  )
  await button.click()
  await page.getByText("Listening…").waitFor({ state: "detached" })
  await composer.press("Enter")
  await page.getByText("You said: Dear harbour, the tide is high").waitFor()
  await context.close()
})

it("says what to do if the microphone is not allowed or nothing is heard", async () => {
  const { page, context } = await openWith(fakeRecognition)
  const button = page.getByRole("button", { name: "Dictate" })
  await button.click()
  await page.evaluate("window.speech.fail('not-allowed')")
  await page.getByText("Allow this page to use the microphone").waitFor()
  expect(await button.getAttribute("aria-pressed")).toBe("false")
  await button.click()
  await page.getByText("Allow this page to use the microphone").waitFor({ state: "detached" })
  await page.evaluate("window.speech.fail('no-speech')")
  await page.getByText("No speech was heard.").waitFor()
  await context.close()
})

it("listens in the language of the page", async () => {
  const { page, context } = await openWith(fakeRecognition, "de-DE")
  await page.getByRole("button", { name: "Diktieren" }).click()
  expect(await page.evaluate("window.speech.lang")).toBe("de-DE")
  await context.close()
})

it("is missing in browsers without speech recognition, and allowed by the page's policy", async () => {
  const { page, context } = await openWith(noRecognition)
  await page.getByRole("button", { name: "Add files" }).waitFor()
  expect(await page.getByRole("button", { name: "Dictate" }).count()).toBe(0)
  const { headers } = await fetch(app.gateway.url)
  expect(headers.get("permissions-policy")).toContain("microphone=(self)")
  await context.close()
})
