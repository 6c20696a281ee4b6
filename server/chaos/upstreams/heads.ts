import type { BrokenReply, RightReply } from "./reply.ts"
import { dribbled, head, lastChunk, repeated, typeLine, whole } from "./reply.ts"

const right = (reply: RightReply): Buffer => whole(reply.body, [typeLine(reply)])

/** A valid body with this status line or these header lines. */
const under = (
  name: string,
  expected: BrokenReply["expected"],
  { statusLine, lines = [] }: { statusLine?: string; lines?: string[] },
): BrokenReply => ({
  name,
  expected,
  level: "http",
  steps: (reply) => [whole(reply.body, [typeLine(reply), ...lines], statusLine)],
})

const bytes = (name: string, text: string, ends: BrokenReply["ends"] = "close"): BrokenReply => ({
  name,
  expected: "fails",
  level: "http",
  ends,
  steps: () => [Buffer.from(text, "latin1")],
})

const statusLines: readonly BrokenReply[] = [
  ...["HTTP/1.1 99 Low", "HTTP/1.1 1000 High", "HTTP/1.1 2x0 OK", "HTTP/1.1 -200 OK"].map((line) =>
    under(`the status line "${line}"`, "fails", { statusLine: line }),
  ),
  ...["HTTP/3.0 200 OK", "HTTP/11 200 OK", "http/1.1 200 OK", "ICY 200 OK"].map((line) =>
    under(`the status line "${line}"`, "fails", { statusLine: line }),
  ),
  under("a status line without a reason", "right", { statusLine: "HTTP/1.1 200" }),
  under("a 30 kB reason phrase", "any", { statusLine: `HTTP/1.1 200 ${"O".repeat(30_000)}` }),
  under("a status that nobody has heard of", "fails", { statusLine: "HTTP/1.1 799 Odd" }),
  bytes("an HTTP/0.9 reply", '{"choices":[]}'),
  bytes("a TLS alert", "\x15\x03\x01\x00\x02\x02\x28"),
  bytes("another protocol's greeting", "SSH-2.0-OpenSSH_9.6\r\n", "open"),
  bytes("NUL bytes", "\0".repeat(5000)),
]

const fields: readonly BrokenReply[] = [
  under("a field name with a space", "fails", { lines: ["x odd: 1"] }),
  under("a field without a colon", "fails", { lines: ["nonsense"] }),
  under("a NUL in a field", "fails", { lines: ["x-odd: a\0b"] }),
  under("a folded field", "fails", { lines: ["x-odd: a", " b"] }),
  under("a line feed alone between fields", "fails", { lines: ["x-odd: a\nx-other: b"] }),
  under("a carriage return within a field", "fails", { lines: ["x-odd: a\rb"] }),
  under("bytes above ASCII in a field", "any", { lines: ["x-odd: \u00e9\u{1f600}"] }),
  under("a thousand fields", "any", {
    lines: Array.from({ length: 1000 }, (_, at) => `x-field-${at}: ${at}`),
  }),
  under("the content type twice", "any", { lines: ["content-type: text/html"] }),
  under("a 10 kB content type", "any", { lines: [`content-type: ${"a".repeat(10_000)}/b`] }),
  under("headers of a page and of a proxy", "right", {
    lines: [
      "set-cookie: session=theirs; Path=/",
      "access-control-allow-origin: *",
      "service-worker-allowed: /",
      "x-accel-redirect: /etc/passwd",
      "clear-site-data: *",
      "refresh: 0; url=https://example.com",
    ],
  }),
  under("an encoding that nobody asked for", "any", { lines: ["content-encoding: gzip"] }),
  under("a connection that is to be upgraded", "any", {
    lines: ["connection: upgrade", "upgrade: websocket"],
  }),
]

const longHeads: readonly BrokenReply[] = [
  {
    name: "endless headers",
    expected: "fails",
    level: "http",
    isHeavy: true,
    steps: function* () {
      yield "HTTP/1.1 200 OK\r\n"
      yield* repeated(`x-more: ${"m".repeat(100)}\r\n`, 400_000)
    },
  },
  {
    name: "a 30 MB header field",
    expected: "fails",
    level: "http",
    isHeavy: true,
    steps: function* () {
      yield "HTTP/1.1 200 OK\r\nx-long: "
      yield* repeated("a".repeat(1000), 30_000)
      yield "\r\n\r\n"
    },
  },
  {
    name: "headers sent byte by byte",
    expected: "right",
    level: "http",
    steps: function* (reply) {
      yield* dribbled(head([typeLine(reply), `content-length: ${reply.body.length}`]))
      yield reply.body
    },
  },
  {
    name: "headers that stop without an end",
    expected: "fails",
    level: "http",
    isSilent: true,
    steps: function* () {
      yield "HTTP/1.1 200 OK\r\nx-slow: "
      yield* dribbled("s".repeat(200), { pauseMs: 50 })
    },
  },
  {
    name: "no answer",
    expected: "fails",
    level: "http",
    isSilent: true,
    steps: () => [60_000],
  },
]

const early: readonly BrokenReply[] = [
  {
    name: "100 Continue before the reply",
    expected: "right",
    level: "http",
    steps: (reply) => ["HTTP/1.1 100 Continue\r\n\r\n", right(reply)],
  },
  {
    name: "early hints before the reply",
    expected: "right",
    level: "http",
    steps: (reply) => ["HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n", 5, right(reply)],
  },
  {
    name: "100,000 interim responses",
    expected: "any",
    level: "http",
    isHeavy: true,
    steps: function* (reply) {
      yield* repeated("HTTP/1.1 102 Processing\r\n\r\n", 100_000)
      yield right(reply)
    },
  },
  {
    name: "endless interim responses",
    expected: "fails",
    level: "http",
    isSilent: true,
    steps: function* () {
      for (let times = 0; times < 400; times++) {
        yield "HTTP/1.1 100 Continue\r\n\r\n"
        yield 20
      }
    },
  },
  {
    name: "an unrequested protocol switch",
    expected: "fails",
    level: "http",
    steps: (reply) => [
      "HTTP/1.1 101 Switching Protocols\r\nupgrade: h2c\r\nconnection: upgrade\r\n\r\n",
      right(reply),
    ],
  },
]

const json = "content-type: application/json"
const said = '{"error":{"message":"because of this and that","type":"x","param":null,"code":"c"}}'

const statuses: readonly BrokenReply[] = [
  ...[301, 302, 303, 307, 308].map(
    (status): BrokenReply => ({
      name: `a redirect, ${status}`,
      expected: "fails",
      level: "http",
      steps: (_reply, { trap }) => [
        whole("", [`location: ${trap}`], `HTTP/1.1 ${status} Elsewhere`),
      ],
    }),
  ),
  ...[400, 401, 403, 404, 408, 409, 413, 422, 429, 500, 502, 503, 504].map(
    (status): BrokenReply => ({
      name: `${status} with a JSON error`,
      expected: "fails",
      level: "http",
      steps: () => [whole(said, [json], `HTTP/1.1 ${status} No`)],
    }),
  ),
  ...[404, 500, 503].map(
    (status): BrokenReply => ({
      name: `${status} with an HTML page`,
      expected: "fails",
      level: "http",
      steps: () => [
        whole("<html><h1>Sorry</h1></html>", ["content-type: text/html"], `HTTP/1.1 ${status} No`),
      ],
    }),
  ),
  {
    name: "204 with a body",
    expected: "fails",
    level: "http",
    steps: (reply) => [whole(reply.body, [typeLine(reply)], "HTTP/1.1 204 No Content")],
  },
  {
    name: "304 for an unconditional request",
    expected: "fails",
    level: "http",
    steps: () => [head(['etag: "1"'], "HTTP/1.1 304 Not Modified")],
  },
  {
    name: "500 with a 20 MB body",
    expected: "fails",
    level: "http",
    isHeavy: true,
    steps: function* () {
      yield head([json, "content-length: 20000000"], "HTTP/1.1 500 No")
      yield* repeated("x".repeat(1000), 20_000)
    },
  },
  {
    name: "500 with a truncated body",
    expected: "fails",
    level: "http",
    ends: "close",
    steps: () => [head([json, "content-length: 500"], "HTTP/1.1 500 No"), '{"error":'],
  },
  {
    name: "500 with 100,000 nested brackets",
    expected: "fails",
    level: "http",
    steps: () => [whole("[".repeat(100_000) + "]".repeat(100_000), [json], "HTTP/1.1 500 No")],
  },
  {
    name: "500 with text that databases cannot store",
    expected: "fails",
    level: "http",
    steps: () => [
      whole(
        '{"error":{"message":"no \\u0000 room \\ud800 left","code":"\\u0000"}}',
        [json],
        "HTTP/1.1 500 No",
      ),
    ],
  },
  {
    name: "500 with the message of a full disk",
    expected: "fails",
    level: "http",
    steps: () => [
      whole('{"error":{"message":"database or disk is full"}}', [json], "HTTP/1.1 500 No"),
    ],
  },
  {
    name: "a stream with status 500",
    expected: "fails",
    level: "http",
    steps: (reply) => [
      head(["content-type: text/event-stream", "transfer-encoding: chunked"], "HTTP/1.1 500 No"),
      `${reply.body.length.toString(16)}\r\n`,
      reply.body,
      `\r\n${lastChunk}`,
    ],
  },
]

/** Faults in the status line and the headers. */
export const brokenHeads: readonly BrokenReply[] = [
  ...statusLines,
  ...fields,
  ...longHeads,
  ...early,
  ...statuses,
]
