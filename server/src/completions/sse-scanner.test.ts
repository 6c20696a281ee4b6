import { describe, expect, it } from "vitest"
import { openaiStream } from "./operations/openai-stream.ts"
import { responsesOperation } from "./operations/responses.ts"
import { SseScanner } from "./sse-scanner.ts"

const chunk = (fields: object, ending = "\n\n") => `data: ${JSON.stringify(fields)}${ending}`
const delta = (content: string, more: object = {}) =>
  chunk({ choices: [{ index: 0, delta: { content }, finish_reason: null }], ...more })
const stop = chunk({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] })
const counts = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 }
const usage = chunk({ choices: [], usage: counts })
const done = "data: [DONE]\n\n"
const tokens = { tokens_in: 7, tokens_out: 3 }

/** Pushes the pieces through a scanner and returns its output. */
const pass = (
  pieces: (string | Buffer)[],
  { hide = false, endings = openaiStream.endMarkers } = {},
) => {
  const scanner = new SseScanner(endings, hide)
  const out = pieces.map((piece) => Buffer.from(scanner.push(Buffer.from(piece))))
  const held = scanner.takeRemainder()
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
      expect({ hasTerminator: scanner.hasTerminator, isFrameOpen: scanner.isFrameOpen }).toEqual({
        hasTerminator: true,
        isFrameOpen: false,
      })
    }
  })

  it("is the same byte for byte where usage was asked for", () => {
    const whole = Buffer.from(talk + stop + usage + done)
    for (let at = 0; at <= whole.length; at++) {
      const { scanner, out, held } = pass([whole.subarray(0, at), whole.subarray(at)])
      expect(out).toBe(whole.toString())
      expect(held).toBe("")
      expect(scanner).toMatchObject({ tokens, hasTerminator: true, isFrameOpen: false })
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
      expect(torn.scanner.isFrameOpen).toBe(true)
      expect(pass([talk + stop.slice(0, at)]).scanner.isFrameOpen).toBe(true)
    }
    expect(pass([talk, stop]).scanner.isFrameOpen).toBe(false)
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
  ])("%s", (_name, frame, shown, expected) => {
    const { scanner, out } = pass([delta("a") + frame + done], { hide: true })
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
    const scanner = new SseScanner(openaiStream.endMarkers, true)
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
  ])("is %s", (_name, frame, expected) => {
    expect(pass([delta("a"), frame]).scanner).toMatchObject(expected)
  })

  it("is a finish though its usage came later by itself", () => {
    expect(pass([delta("a"), stop, usage, ": still here\n\n"]).scanner).toMatchObject({
      hasFinishReason: true,
    })
    expect(pass([stop, delta("more")]).scanner).toMatchObject({ hasFinishReason: false })
  })
})

describe("a frame larger than any ought to be", () => {
  const huge = delta("x".repeat(3 * 1024 * 1024))
  const pieces = huge.match(/.{1,65536}/gs) ?? []

  it.each([true, false])("is passed on in pieces, hiding usage: %s", (hide) => {
    const { scanner, out, held } = pass([delta("a"), ...pieces, stop, usage, done], { hide })
    expect(out + held).toBe(delta("a") + huge + stop + (hide ? "" : usage) + done)
    expect(scanner).toMatchObject({ tokens, hasTerminator: true, isFrameOpen: false })
  })

  it("is the end of a response if it begins like one", () => {
    const last = chunk({ type: "response.completed", response: { text: "x".repeat(3_000_000) } })
    const pieces = [delta("a"), ...(last.match(/.{1,65536}/gs) ?? [])]
    const { scanner } = pass(pieces, { endings: responsesOperation.stream.endMarkers })
    expect(scanner).toMatchObject({ hasTerminator: true, isFrameOpen: false })
    const more = pass([...pieces, delta("b"), delta("c")], {
      endings: responsesOperation.stream.endMarkers,
    })
    expect(more.scanner.hasTerminator).toBe(false)
  })

  it("is not kept in memory", () => {
    const scanner = new SseScanner(openaiStream.endMarkers, true)
    let out = 0
    for (const piece of pieces) out += scanner.push(Buffer.from(piece)).length
    expect(huge.length - out).toBeLessThan(1.1 * 1024 * 1024)
  })
})
