import type { Page } from "playwright-core"
import { type BenchSite, importChat, importChats } from "./bench-site.ts"
import { measureLongestTask } from "./main-thread.ts"
import type { Measurement } from "./measurements.ts"
import { createSampleAnswer } from "./sample-answer.ts"

const chats = 1000
const messages = 1000
const task = { unit: "ms", max: 50 }

const typeText = (page: Page): Promise<void> =>
  page.keyboard.type("How high is the tide at noon, and how strong is the stream?", { delay: 40 })

/** Looks at the last message only, because a search of the long page would take frames itself. */
const waitForAnswer = async (page: Page): Promise<void> => {
  const state = "document.querySelector('.conversation').lastElementChild.dataset.state"
  while ((await page.evaluate(state)) !== "running") await page.waitForTimeout(100)
  while ((await page.evaluate(state)) === "running") await page.waitForTimeout(500)
}

const loadAllChats = async (page: Page): Promise<void> => {
  const sidebar = page.getByRole("navigation", { name: "Chats" })
  const rows = sidebar.getByRole("listitem")
  for (let count = 0; (await rows.count()) < chats; count++) {
    if (count > chats) throw new Error("The sidebar does not show all chats")
    await sidebar.getByRole("button", { name: "Show more" }).click()
    await page.waitForLoadState("networkidle")
  }
}

/** The longest tasks while typing and streaming in a long chat, with a long answer and many chats. */
export const measureLargeChats = async (site: BenchSite): Promise<Measurement[]> => {
  const visit = await site.openSession()
  const { page } = visit
  page.setDefaultTimeout(120_000)
  await importChats(
    visit,
    site.url,
    Array.from({ length: chats }, (_, index) => [`And what of day ${index}?`, "It is calm."]),
  )
  const texts = Array.from({ length: messages }, (_, index) =>
    index % 2 === 0
      ? `And what of day ${index / 2}?`
      : createSampleAnswer(100 + (index % 7) * 20).join(""),
  )
  const path = await importChat(visit, site.url, texts, "long-essay")
  const started = performance.now()
  await page.goto(path)
  await page
    .locator("article")
    .nth(messages - 1)
    .waitFor()
  const opened = performance.now() - started
  await loadAllChats(page)

  const composer = page.getByLabel("Message", { exact: true })
  await composer.focus()
  const longest = (during: () => Promise<void>) => measureLongestTask(site.browser, page, during)
  const typing = await longest(() => typeText(page))
  const streaming = await longest(async () => {
    await page.keyboard.press("Enter")
    await Promise.all([waitForAnswer(page), typeText(page)])
  })
  const typingBelow = await longest(() => typeText(page))
  const length = await page
    .locator("article")
    .last()
    .evaluate((element) => element.textContent?.length ?? 0)
  await visit.context.close()
  return [
    { label: `${messages} messages, ${chats} chats: time to open`, value: opened, unit: "ms" },
    { label: "  longest task while typing", value: typing, ...task },
    { label: "  longest task while 200 kB stream", value: streaming, ...task },
    { label: "  longest task while typing below them", value: typingBelow, ...task },
    { label: "  text of that answer", value: length / 1000, unit: "kB" },
  ]
}
