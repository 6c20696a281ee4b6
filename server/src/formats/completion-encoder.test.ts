import { describe, expect, it } from "vitest"
import {
  chunksOf,
  convertStream,
  createMessageConverter,
  everyCut,
  formatEvents,
  readMessageStream,
} from "../../test/messages/message-stream.ts"
import type { Fields } from "./json-values.ts"

const toMessage = (deltas: readonly object[], finish_reason?: string): Fields =>
  readMessageStream(
    convertStream(createMessageConverter, [
      Buffer.from(formatEvents(chunksOf(deltas, finish_reason))),
    ]),
  )

const contentOf = (deltas: readonly object[]): unknown => toMessage(deltas).content

const text = (content: string) => ({ type: "text", text: content })
const use = (id: string, name: string, input: object) => ({ type: "tool_use", id, name, input })
/** A delta with a piece of a tool call. */
const call = (index: number | undefined, fields: object, id?: string) => ({
  tool_calls: [{ index, id, function: fields }],
})
const args = (piece: unknown) => ({ arguments: piece })

/** Ids are random, unless they come from Anthropic. */
const withoutId = ({ id: _id, ...message }: Fields): Fields => message

describe("a stream of chat completions converted to messages", () => {
  const usage = {
    prompt_tokens: 9,
    completion_tokens: 4,
    prompt_tokens_details: { cached_tokens: 5 },
  }
  const deltas = [
    { role: "assistant", content: "" },
    { reasoning_content: "Schön, " },
    { reasoning: "ja 🐝." },
    { reasoning_details: [{ type: "reasoning.text", signature: "c2ln" }] },
    { content: "Ich " },
    { content: "sehe 👀." },
    call(0, { name: "weather", arguments: "" }, "call_1"),
    call(0, args('{"city":"Li')),
    call(1, { name: "now", arguments: "" }, "call_2"),
    call(0, args('ma \\"ñ\\""}')),
  ]
  const stream = formatEvents([
    ...chunksOf(deltas, "tool_calls"),
    { id: "c", model: "m", choices: [], usage },
  ])

  it("is the same for every place where it is cut", () => {
    const whole = convertStream(createMessageConverter, [Buffer.from(stream)])
    const expected = withoutId(readMessageStream(whole))
    expect(expected).toMatchObject({
      content: [
        { type: "thinking", thinking: "Schön, ja 🐝.", signature: "c2ln" },
        text("Ich sehe 👀."),
        use("call_1", "weather", { city: 'Lima "ñ"' }),
        use("call_2", "now", {}),
      ],
      stop_reason: "tool_use",
      usage: { input_tokens: 4, cache_read_input_tokens: 5, output_tokens: 4 },
    })
    for (const chunks of everyCut(stream)) {
      const message = readMessageStream(convertStream(createMessageConverter, chunks))
      expect(withoutId(message)).toEqual(expected)
    }
  })

  it.each<[string, object[], object[]]>([
    [
      "alternate",
      [
        call(0, { name: "a", arguments: '{"x' }, "1"),
        call(1, { name: "b", arguments: '{"y"' }, "2"),
        call(0, args('":[1')),
        call(1, args(":{")),
        call(0, args(',"]"]}')),
        call(1, args('"z":"}"}}')),
      ],
      [use("1", "a", { x: [1, "]"] }), use("2", "b", { y: { z: "}" } })],
    ],
    [
      "share one delta",
      [
        {
          tool_calls: [
            { index: 0, id: "1", function: { name: "a", arguments: '{"x":1}' } },
            { index: 1, id: "2", function: { name: "b", arguments: '{"x":2}' } },
          ],
        },
      ],
      [use("1", "a", { x: 1 }), use("2", "b", { x: 2 })],
    ],
    [
      "end in reverse order",
      [
        call(0, { name: "a", arguments: "{" }, "1"),
        call(1, { name: "b", arguments: "{" }, "2"),
        call(2, { name: "c", arguments: "{" }, "3"),
        call(2, args('"x":3}')),
        call(1, args('"x":2}')),
        call(0, args('"x":1}')),
      ],
      [use("1", "a", { x: 1 }), use("2", "b", { x: 2 }), use("3", "c", { x: 3 })],
    ],
    [
      "have the same index and different ids",
      [
        call(0, { name: "a", arguments: '{"x":1}' }, "1"),
        call(0, { name: "b", arguments: '{"x":' }, "2"),
        call(0, args("2}")),
      ],
      [use("1", "a", { x: 1 }), use("2", "b", { x: 2 })],
    ],
    [
      "have no index",
      [
        call(undefined, { name: "a", arguments: '{"x":' }, "1"),
        call(undefined, args("1}")),
        call(undefined, { name: "a", arguments: '{"x":2}' }, "2"),
      ],
      [use("1", "a", { x: 1 }), use("2", "a", { x: 2 })],
    ],
    [
      "repeat their id and name with each piece",
      [
        call(0, { name: "a", arguments: '{"x":' }, "1"),
        call(0, { name: "a", arguments: "1}" }, "1"),
      ],
      [use("1", "a", { x: 1 })],
    ],
    [
      "have objects as arguments",
      [call(0, { name: "a", arguments: { x: { y: 1 } } }, "1"), call(1, { name: "b" }, "2")],
      [use("1", "a", { x: { y: 1 } }), use("2", "b", {})],
    ],
    [
      "have no arguments, and others follow",
      [
        call(0, { name: "a", arguments: "" }, "1"),
        call(1, { name: "b", arguments: '{"x":1}' }, "2"),
        { content: "Done." },
      ],
      [use("1", "a", {}), use("2", "b", { x: 1 }), text("Done.")],
    ],
    [
      "have text between them",
      [
        { content: "One" },
        call(0, { name: "a", arguments: '{"x":' }, "1"),
        { content: "Two" },
        call(0, args("1}")),
        { content: " three" },
        call(1, { name: "b", arguments: "{}" }, "2"),
        { content: "Four" },
      ],
      [text("One"), use("1", "a", { x: 1 }), text("Two three"), use("2", "b", {}), text("Four")],
    ],
    [
      "come with reasoning and text in one delta",
      [
        {
          ...{ reasoning_content: "Hm", content: "Yes" },
          tool_calls: [{ index: 0, id: "1", function: { name: "a", arguments: "{}" } }],
        },
      ],
      [{ type: "thinking", thinking: "Hm", signature: "" }, text("Yes"), use("1", "a", {})],
    ],
  ])("keeps tool calls apart that %s", (_what, deltas, content) => {
    expect(contentOf(deltas)).toEqual(content)
  })

  it("has ids for calls without one", () => {
    const content = contentOf([call(0, { name: "a", arguments: "{}" })])
    expect(content).toEqual([use(expect.stringMatching(/^call_/), "a", {})])
  })

  it("has one block per signature", () => {
    const sign = (signature: string) => ({
      reasoning_details: [{ type: "reasoning.text", signature }],
    })
    const hide = { reasoning_details: [{ type: "reasoning.encrypted", data: "b3Blbg==" }] }
    const content = contentOf([
      { reasoning_content: "One." },
      sign("1"),
      { reasoning_content: "Two." },
      sign("2"),
      sign("3"),
      hide,
      { reasoning_content: "Four." },
      { content: "Done." },
    ])
    expect(content).toEqual([
      { type: "thinking", thinking: "One.", signature: "1" },
      { type: "thinking", thinking: "Two.", signature: "2" },
      { type: "thinking", thinking: "", signature: "3" },
      { type: "redacted_thinking", data: "b3Blbg==" },
      { type: "thinking", thinking: "Four.", signature: "" },
      text("Done."),
    ])
  })

  it("has no blocks if the answer is empty", () => {
    expect(toMessage([])).toMatchObject({ content: [], stop_reason: "end_turn" })
    expect(toMessage([{ content: "" }], "length")).toMatchObject({ stop_reason: "max_tokens" })
  })

  it("ends once, whatever follows", () => {
    const more = formatEvents(chunksOf([{ content: "More" }]))
    const converted = convertStream(createMessageConverter, [
      Buffer.from(formatEvents(chunksOf([{ content: "Hi" }])) + more),
    ])
    expect(readMessageStream(converted)).toMatchObject({ content: [text("Hi")] })
    const start = `data: ${JSON.stringify({ id: "c", model: "m", choices: [] })}\n\n`
    const error = 'data: {"error":{"message":"Broken","code":529}}\n\n'
    const failed = convertStream(createMessageConverter, [Buffer.from(start + error + more)])
    expect(failed.match(/^event: \w+$/gm)).toEqual(["event: message_start", "event: error"])
    expect(failed).toContain('{"type":"overloaded_error","message":"Broken"}')
  })

  it("ignores choices other than the first", () => {
    const chunks = chunksOf([{ content: "Hi" }])
    const second = { choices: [{ index: 1, delta: { content: "Ho" }, finish_reason: "length" }] }
    const converted = convertStream(createMessageConverter, [
      Buffer.from(formatEvents([second, ...chunks])),
    ])
    expect(readMessageStream(converted)).toMatchObject({
      content: [text("Hi")],
      stop_reason: "end_turn",
    })
  })

  it("takes time that is linear in the number of waiting tool calls", () => {
    const timeOf = (calls: number): number => {
      const deltas = Array.from({ length: calls }, (_, index) =>
        call(index, { name: "x", arguments: "{" }, `call_${index}`),
      )
      const bytes = Buffer.from(formatEvents(chunksOf(deltas, "length")))
      const started = performance.now()
      convertStream(createMessageConverter, [bytes])
      return performance.now() - started
    }
    timeOf(5000)
    const short = Math.max(timeOf(6000), timeOf(6000))
    // 60,000 took 100 times as long as 6,000 when each removal copied the rest.
    expect(timeOf(60_000)).toBeLessThan(50 * short)
  })
})
