import type { Page } from "playwright-core"
import { type BenchSite, importChat, importChats } from "./bench-site.ts"
import { measureFrames } from "./frame-rate.ts"
import type { Measurement } from "./measurements.ts"
import { createSampleAnswer } from "./sample-answer.ts"

const chats = 1000
const messages = 1000
const frameLimitMs = 50

/** Records frames that took 50 ms or more, from their first task to their rendering. */
const longFrameScript = `
  window.long_frames = []
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) window.long_frames.push(duration)
  }).observe({ type: "long-animation-frame" })
`

/** The longest frame while `during` runs; 0 if none took 50 ms. */
const measureLongFrames = async (page: Page, label: string, during: () => Promise<void>) => {
  await page.evaluate("window.long_frames = []")
  const { maxGapMs } = await measureFrames(page, 0, during)
  const durations: number[] = await page.evaluate("window.long_frames")
  return [
    {
      label: `  longest frame ${label}`,
      value: Math.max(0, ...durations),
      unit: "ms",
      max: frameLimitMs,
    },
    { label: "    longest gap between frames", value: maxGapMs, unit: "ms" },
  ]
}

const typeText = (page: Page): Promise<void> =>
  page
    .getByLabel("Message", { exact: true })
    .pressSequentially("How high is the tide at noon, and how strong is the stream?", { delay: 40 })

const loadAllChats = async (page: Page): Promise<void> => {
  const sidebar = page.getByRole("navigation", { name: "Chats" })
  const rows = sidebar.getByRole("listitem")
  for (let count = 0; (await rows.count()) < chats; count++) {
    if (count > chats) throw new Error("The sidebar does not show all chats")
    await sidebar.getByRole("button", { name: "Show more" }).click()
    await page.waitForLoadState("networkidle")
  }
}

/** Frames while typing and streaming in a long chat, with a long answer and many chats. */
export const measureLargeChats = async (site: BenchSite): Promise<Measurement[]> => {
  const visit = await site.openSession()
  const { page } = visit
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
  await page.addInitScript(longFrameScript)
  const started = performance.now()
  await page.goto(path)
  await page
    .locator("article")
    .nth(messages - 1)
    .waitFor()
  const opened = performance.now() - started
  await loadAllChats(page)

  const typing = await measureLongFrames(page, "while typing", () => typeText(page))
  const composer = page.getByLabel("Message", { exact: true })
  const streaming = await measureLongFrames(page, "while 200 kB stream, typing", async () => {
    await composer.press("Enter")
    const running = page.locator("article[data-role=assistant][data-state=running]")
    await running.waitFor()
    await typeText(page)
    await running.waitFor({ state: "detached", timeout: 120_000 })
  })
  const after = await measureLongFrames(page, "while typing below 200 kB", () => typeText(page))
  const length = await page
    .locator("article")
    .last()
    .evaluate((element) => element.textContent?.length ?? 0)
  await visit.context.close()
  return [
    { label: `${messages} messages, ${chats} chats: time to open`, value: opened, unit: "ms" },
    ...typing,
    ...streaming,
    { label: "    length of the answer's text", value: length / 1000, unit: "kB" },
    ...after,
  ]
}
