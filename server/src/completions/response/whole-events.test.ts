import { describe, expect, it } from "vitest"
import { splitEvents, WholeEvents } from "./whole-events.ts"

const cutAt = (bytes: Buffer, places: readonly number[]): Buffer[] =>
  [0, ...places].map((start, at) => bytes.subarray(start, places[at]))

/** What is passed on after each chunk, and at the end. */
const readAll = (chunks: readonly Buffer[]): string[] => {
  const wholeEvents = new WholeEvents(16_000_000)
  const pieces = chunks.map((chunk) => wholeEvents.push(chunk))
  return [...pieces, wholeEvents.takeHeld()].map(String)
}

describe.each(["\n", "\r\n"])("a stream whose lines end with %j", (end) => {
  const events = ["event: a\ndata: {}", "data: ä🐝", ": hi", "data: 1\ndata: 2"].map(
    (event) => `${event.replaceAll("\n", end)}${end}${end}`,
  )
  const bytes = Buffer.from(`${events.join("")}data: rest`)
  const ends = new Set(events.map((_event, at) => events.slice(0, at + 1).join("")))

  it("is passed on in whole events, wherever it is cut", () => {
    for (let first = 0; first <= bytes.length; first++) {
      for (let second = first; second <= bytes.length; second++) {
        const pieces = readAll(cutAt(bytes, [first, second]))
        expect(pieces.join("")).toBe(bytes.toString())
        let passed = ""
        for (const piece of pieces.slice(0, -1)) {
          passed += piece
          expect(passed === "" || ends.has(passed), passed).toBe(true)
        }
        expect(pieces.at(-1)).toBe("data: rest")
      }
    }
  })

  it("is passed on event by event if it arrives byte by byte", () => {
    const pieces = readAll([...bytes].map((byte) => Buffer.of(byte)))
    expect(pieces.filter((piece) => piece !== "")).toEqual([...events, "data: rest"])
  })
})

it("is full when an event exceeds 16 MB", () => {
  const wholeEvents = new WholeEvents(16_000_000)
  const chunk = Buffer.alloc(1_000_000, "x")
  for (let sent = 0; sent < 16; sent++) expect(wholeEvents.push(chunk)).toHaveLength(0)
  expect(wholeEvents.isFull).toBe(false)
  wholeEvents.push(chunk)
  expect(wholeEvents.isFull).toBe(true)
  expect(wholeEvents.takeHeld()).toHaveLength(17_000_000)
})

it.each(["\n\n", "\n\r\n"])("splits events that end with %j", (boundary) => {
  const texts = [
    `data: 1${boundary}`,
    `data: 2\r\n: x${boundary}`,
    "data: 3\n\n",
    "data: incomplete",
  ]
  expect(splitEvents(Buffer.from(texts.join(""))).map(String)).toEqual(texts)
})

it("splits many events in linear time", () => {
  const timeOf = (count: number): number => {
    const bytes = Buffer.from("data: 1\n\n".repeat(count))
    const start = performance.now()
    expect(splitEvents(bytes)).toHaveLength(count)
    return performance.now() - start
  }
  timeOf(20_000)
  // 8 times as many events take 64 times as long if each one searches everything after it.
  expect(timeOf(160_000)).toBeLessThan(40 * Math.max(timeOf(20_000), 5))
})
