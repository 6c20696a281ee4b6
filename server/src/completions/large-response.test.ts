import { expect, it } from "vitest"
import { splitFrames } from "./large-response.ts"

it.each(["\n\n", "\n\r\n"])("splits events that end with %j", (boundary) => {
  const texts = [
    `data: 1${boundary}`,
    `data: 2\r\n: x${boundary}`,
    "data: 3\n\n",
    "data: incomplete",
  ]
  expect(splitFrames(Buffer.from(texts.join(""))).map(String)).toEqual(texts)
})

it("splits many events in linear time", () => {
  const timeOf = (count: number): number => {
    const frames = Buffer.from("data: 1\n\n".repeat(count))
    const start = performance.now()
    expect(splitFrames(frames)).toHaveLength(count)
    return performance.now() - start
  }
  timeOf(20_000)
  // 8 times as many events take 64 times as long if each one searches everything after it.
  expect(timeOf(160_000)).toBeLessThan(40 * Math.max(timeOf(20_000), 5))
})
