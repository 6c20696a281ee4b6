import { describe, expect, it } from "vitest"
import { noTokens } from "../../usage/token-counts.ts"
import { openaiOperation } from "../operations/openai-operation.ts"
import { responsesOperation } from "../operations/responses.ts"
import { SseScanner } from "./sse-scanner.ts"

const chunk = (fields: object, ending = "\n\n") => `data: ${JSON.stringify(fields)}${ending}`
const delta = (content: string, more: object = {}) =>
  chunk({ choices: [{ index: 0, delta: { content }, finish_reason: null }], ...more })
const stop = chunk({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] })
const counts = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 }
const usage = chunk({ choices: [], usage: counts })
const done = "data: [DONE]\n\n"
const tokens = { ...noTokens, tokens_in: 7, tokens_out: 3 }

/** Pushes the pieces through a scanner and returns its output. */
const pass = (
  pieces: (string | Buffer)[],
  { hide = false, endings = openaiOperation.stream.endMarkers } = {},
) => {
  const scanner = new SseScanner(endings, hide ? "without_usage" : "bytes")
  const out = pieces.map((piece) => Buffer.from(scanner.push(Buffer.from(piece))))
  const held = scanner.breakOff()
  return { scanner, out: Buffer.concat(out).toString(), held: held.toString() }
}

const talk = delta("Grüße 😀") + delta('say "usage":{ and \n\n data: [DONE]', { usage: null })

describe("a stream torn anywhere", () => {
  it.each([
    ["\\n", (text: string) => text],
    ["\\r\\n", (text: string) => text.replaceAll("\n", "\r\n")],
  ])("comes out whole but for the usage nobody asked for (lines end in %s)", (_name, endLines) => {
    const whole = Buffer.from(endLines(talk + stop + usage + done))
    const shown = endLines(talk + stop + done)
    for (let at = 0; at <= whole.length; at++) {
      const { scanner, out, held } = pass([whole.subarray(0, at), whole.subarray(at)], {
        hide: true,
      })
      expect(out + held).toBe(shown)
      expect(scanner.tokens).toEqual(tokens)
      expect({ hasTerminator: scanner.hasTerminator, isEventOpen: scanner.isEventOpen }).toEqual({
        hasTerminator: true,
        isEventOpen: false,
      })
    }
  })

  it("is the same byte for byte where usage was asked for", () => {
    const whole = Buffer.from(talk + stop + usage + done)
    for (let at = 0; at <= whole.length; at++) {
      const { scanner, out, held } = pass([whole.subarray(0, at), whole.subarray(at)])
      expect(out).toBe(whole.toString())
      expect(held).toBe("")
      expect(scanner).toMatchObject({ tokens, hasTerminator: true, isEventOpen: false })
    }
  })

  it("comes byte by byte too", () => {
    const bytes = [...Buffer.from(talk + stop + usage + done)].map((byte) => Buffer.from([byte]))
    expect(pass(bytes, { hide: true }).out).toBe(talk + stop + done)
    expect(pass(bytes).scanner).toMatchObject({ tokens, hasTerminator: true, eventCount: 6 })
  })

  it("says where it stands when it breaks off", () => {
    for (let at = 1; at < stop.length; at++) {
      const torn = pass([talk, stop.slice(0, at)], { hide: true })
      expect(torn).toMatchObject({ out: talk, held: stop.slice(0, at) })
      expect(torn.scanner.isEventOpen).toBe(true)
      expect(pass([talk + stop.slice(0, at)]).scanner.isEventOpen).toBe(true)
    }
    expect(pass([talk, stop]).scanner.isEventOpen).toBe(false)
  })
})

describe("usage", () => {
  it.each([
    ["in a chunk of its own", usage, "", tokens],
    ["with a space", usage.replace('"usage":', '"usage": '), "", tokens],
    ["beside choices", delta("x", { usage: counts }), delta("x", { usage: counts }), tokens],
    ["null", delta("x", { usage: null }), delta("x", { usage: null }), null],
    [
      "null and no choices",
      chunk({ choices: [], usage: null }),
      chunk({ choices: [], usage: null }),
      null,
    ],
    [
      "of another shape",
      chunk({ choices: [], usage: { a: 1 } }),
      chunk({ choices: [], usage: { a: 1 } }),
      null,
    ],
    [
      "within text",
      delta('"usage":{"prompt_tokens":1}'),
      delta('"usage":{"prompt_tokens":1}'),
      null,
    ],
    [
      "in broken JSON",
      'data: {"usage":{"prompt_tokens":1\n\n',
      'data: {"usage":{"prompt_tokens":1\n\n',
      null,
    ],
    [
      "over two data lines",
      `data: {"choices":[],\ndata: "usage":${JSON.stringify(counts)}}\n\n`,
      "",
      tokens,
    ],
  ])("%s", (_name, event, shown, expected) => {
    const { scanner, out } = pass([delta("a") + event + done], { hide: true })
    expect(out).toBe(delta("a") + shown + done)
    expect(scanner.tokens).toEqual(expected)
  })

  it("is the last that came", () => {
    const early = chunk({ choices: [], usage: { prompt_tokens: 1, completion_tokens: 1 } })
    expect(pass([early, usage]).scanner.tokens).toEqual(tokens)
  })

  it("leaves bytes that are no UTF-8 as they are", () => {
    const odd = Buffer.concat([
      Buffer.from('data: {"x":"'),
      Buffer.from([0xff, 0xfe]),
      Buffer.from('"}\n\n'),
    ])
    const scanner = new SseScanner(openaiOperation.stream.endMarkers, "without_usage")
    const out = scanner.push(Buffer.concat([odd, Buffer.from(usage)]))
    expect(Buffer.compare(out, odd)).toBe(0)
  })

  it("of responses is found in their last event", () => {
    const response = { usage: { input_tokens: 7, output_tokens: 3 } }
    const last = `event: response.completed\n${chunk({ type: "response.completed", response })}`
    const { scanner, out } = pass([last], { endings: responsesOperation.stream.endMarkers })
    expect(out).toBe(last)
    expect(scanner).toMatchObject({ tokens, hasTerminator: true })
  })
})

describe("the end", () => {
  it.each([
    ["[DONE]", done, { hasTerminator: true }],
    ["[DONE] without a space", "data:[DONE]\n\n", { hasTerminator: true }],
    ["[DONE] with \\r\\n", "data: [DONE]\r\n\r\n", { hasTerminator: true }],
    ["[DONE] and a comment", `${done}: bye\n\n`, { hasTerminator: true }],
    ["a finish", stop, { hasTerminator: false, hasFinishReason: true }],
    ["a finish and usage", stop + usage, { hasTerminator: false, hasFinishReason: true }],
    [
      "a finish with a space",
      stop.replace('"finish_reason":', '"finish_reason": '),
      { hasFinishReason: true },
    ],
    ["text", delta("x"), { hasTerminator: false, hasFinishReason: false }],
    [
      "text about it",
      delta('data: [DONE] "finish_reason":"stop"'),
      { hasTerminator: false, hasFinishReason: false },
    ],
    ["another choice's text", stop + delta("x"), { hasTerminator: false, hasFinishReason: false }],
    ["a finish, usage and a comment", `${stop + usage}: bye\n\n`, { hasFinishReason: true }],
  ])("is %s", (_name, event, expected) => {
    expect(pass([delta("a"), event]).scanner).toMatchObject(expected)
  })

  it("is a finish though its usage came later by itself", () => {
    expect(pass([delta("a"), stop, usage, ": still here\n\n"]).scanner).toMatchObject({
      hasFinishReason: true,
    })
    expect(pass([stop, delta("more")]).scanner).toMatchObject({ hasFinishReason: false })
  })
})

describe("a stream that is passed on in whole events", () => {
  const { endMarkers } = responsesOperation.stream
  const event = (type: string, more: object = {}) => chunk({ type, ...more })
  const created = event("response.created")
  const completed = event("response.completed")

  it("is the same wherever it is torn", () => {
    const whole = Buffer.from(created + completed)
    for (let at = 0; at < whole.length; at++) {
      const scanner = new SseScanner(endMarkers, "whole_events")
      const first = scanner.push(whole.subarray(0, at)).toString()
      expect(first).toBe(at < created.length ? "" : created)
      expect(scanner.isEventOpen).toBe(false)
      expect(first + scanner.push(whole.subarray(at))).toBe(whole.toString())
      expect(scanner.end()).toHaveLength(0)
    }
  })

  it("passes on a last event without its blank line only if the stream is complete", () => {
    const complete = new SseScanner(endMarkers, "whole_events")
    complete.push(Buffer.from(`${completed}data: [DONE]`))
    expect(complete.end()?.toString()).toBe("data: [DONE]")
    const incomplete = new SseScanner(endMarkers, "whole_events")
    incomplete.push(Buffer.from(created + completed.slice(0, -2)))
    expect(incomplete.end()).toBeNull()
    expect(incomplete.breakOff()).toHaveLength(0)
    expect(incomplete.isEventOpen).toBe(false)
  })

  it("is passed on as it arrives after an event of more than 16 MB", () => {
    const scanner = new SseScanner(endMarkers, "whole_events")
    const piece = Buffer.alloc(1_000_000, "x")
    const start = Buffer.from('data: {"type":"response.completed","text":"')
    const sizes = [start, ...new Array(18).fill(piece)].map((chunk) => scanner.push(chunk).length)
    expect(sizes).toEqual([...new Array(16).fill(0), start.length + 16e6, 1e6, 1e6])
    expect(scanner.isEventOpen).toBe(true)
    expect(scanner.push(Buffer.from('"}\n\ndata: {')).toString()).toBe('"}\n\ndata: {')
    expect(scanner).toMatchObject({ hasTerminator: true, isEventOpen: true })
    expect(scanner.breakOff()).toHaveLength(0)
  })

  it("is complete if an event that is too long to be scanned begins like its end", () => {
    const text = "x".repeat(3_000_000)
    const last = event("response.completed", { response: { text } })
    const scanner = new SseScanner(endMarkers, "whole_events")
    const pieces = (created + last).match(/.{1,65536}/gs) ?? []
    expect(pieces.map((part) => scanner.push(Buffer.from(part))).join("")).toBe(created + last)
    expect(scanner).toMatchObject({ hasTerminator: true, isEventOpen: false })
  })
})

describe("an event larger than any ought to be", () => {
  const huge = delta("x".repeat(3 * 1024 * 1024))
  const pieces = huge.match(/.{1,65536}/gs) ?? []

  it.each([true, false])("is passed on in pieces, hiding usage: %s", (hide) => {
    const { scanner, out, held } = pass([delta("a"), ...pieces, stop, usage, done], { hide })
    expect(out + held).toBe(delta("a") + huge + stop + (hide ? "" : usage) + done)
    expect(scanner).toMatchObject({ tokens, hasTerminator: true, isEventOpen: false })
  })

  it("is the end of a response if it begins like one", () => {
    const last = chunk({ type: "response.completed", response: { text: "x".repeat(3_000_000) } })
    const pieces = [delta("a"), ...(last.match(/.{1,65536}/gs) ?? [])]
    const { scanner } = pass(pieces, { endings: responsesOperation.stream.endMarkers })
    expect(scanner).toMatchObject({ hasTerminator: true, isEventOpen: false })
    const more = pass([...pieces, delta("b"), delta("c")], {
      endings: responsesOperation.stream.endMarkers,
    })
    expect(more.scanner.hasTerminator).toBe(false)
  })

  it("is not kept in memory", () => {
    const scanner = new SseScanner(openaiOperation.stream.endMarkers, "without_usage")
    let out = 0
    for (const piece of pieces) out += scanner.push(Buffer.from(piece)).length
    expect(huge.length - out).toBeLessThan(1.1 * 1024 * 1024)
  })
})
