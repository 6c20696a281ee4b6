import type { BrokenReply, RightReply } from "./reply.ts"
import {
  chunk,
  chunkedHead,
  dribbled,
  head,
  lastChunk,
  repeated,
  typeLine,
  whole,
} from "./reply.ts"

const middle = ({ body }: RightReply): number => Math.floor(body.length / 2)

/** A valid body with these framing headers. */
const framed = (
  name: string,
  expected: BrokenReply["expected"],
  lines: (reply: RightReply) => readonly string[],
  ends: BrokenReply["ends"] = "close",
): BrokenReply => ({
  name,
  expected,
  level: "http",
  ends,
  steps: (reply) => [head([typeLine(reply), ...lines(reply)]), reply.body],
})

const lengths: readonly BrokenReply[] = [
  framed("a length that is a byte too long, and a close", "fails", ({ body }) => [
    `content-length: ${body.length + 1}`,
  ]),
  {
    ...framed(
      "a length one byte too long, then silence",
      "fails",
      ({ body }) => [`content-length: ${body.length + 1}`],
      "open",
    ),
    isSilent: true,
  },
  framed(
    "a length that is too short by four bytes",
    "any",
    ({ body }) => [`content-length: ${Math.max(0, body.length - 4)}`],
    "open",
  ),
  framed("two lengths", "fails", ({ body }) => [
    `content-length: ${body.length}`,
    `content-length: ${body.length + 1}`,
  ]),
  framed("a negative length", "fails", () => ["content-length: -1"]),
  framed("a length with a sign", "fails", ({ body }) => [`content-length: +${body.length}`]),
  framed("a length in hexadecimal", "fails", ({ body }) => [
    `content-length: 0x${body.length.toString(16)}`,
  ]),
  framed("a length of forty digits", "fails", () => [`content-length: ${"9".repeat(40)}`]),
  framed("a list of lengths", "fails", ({ body }) => [
    `content-length: ${body.length}, ${body.length}`,
  ]),
  framed("no length, and a close", "right", () => []),
  framed("HTTP/1.0 without a length", "any", () => ["connection: close"]),
  framed("a length and chunks", "fails", ({ body }) => [
    `content-length: ${body.length}`,
    "transfer-encoding: chunked",
  ]),
  framed("chunks that are not the last coding", "any", () => [
    "transfer-encoding: chunked, identity",
  ]),
  framed("a coding that nobody knows", "any", () => ["transfer-encoding: zstd"]),
  {
    name: "a missing body",
    expected: "fails",
    level: "http",
    ends: "close",
    steps: (reply) => [head([typeLine(reply), "content-length: 5"])],
  },
]

/** A chunked reply that ends with these pieces. */
const chunked = (
  name: string,
  expected: BrokenReply["expected"],
  steps: (reply: RightReply) => Iterable<Buffer | string | number>,
  ends: BrokenReply["ends"] = "close",
): BrokenReply => ({
  name,
  expected,
  level: "http",
  ends,
  steps: function* (reply) {
    yield chunkedHead(reply)
    yield* steps(reply)
  },
})

const chunks: readonly BrokenReply[] = [
  chunked("chunks without the last one", "fails", ({ body }) => [chunk(body)]),
  chunked("a chunk that is cut", "fails", ({ body }) => [
    `${body.length.toString(16)}\r\n`,
    body.subarray(0, body.length - 3),
  ]),
  chunked("a chunk size that is no number", "fails", ({ body }) => ["xyz\r\n", body, lastChunk]),
  chunked("a chunk size beyond all numbers", "fails", ({ body }) => [
    `${"f".repeat(20)}\r\n`,
    body,
  ]),
  chunked("a negative chunk size", "fails", ({ body }) => ["-5\r\n", body, lastChunk]),
  chunked("a chunk that is longer than it says", "fails", ({ body }) => [
    `${(body.length - 2).toString(16)}\r\n`,
    body,
    `\r\n${lastChunk}`,
  ]),
  chunked("line feeds alone between chunks", "fails", ({ body }) => [
    `${body.length.toString(16)}\n`,
    body,
    "\n0\n\n",
  ]),
  chunked(
    "a 40 kB chunk extension",
    "any",
    ({ body }) => [
      `${body.length.toString(16)};x=${"e".repeat(40_000)}\r\n`,
      body,
      `\r\n${lastChunk}`,
    ],
    "open",
  ),
  chunked(
    "a chunk extension",
    "right",
    ({ body }) => [`${body.length.toString(16)};name=value\r\n`, body, `\r\n${lastChunk}`],
    "open",
  ),
  chunked(
    "one-byte chunks",
    "right",
    function* ({ body }) {
      for (const byte of body) yield chunk(Buffer.of(byte))
      yield lastChunk
    },
    "open",
  ),
  chunked(
    "trailers",
    "right",
    ({ body }) => [chunk(body), "0\r\nx-checksum: 1\r\nset-cookie: a=b\r\n\r\n"],
    "open",
  ),
  {
    ...chunked("trailers without end", "fails", function* ({ body }) {
      yield chunk(body)
      yield "0\r\n"
      yield* repeated(`x-trailer: ${"t".repeat(100)}\r\n`, 200_000)
    }),
    isHeavy: true,
  },
  chunked("a trailer that is none", "fails", ({ body }) => [
    chunk(body),
    "0\r\nno colon here\r\n\r\n",
  ]),
]

const ends: readonly BrokenReply[] = [
  {
    name: "a close before the first byte",
    expected: "fails",
    level: "http",
    ends: "close",
    steps: () => [],
  },
  {
    name: "a reset before the first byte",
    expected: "fails",
    level: "http",
    ends: "reset",
    steps: () => [],
  },
  {
    name: "a close within the headers",
    expected: "fails",
    level: "http",
    ends: "close",
    steps: () => ["HTTP/1.1 200 OK\r\ncontent-ty"],
  },
  {
    name: "a reset within the headers",
    expected: "fails",
    level: "http",
    ends: "reset",
    steps: () => ["HTTP/1.1 200 OK\r\ncontent-ty", 10],
  },
  ...(["close", "reset"] as const).map(
    (ends): BrokenReply => ({
      name: `a ${ends} in the middle of the body`,
      expected: "fails",
      level: "http",
      ends,
      steps: (reply) => [
        head([typeLine(reply), `content-length: ${reply.body.length}`]),
        reply.body.subarray(0, middle(reply)),
        20,
      ],
    }),
  ),
  chunked(
    "a reset between two chunks",
    "fails",
    (reply) => [chunk(reply.body.subarray(0, middle(reply))), 20],
    "reset",
  ),
  {
    ...chunked("silence between two chunks", "fails", (reply) => [
      chunk(reply.body.subarray(0, middle(reply))),
      60_000,
    ]),
    isSilent: true,
  },
  {
    name: "a body sent five bytes at a time",
    expected: "right",
    level: "http",
    steps: function* (reply) {
      yield head([typeLine(reply), `content-length: ${reply.body.length}`])
      yield* dribbled(reply.body, { size: 5, pauseMs: 1 })
    },
  },
]

const right = (reply: RightReply): Buffer => whole(reply.body, [typeLine(reply)])
const smuggled = whole('{"choices":[{"message":{"content":"smuggled"}}]}', [
  "content-type: application/json",
])

/** Unexpected bytes outside the reply. */
const late: readonly BrokenReply[] = [
  {
    name: "a second reply in the same packet",
    expected: "any",
    level: "http",
    steps: (reply) => [Buffer.concat([right(reply), smuggled])],
  },
  {
    name: "a second reply shortly after",
    expected: "right",
    level: "http",
    steps: (reply) => [right(reply), 15, smuggled],
  },
  {
    name: "garbage after the reply",
    expected: "any",
    level: "http",
    steps: (reply) => [Buffer.concat([right(reply), Buffer.from("\r\n\r\nnonsense")])],
  },
  {
    name: "a reply sent before the request",
    expected: "right",
    level: "http",
    steps: (reply) => [right(reply), 15, "HTTP/1.1 200 OK\r\ncontent-le"],
  },
  {
    name: "a close after a keep-alive reply",
    expected: "right",
    level: "http",
    ends: "close",
    steps: (reply) => [right(reply), 10],
  },
  {
    name: "a megabyte after the last chunk",
    expected: "any",
    level: "http",
    steps: function* (reply) {
      yield chunkedHead(reply)
      yield chunk(reply.body)
      yield lastChunk
      yield* repeated("x".repeat(1000), 1000)
    },
  },
]

/** Faults in the length of a reply, at its end, and after it. */
export const brokenFraming: readonly BrokenReply[] = [...lengths, ...chunks, ...ends, ...late]
