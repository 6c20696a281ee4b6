import { expect, it } from "vitest"
import {
  decodeEvents,
  EventTooLargeError,
  type ServerSentEvent,
  SseDecoder,
} from "./sse-decoder.ts"

const decodeChunks = (chunks: readonly Uint8Array[]): ServerSentEvent[] => {
  const decoder = new SseDecoder()
  const events = chunks.flatMap((chunk) => decoder.push(chunk))
  return [...events, ...decoder.end()]
}

const decode = (text: string): ServerSentEvent[] => decodeEvents(Buffer.from(text))

const message = (data: string): ServerSentEvent => ({ type: "message", data })

it.each([
  // The examples of the standard.
  ["several lines of data", "data: YHOO\ndata: +2\ndata: 10\n\n", [message("YHOO\n+2\n10")]],
  [
    "a comment, a field that is ignored, and a leading space",
    ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n",
    [message("first event"), message("second event"), message(" third event")],
  ],
  ["fields without a colon", "data\n\ndata\ndata\n\n", [message(""), message("\n")]],
  ["an optional space", "data:test\n\ndata: test\n\n", [message("test"), message("test")]],
  [
    "names of events",
    "event: add\ndata: 73857293\n\nevent: remove\ndata: 2153\n\ndata: 113411\n\n",
    [{ type: "add", data: "73857293" }, { type: "remove", data: "2153" }, message("113411")],
  ],
  // What the standard says in words.
  [
    "the three kinds of line ends",
    "data: 1\r\rdata: 2\r\n\r\ndata: 3\n\n",
    ["1", "2", "3"].map(message),
  ],
  ["mixed line ends in one event", "data: 1\rdata: 2\r\ndata: 3\n\r\n", [message("1\n2\n3")]],
  ["a byte order mark", "\uFEFFdata: 1\n\n\uFEFFdata: 2\n\n", [message("1")]],
  ["the last of several names", "event: a\nevent: b\ndata: 1\n\n", [{ type: "b", data: "1" }]],
  ["a name without data", "event: a\n\ndata: 1\n\n", [message("1")]],
  ["an empty name", "event: a\nevent\ndata: 1\n\n", [message("1")]],
  ["other fields", "retry: 5\nDATA: 1\n data: 2\ndatas: 3\n\n", []],
  ["colons in a value", "data: a: b\n\n", [message("a: b")]],
  ["blank lines", "\n\n\r\n\r\r\ndata: 1\n\n\n", [message("1")]],
  ["a character of several bytes", "data: ä€😀\n\n", [message("ä€😀")]],
  // Providers omit the last blank line.
  ["an unfinished last event", "data: 1\n\ndata: 2", [message("1"), message("2")]],
  ["an unfinished last event after CR", "data: 1\r", [message("1")]],
] satisfies [string, string, ServerSentEvent[]][])(
  "decodes %s, wherever the bytes are split",
  (_title, text, events) => {
    const bytes = Buffer.from(text)
    expect(decodeEvents(bytes)).toEqual(events)
    expect(decodeChunks([bytes])).toEqual(events)
    expect(decodeChunks([...bytes].map((byte) => Buffer.of(byte)))).toEqual(events)
    for (let first = 0; first <= bytes.length; first++) {
      for (let second = first; second <= bytes.length; second++) {
        const chunks = [
          bytes.subarray(0, first),
          bytes.subarray(first, second),
          bytes.subarray(second),
        ]
        expect(decodeChunks(chunks)).toEqual(events)
      }
    }
  },
)

it("replaces invalid UTF-8", () => {
  const bytes = Buffer.concat([Buffer.from("data: "), Buffer.of(0xff, 0xc3), Buffer.from("\n\n")])
  expect(decodeChunks([bytes])).toEqual([message("\uFFFD\uFFFD")])
})

it("returns an event as soon as the blank line begins", () => {
  const decoder = new SseDecoder()
  expect(decoder.push(Buffer.from("data: 1\r\n\r"))).toEqual([message("1")])
  expect(decoder.push(Buffer.from("\ndata: 2\n\n"))).toEqual([message("2")])
})

it.each(["data: x\n", ": x\n", "event: x\n", "xxxxxxxx"])("bounds an event made of %j", (piece) => {
  const decoder = new SseDecoder(1000)
  const chunk = Buffer.from(piece.repeat(Math.floor(1000 / piece.length)))
  expect(decoder.push(chunk)).toEqual([])
  expect(() => decoder.push(chunk)).toThrow(EventTooLargeError)
  expect(() => new SseDecoder(1000).push(Buffer.alloc(1001, "x"))).toThrow(EventTooLargeError)
})

it("bounds one event, not the stream", () => {
  const decoder = new SseDecoder(20)
  for (let count = 0; count < 100; count++)
    expect(decoder.push(Buffer.from("data: 1\n\n"))).toEqual([message("1")])
})

it("decodes random streams alike, however they are split", () => {
  const pieces = ["data", "event", ":", " ", "\r", "\n", "\r\n", "a", "ü", "\uFEFF", "\n\n"]
  let seed = 1
  const random = (below: number): number => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff
    return (seed >>> 8) % below
  }
  for (let round = 0; round < 2000; round++) {
    const text = Array.from({ length: 1 + random(30) }, () => pieces[random(pieces.length)]).join(
      "",
    )
    const bytes = Buffer.from(text)
    const chunks: Buffer[] = []
    for (let at = 0; at < bytes.length; ) {
      const size = 1 + random(6)
      chunks.push(bytes.subarray(at, at + size))
      at += size
    }
    expect(decodeChunks(chunks), JSON.stringify(text)).toEqual(decode(text))
    const normalized = text.replaceAll(/\r\n?/g, "\n")
    expect(decode(normalized), JSON.stringify(text)).toEqual(decode(text))
  }
})

it("takes linear time for an event in many chunks", () => {
  const time = (chunks: number): number => {
    const decoder = new SseDecoder()
    const chunk = Buffer.alloc(100, "x")
    const start = performance.now()
    decoder.push(Buffer.from("data: "))
    for (let count = 0; count < chunks; count++) decoder.push(chunk)
    expect(decoder.push(Buffer.from("\n\n"))).toHaveLength(1)
    return performance.now() - start
  }
  const bestTime = (chunks: number): number =>
    Math.min(...Array.from({ length: 5 }, () => time(chunks)))
  bestTime(10_000)
  expect(bestTime(100_000)).toBeLessThan(50 * bestTime(10_000))
})
