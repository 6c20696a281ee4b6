import type { BrokenReply, RightReply } from "./reply.ts"
import { chunk, chunkedHead, lastChunk, repeated } from "./reply.ts"

const event = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`
const delta = (fields: unknown): string => event({ choices: [{ index: 0, delta: fields }] })
const finish = event({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] })
const done = "data: [DONE]\n\n"

const streamed = (
  name: string,
  expected: BrokenReply["expected"],
  text: (reply: RightReply) => Buffer | string,
): BrokenReply => ({
  name,
  expected,
  level: "content",
  forms: ["events"],
  steps: (reply) => [chunkedHead(reply), chunk(text(reply)), lastChunk],
})

/** A valid stream preceded by this text. */
const before = (
  name: string,
  expected: BrokenReply["expected"],
  text: Buffer | string,
): BrokenReply => streamed(name, expected, ({ body }) => Buffer.concat([Buffer.from(text), body]))

/** A valid stream followed by this text. */
const delayed = (name: string, text: string): BrokenReply =>
  streamed(name, "right", ({ body }) => Buffer.concat([body, Buffer.from(text)]))

const junk: readonly BrokenReply[] = [
  before("an event that is no JSON", "any", "data: {oops\n\n"),
  before("an event that is null", "any", "data: null\n\n"),
  before("an event that is a list", "any", "data: []\n\n"),
  before("an event that is a word", "any", 'data: "x"\n\n'),
  before("an event that is empty", "any", "data:\n\n"),
  before("an event of another kind", "any", "event: ping\nid: 7\nretry: 1\ndata: {}\n\n"),
  before("ten thousand comments", "right", ": still here\n\n".repeat(10_000)),
  before("a hundred thousand blank lines", "right", "\n".repeat(100_000)),
  before("lines of no field", "any", "nonsense\nmore: nonsense\n\n"),
  before("a byte order mark", "right", "\ufeff"),
  before("an event of 100,000 nested brackets", "any", `data: ${"[".repeat(100_000)}\n\n`),
  before("choices that are null", "any", event({ choices: null })),
  before("a choice that is null", "any", event({ choices: [null] })),
  before("a delta that is null", "any", delta(null)),
  before("a delta that is a list", "any", delta([1, 2])),
  before("content that is a number", "any", delta({ content: 7 })),
  before("content that is an object", "any", delta({ content: { a: 1 } })),
  before("content that is a list", "any", delta({ content: [null, 1, { text: [] }] })),
  before("malformed tool calls", "any", delta({ tool_calls: [null, 7, { index: -1 }, {}] })),
  before("a call of a tool far away", "any", delta({ tool_calls: [{ index: 4294967295 }] })),
  before("a choice far away", "any", event({ choices: [{ index: 4294967295, delta: {} }] })),
  before(
    "prototype pollution",
    "any",
    'data: {"__proto__":{"x":1},"choices":[{"delta":{"__proto__":{"content":"y"}}}]}\n\n',
  ),
  before(
    "malformed usage",
    "any",
    event({ choices: [], usage: { prompt_tokens: -1, completion_tokens: "many" } }),
  ),
  before("a text with NUL", "any", delta({ content: "a\u0000b" })),
  before("a lone surrogate", "any", 'data: {"choices":[{"delta":{"content":"\\ud800"}}]}\n\n'),
  before("invalid UTF-8", "any", Buffer.from("data: \xff\xfe\n\n", "latin1")),
  delayed("nonsense behind the end", "data: {oops\n\n"),
  delayed("the end twice", done),
  delayed("more text behind the end", delta({ content: "more" })),
  delayed("half an event behind the end", 'data: {"choices":[{"del'),
]

const whole: readonly BrokenReply[] = [
  streamed("an end and nothing else", "any", () => done),
  streamed("a stream of nothing", "fails", () => "\n"),
  streamed("comments alone", "fails", () => ": nothing\n\n".repeat(100)),
  streamed("text without an end", "fails", () => delta({ content: "half" })),
  streamed(
    "an error within the stream",
    "any",
    () => delta({ content: "half" }) + event({ error: { message: "no room left in the model" } }),
  ),
  streamed("an error that is a word", "any", () => event({ error: "no" }) + done),
  streamed("bytes that are no text", "fails", () => Buffer.alloc(5000, 0xff)),
  streamed("carriage returns for line ends", "any", ({ body }) =>
    body.toString().replaceAll("\n", "\r"),
  ),
  streamed("both for line ends", "right", ({ body }) => body.toString().replaceAll("\n", "\r\n")),
  streamed("no blank line behind the end", "right", ({ body }) =>
    body.subarray(0, body.length - 2),
  ),
  streamed("an end without the word for it", "any", ({ body }) =>
    body.toString().replace(done, ""),
  ),
  streamed("UTF-16", "fails", ({ body }) => Buffer.from(body.toString(), "utf16le")),
  {
    name: "a stream sent byte by byte",
    expected: "right",
    level: "content",
    forms: ["events"],
    steps: function* (reply) {
      yield chunkedHead(reply)
      for (const byte of reply.body) yield chunk(Buffer.of(byte))
      yield lastChunk
    },
  },
  {
    name: "a 30 MB line",
    expected: "fails",
    level: "content",
    forms: ["events"],
    isHeavy: true,
    steps: function* (reply) {
      yield chunkedHead(reply)
      yield `${(30_000_006).toString(16)}\r\ndata: `
      yield* repeated("a".repeat(1000), 30_000)
      yield `\r\n${lastChunk}`
    },
  },
  {
    name: "an event of 1,000,000 lines",
    expected: "any",
    level: "content",
    forms: ["events"],
    isHeavy: true,
    steps: function* (reply) {
      const line = "data: a\n"
      yield chunkedHead(reply)
      yield `${(line.length * 1_000_000).toString(16)}\r\n`
      yield* repeated(line, 1_000_000)
      yield `\r\n${lastChunk}`
    },
  },
  {
    name: "50,000 events in one chunk",
    expected: "any",
    level: "content",
    forms: ["events"],
    isHeavy: true,
    steps: function* (reply) {
      const piece = delta({ content: "a" })
      yield chunkedHead(reply)
      yield `${(piece.length * 50_000).toString(16)}\r\n`
      yield* repeated(piece, 50_000)
      yield "\r\n"
      yield chunk(finish + done)
      yield lastChunk
    },
  },
]

/** Faults in the content of event streams. */
export const brokenStreams: readonly BrokenReply[] = [...junk, ...whole]
