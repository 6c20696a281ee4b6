import type { CDPSession } from "playwright-core"
import type { BenchSite } from "./bench-site.ts"
import { measureFrames } from "./frame-rate.ts"
import { layoutShiftScript, readLayoutShifts } from "./loading.ts"
import type { Measurement } from "./measurements.ts"

const megabyte = 1_000_000
/** Heap that one answer of 4,000 tokens may use while it is shown, and after the chat is closed. */
const maxShownMB = 16
const maxRetainedMB = 4

const heapMB = async (cdp: CDPSession): Promise<number> =>
  (await cdp.send("Runtime.getHeapUsage")).usedSize / megabyte

const heapAfterGcMB = async (cdp: CDPSession): Promise<number> => {
  for (let times = 0; times < 3; times++) await cdp.send("HeapProfiler.collectGarbage")
  return heapMB(cdp)
}

const warmUpMs = 4000
const waitOptions = { timeout: 120_000 }

/** Measures the frame rate, layout shift, and retained heap while a long answer streams. */
export const measureStreaming = async (site: BenchSite, tokens: number): Promise<Measurement[]> => {
  const { page, cdp, context } = await site.openSession()
  await page.addInitScript(layoutShiftScript)
  await page.goto(site.url)
  const composer = page.getByLabel("Message", { exact: true })
  const newChat = page.getByRole("link", { name: "New chat" }).first()
  const running = page.locator("article[data-role=assistant][data-state=running]")
  const sendMessage = async (): Promise<void> => {
    await composer.fill("Write of tides")
    await composer.press("Enter")
    await running.waitFor()
  }
  const waitForEnd = (): Promise<void> => running.waitFor({ state: "detached", ...waitOptions })

  // Warm up: code that is loaded once for any answer must not count.
  await sendMessage()
  await page.waitForTimeout(warmUpMs)
  await composer.press("Escape")
  await waitForEnd()
  await newChat.click()
  const before = await heapAfterGcMB(cdp)
  await page.evaluate("window.shifts = []")

  let max = 0
  await sendMessage()
  const started = performance.now()
  const frames = await measureFrames(page, 0, async () => {
    const sample = setInterval(() => {
      void heapMB(cdp).then((now) => {
        max = Math.max(max, now)
      })
    }, 1000)
    await waitForEnd()
    clearInterval(sample)
  })
  const seconds = (performance.now() - started) / 1000
  const shift = await readLayoutShifts(page, "while an answer streams")
  const shown = await heapAfterGcMB(cdp)
  await newChat.click()
  await page.locator("article").first().waitFor({ state: "detached" })
  const afterClose = await heapAfterGcMB(cdp)
  await context.close()
  const MB = { unit: "MB" }
  return [
    { label: "tokens per second", value: tokens / seconds, unit: "" },
    { label: "frames per second", value: frames.mean, unit: "", min: 50 },
    { label: "  in the slowest second", value: frames.slowestSecond, unit: "" },
    { label: "  longest gap between frames", value: frames.maxGapMs, unit: "ms" },
    { label: "layout shift of finished blocks", value: shift.finished, unit: "", max: 0 },
    { label: "  within the growing block", value: shift.written, unit: "", max: 0.05 },
    { label: "heap before, after GC", value: before, ...MB },
    { label: "  peak while streaming, before GC", value: max, ...MB },
    {
      label: "  growth with the answer shown, after GC",
      value: shown - before,
      ...MB,
      max: maxShownMB,
    },
    {
      label: "  growth after closing the chat, after GC",
      value: afterClose - before,
      ...MB,
      max: maxRetainedMB,
    },
  ]
}
