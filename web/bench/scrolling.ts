import { essay } from "./essay.ts"
import { countFrames } from "./frames.ts"
import type { Mark } from "./marks.ts"
import { importChat, type Site } from "./site.ts"

const messages = 200
const stepPx = 60

/** Scrolls a long chat from its end to its start, one step per frame: 3,600 px/s at 60 fps. */
export const measureScrolling = async (site: Site): Promise<Mark[]> => {
  const visit = await site.visit()
  const { page } = visit
  const texts = Array.from({ length: messages }, (_, index) =>
    index % 2 === 0 ? `And what of day ${index / 2}?` : essay(150 + (index % 7) * 40).join(""),
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
  const frames = await countFrames(page, stepPx, async () => {
    const until = performance.now() + 12_000
    while ((await top()) > 0 && performance.now() < until) await page.waitForTimeout(200)
  })
  const passed = height - (await top())
  await visit.context.close()
  return [
    { what: "200 messages: time to open", value: opened, unit: "ms" },
    { what: "  pixels scrolled", value: passed, unit: "" },
    { what: "  frames per second", value: frames.mean, unit: "", atLeast: 50 },
    { what: "  in the slowest second", value: frames.slowest, unit: "" },
    { what: "  longest gap between frames", value: frames.longest, unit: "ms" },
  ]
}
