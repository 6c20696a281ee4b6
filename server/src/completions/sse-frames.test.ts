import { describe, expect, it } from "vitest"
import { SseFrames } from "./sse-frames.ts"

const cutAt = (bytes: Buffer, places: readonly number[]): Buffer[] =>
  [0, ...places].map((start, at) => bytes.subarray(start, places[at]))

/** What is passed on after each chunk, and at the end. */
const readAll = (chunks: readonly Buffer[]): string[] => {
  const frames = new SseFrames()
  const pieces = chunks.map((chunk) => frames.push(chunk))
  return [...pieces, frames.takeRemainder()].map(String)
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
  const frames = new SseFrames()
  const chunk = Buffer.alloc(1_000_000, "x")
  for (let sent = 0; sent < 16; sent++) expect(frames.push(chunk)).toHaveLength(0)
  expect(frames.isFull).toBe(false)
  frames.push(chunk)
  expect(frames.isFull).toBe(true)
  expect(frames.takeRemainder()).toHaveLength(17_000_000)
})
