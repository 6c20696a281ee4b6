import type { CDPSession } from "playwright-core"
import { countFrames } from "./frames.ts"
import { shiftsOf, watchShifts } from "./loading.ts"
import type { Mark } from "./marks.ts"
import type { Site } from "./site.ts"

const megabyte = 1_000_000
/** Heap that one answer of 4,000 tokens may use while it is shown, and after the chat is closed. */
const maxShownMB = 16
const maxRetainedMB = 4

const heapMB = async (cdp: CDPSession): Promise<number> =>
  (await cdp.send("Runtime.getHeapUsage")).usedSize / megabyte

const collectedMB = async (cdp: CDPSession): Promise<number> => {
  for (let times = 0; times < 3; times++) await cdp.send("HeapProfiler.collectGarbage")
  return heapMB(cdp)
}

const warmUpMs = 4000
const patience = { timeout: 120_000 }

/** Measures the frame rate, layout shift, and retained heap while a long answer streams. */
export const measureStreaming = async (site: Site, tokens: number): Promise<Mark[]> => {
  const { page, cdp, context } = await site.visit()
  await page.addInitScript(watchShifts)
  await page.goto(site.url)
  const composer = page.getByLabel("Message", { exact: true })
  const newChat = page.getByRole("link", { name: "New chat" }).first()
  const running = page.locator("article[data-role=assistant][data-state=running]")
  const ask = async (): Promise<void> => {
    await composer.fill("Write of tides")
    await composer.press("Enter")
    await running.waitFor()
  }
  const ended = (): Promise<void> => running.waitFor({ state: "detached", ...patience })

  // Warm up: code that is loaded once for any answer must not count.
  await ask()
  await page.waitForTimeout(warmUpMs)
  await composer.press("Escape")
  await ended()
  await newChat.click()
  const before = await collectedMB(cdp)
  await page.evaluate("window.shifts = []")

  let max = 0
  await ask()
  const started = performance.now()
  const frames = await countFrames(page, 0, async () => {
    const sample = setInterval(() => {
      void heapMB(cdp).then((now) => {
        max = Math.max(max, now)
      })
    }, 1000)
    await ended()
    clearInterval(sample)
  })
  const seconds = (performance.now() - started) / 1000
  const shift = await shiftsOf(page, "while an answer streams")
  const shown = await collectedMB(cdp)
  await newChat.click()
  await page.locator("article").first().waitFor({ state: "detached" })
  const left = await collectedMB(cdp)
  await context.close()
  const MB = { unit: "MB" }
  return [
    { what: "tokens per second", value: tokens / seconds, unit: "" },
    { what: "frames per second", value: frames.mean, unit: "", atLeast: 50 },
    { what: "  in the slowest second", value: frames.slowest, unit: "" },
    { what: "  longest gap between frames", value: frames.longest, unit: "ms" },
    { what: "layout shift of finished blocks", value: shift.finished, unit: "", atMost: 0 },
    { what: "  within the growing block", value: shift.written, unit: "", atMost: 0.05 },
    { what: "heap before, after GC", value: before, ...MB },
    { what: "  peak while streaming, before GC", value: max, ...MB },
    {
      what: "  growth with the answer shown, after GC",
      value: shown - before,
      ...MB,
      atMost: maxShownMB,
    },
    {
      what: "  growth after closing the chat, after GC",
      value: left - before,
      ...MB,
      atMost: maxRetainedMB,
    },
  ]
}
