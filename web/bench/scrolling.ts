import { type BenchSite, importChat } from "./bench-site.ts"
import { measureFrames } from "./frame-rate.ts"
import type { Measurement } from "./measurements.ts"
import { createSampleAnswer } from "./sample-answer.ts"

const messages = 200
const stepPx = 60

/** Scrolls a long chat from its end to its start, one step per frame: 3,600 px/s at 60 fps. */
export const measureScrolling = async (site: BenchSite): Promise<Measurement[]> => {
  const visit = await site.openSession()
  const { page } = visit
  const texts = Array.from({ length: messages }, (_, index) =>
    index % 2 === 0
      ? `And what of day ${index / 2}?`
      : createSampleAnswer(150 + (index % 7) * 40).join(""),
  )
  const started = performance.now()
  await page.goto(await importChat(visit, site.url, texts))
  await page
    .locator("article")
    .nth(messages - 1)
    .waitFor()
  const opened = performance.now() - started
  const box = page.getByRole("region", { name: "Messages" })
  const top = (): Promise<number> => box.evaluate((element) => element.scrollTop)
  const height = await box.evaluate((element) => element.scrollHeight)
  const frames = await measureFrames(page, stepPx, async () => {
    const until = performance.now() + 12_000
    while ((await top()) > 0 && performance.now() < until) await page.waitForTimeout(200)
  })
  const passed = height - (await top())
  await visit.context.close()
  return [
    { label: "200 messages: time to open", value: opened, unit: "ms" },
    { label: "  pixels scrolled", value: passed, unit: "" },
    { label: "  frames per second", value: frames.mean, unit: "", min: 50 },
    { label: "  in the slowest second", value: frames.slowestSecond, unit: "" },
    { label: "  longest gap between frames", value: frames.maxGapMs, unit: "ms" },
  ]
}
