import type { BrokenReply, RightReply } from "./reply.ts"
import { head, repeated, typeLine, whole } from "./reply.ts"

/** A well-framed reply of the right content type with this body instead of the valid one. */
const instead = (
  name: string,
  body: Buffer | string | ((reply: RightReply) => Buffer | string),
  expected: BrokenReply["expected"] = "fails",
): BrokenReply => ({
  name,
  expected,
  level: "content",
  forms: ["json"],
  steps: (reply) => [whole(typeof body === "function" ? body(reply) : body, [typeLine(reply)])],
})

const typed = (
  name: string,
  type: string | null,
  expected: BrokenReply["expected"] = "any",
): BrokenReply => ({
  name,
  expected,
  level: "content",
  forms: ["json", "events", "lines"],
  steps: (reply) => [whole(reply.body, type === null ? [] : [`content-type: ${type}`])],
})

const nested = (levels: number): string => "[".repeat(levels) + "]".repeat(levels)

const odd: readonly (readonly [name: string, body: string])[] = [
  ["nothing", ""],
  ["white space", " \n\t "],
  ["null", "null"],
  ["a list", "[]"],
  ["a string", '"text"'],
  ["a number", "1e400"],
  ["a word", "undefined"],
  ["the message of a full disk", "database or disk is full"],
  ["single quotes", "{'choices':[]}"],
  ["half an object", '{"choices":[{"message":{"content":"ha'],
  ["two objects", '{"a":1}{"b":2}'],
  ["NUL bytes", "\0\0\0\0"],
  ["an HTML page", "<!doctype html><title>Sign in</title>"],
  ["100,000 nested brackets", nested(100_000)],
  ["100,000 nested objects", '{"a":'.repeat(100_000)],
  ["an empty object", "{}"],
  [
    "null for every field",
    '{"choices":null,"data":null,"models":null,"results":null,"document":null}',
  ],
  ["lists of null", '{"choices":[null],"data":[null],"models":[null],"results":[null]}'],
  ["lists of lists", '{"choices":[[]],"data":[[]],"models":[[]],"results":[[]]}'],
  ["objects instead of lists", '{"choices":{},"data":{},"models":{},"results":{},"document":[]}'],
  [
    "empty objects in lists",
    '{"choices":[{}],"data":[{}],"models":[{}],"results":[{}],"document":{}}',
  ],
  [
    "numbers instead of objects",
    '{"choices":[7],"data":[7],"models":[7],"results":[7],"document":7}',
  ],
  [
    "malformed messages",
    '{"choices":[{"index":-1,"message":[],"finish_reason":{}}],"usage":[],"data":[{"embedding":"AAAA","index":-1}],"results":[{"index":-1,"relevance_score":null}]}',
  ],
  [
    "unusual numbers",
    '{"choices":[{"index":4294967295,"message":{"content":1e999}}],"usage":{"prompt_tokens":-5,"completion_tokens":1e308},"data":[{"embedding":[1e999,-1e999],"index":4294967295}],"results":[{"index":4294967295,"relevance_score":1e999}]}',
  ],
  [
    "prototype pollution",
    '{"__proto__":{"choices":[1]},"constructor":{"prototype":{"x":1}},"choices":[{"message":{"__proto__":{"content":"x"}}}],"data":[{"__proto__":{"id":"x"}}]}',
  ],
  ["an error object", '{"error":{"message":"no room left in the model","code":"x"}}'],
  ["an error that is a number", '{"error":7}'],
  ["an error that is a list", '{"error":[["x"]]}'],
]

const bodies: readonly BrokenReply[] = [
  ...odd.map(([name, body]) => instead(`${name} instead of JSON`, body, "any")),
  instead(
    "invalid UTF-8 in JSON",
    Buffer.from('{"choices":[{"message":{"content":"\xff\xfe\xc0"}}]}', "latin1"),
    "any",
  ),
  instead(
    "lone surrogates in JSON",
    '{"choices":[{"message":{"content":"\\ud800"},"finish_reason":"\\udfff"}],"data":[{"id":"\\ud800"}]}',
    "any",
  ),
  instead(
    "NUL in the text",
    '{"choices":[{"message":{"content":"a\\u0000b"}}],"data":[{"id":"a\\u0000b"}]}',
    "any",
  ),
  instead("a byte order mark before JSON", ({ body }) => `\ufeff${body}`, "any"),
  instead("UTF-16 for JSON", ({ body }) => Buffer.from(body.toString(), "utf16le"), "any"),
  instead("white space around JSON", ({ body }) => `\r\n\t ${body} \n`, "right"),
  instead(
    "100,000 choices",
    () => {
      const many = Array.from({ length: 100_000 }, (_, index) => `{"index":${index}}`).join()
      return `{"choices":[${many}],"data":[${many}],"models":[${many}],"results":[${many}]}`
    },
    "any",
  ),
  {
    name: "a 40 MB text",
    expected: "any",
    level: "content",
    forms: ["json"],
    isHeavy: true,
    steps: function* (reply) {
      const before = '{"choices":[{"message":{"content":"'
      const after = '"}}]}'
      const length = before.length + after.length + 40_000_000
      yield head([typeLine(reply), `content-length: ${length}`]) + before
      yield* repeated("long text ".repeat(100), 40_000)
      yield after
    },
  },
  {
    name: "an endless body",
    expected: "fails",
    level: "content",
    forms: ["json"],
    isHeavy: true,
    ends: "reset",
    steps: function* (reply) {
      yield `${head([typeLine(reply)])}{"choices":[`
      yield* repeated('{"index":0},', 8_000_000)
    },
  },
]

const types: readonly BrokenReply[] = [
  typed("a page by its type", "text/html"),
  typed("bytes by their type", "application/octet-stream"),
  typed("plain text by its type", "text/plain"),
  typed("no type", null),
  typed("an empty type", ""),
  typed("a type in capitals", "APPLICATION/JSON; CHARSET=UTF-8"),
  typed("a type that is none", ";;; =,\t"),
  {
    name: "a stream instead of a JSON reply",
    expected: "any",
    level: "content",
    forms: ["json"],
    steps: ({ body }) => [
      whole(`data: ${body}\n\ndata: [DONE]\n\n`, ["content-type: text/event-stream"]),
    ],
  },
  {
    name: "a JSON reply instead of a stream",
    expected: "any",
    level: "content",
    forms: ["events", "lines"],
    steps: () => [
      whole('{"choices":[{"index":0,"message":{"role":"assistant","content":"whole"}}]}', [
        "content-type: application/json",
      ]),
    ],
  },
]

/** Faults in the content of well-framed replies. */
export const brokenBodies: readonly BrokenReply[] = [...bodies, ...types]
