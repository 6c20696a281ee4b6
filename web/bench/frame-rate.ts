import type { Page } from "playwright-core"

/** Records the time of every frame; scrolls the messages up by `stepPx` in each. */
const frameRecorderScript = (stepPx: number): string => `
  window.frames_at = []
  window.frames_on = true
  {
    const box = document.querySelector("section[aria-label=Messages]")
    const tick = (now) => {
      window.frames_at.push(now)
      ${stepPx > 0 ? `box.scrollTop -= ${stepPx}` : ""}
      if (window.frames_on) requestAnimationFrame(tick)
    }
    requestAnimationFrame(tick)
  }
`

export interface FrameStats {
  /** Frames per second, averaged over the whole measurement. */
  mean: number
  /** Frames in the slowest full second. */
  slowestSecond: number
  /** Longest gap between two frames, in ms. */
  maxGapMs: number
}

/** Measures the frame rate while `during` runs. */
export const measureFrames = async (
  page: Page,
  stepPx: number,
  during: () => Promise<void>,
): Promise<FrameStats> => {
  await page.evaluate(frameRecorderScript(stepPx))
  await during()
  const times: number[] = await page.evaluate("window.frames_on = false, window.frames_at")
  const first = times[0] ?? 0
  const seconds = ((times.at(-1) ?? 0) - first) / 1000
  const framesBySecond = Array.from({ length: Math.floor(seconds) }, () => 0)
  for (const time of times) {
    const second = Math.floor((time - first) / 1000)
    if (second < framesBySecond.length) framesBySecond[second] = (framesBySecond[second] ?? 0) + 1
  }
  const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0))
  return {
    mean: (times.length - 1) / seconds,
    slowestSecond: Math.min(...framesBySecond),
    maxGapMs: Math.max(...gaps),
  }
}
