import { describe, expect, it } from "vitest"
import { MalformedHttpError } from "./malformed-http-error.ts"
import { ResponseParser } from "./response-parser.ts"

interface Seen {
  status: number
  headers: string[]
  body: string
  ended: number
}

const reading = (hasNoBody = false) => {
  const seen: Seen = { status: 0, headers: [], body: "", ended: 0 }
  const parser = new ResponseParser({
    onHead: (status, rawHeaders) => Object.assign(seen, { status, headers: rawHeaders }),
    onData: (chunk) => {
      seen.body += chunk.toString("latin1")
    },
    onEnd: () => {
      seen.ended++
    },
  })
  parser.expect(hasNoBody)
  return { seen, parser }
}

const replies: Record<string, { text: string; status: number; body: string; reusable: boolean }> = {
  "a counted body": {
    text: "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello",
    ...{ status: 200, body: "hello", reusable: true },
  },
  "an empty body": {
    text: "HTTP/1.1 500 \r\ncontent-length: 0\r\n\r\n",
    ...{ status: 500, body: "", reusable: true },
  },
  "no reason phrase": {
    text: "HTTP/1.1 204\r\n\r\n",
    ...{ status: 204, body: "", reusable: true },
  },
  "interim responses before the final one": {
    text: "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\n!",
    ...{ status: 200, body: "!", reusable: true },
  },
  "a chunked body": {
    text: "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n1;name=value\r\n \r\n00A\r\n0123456789\r\n0\r\n\r\n",
    ...{ status: 200, body: "hello 0123456789", reusable: true },
  },
  "a chunked body with a trailer": {
    text: "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n1\r\na\r\n0\r\nx-sum: 1\r\nx-more: 2\r\n\r\n",
    ...{ status: 200, body: "a", reusable: true },
  },
  "a body after which the connection closes": {
    text: "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nhi",
    ...{ status: 200, body: "hi", reusable: false },
  },
  "HTTP/1.0": {
    text: "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nhi",
    ...{ status: 200, body: "hi", reusable: false },
  },
  "HTTP/1.0 with keep-alive": {
    text: "HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\nContent-Length: 2\r\n\r\nhi",
    ...{ status: 200, body: "hi", reusable: true },
  },
  "chunk extensions": {
    text: 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2;a;b=c;d="e; \\"f"\r\nhi\r\n0;z\r\n\r\n',
    ...{ status: 200, body: "hi", reusable: true },
  },
  "the nonstandard Proxy-Connection": {
    text: "HTTP/1.1 200 OK\r\nProxy-Connection: close\r\nContent-Length: 2\r\n\r\nhi",
    ...{ status: 200, body: "hi", reusable: false },
  },
}

describe("response parser", () => {
  it.each(Object.entries(replies))("parses %s, split at any byte", (_name, reply) => {
    const bytes = Buffer.from(reply.text, "latin1")
    for (let size = 1; size <= bytes.length; size++) {
      const { seen, parser } = reading()
      for (let at = 0; at < bytes.length; at += size) {
        // The connection reuses its read buffer, so earlier bytes are overwritten.
        const read = Buffer.from(bytes.subarray(at, at + size))
        parser.push(read)
        read.fill(0x58)
      }
      expect(seen).toMatchObject({ status: reply.status, body: reply.body, ended: 1 })
      expect(parser.isReusable).toBe(reply.reusable)
    }
  })

  it("reads a body without a length until the connection closes", () => {
    const { seen, parser } = reading()
    parser.push(Buffer.from("HTTP/1.1 200 OK\r\n\r\nsome"))
    parser.push(Buffer.from(" more"))
    expect(seen).toMatchObject({ body: "some more", ended: 0 })
    expect(parser.finish()).toBe(true)
    expect(seen.ended).toBe(1)
    expect(parser.isReusable).toBe(false)
  })

  it("detects a response truncated by the end of the connection", () => {
    for (const text of [
      "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf",
      "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhel",
      "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n",
      "HTTP/1.1 200",
    ]) {
      const { seen, parser } = reading()
      parser.push(Buffer.from(text))
      expect(parser.finish()).toBe(false)
      expect(seen.ended).toBe(0)
    }
  })

  it("expects no body after HEAD or for 304", () => {
    const head = reading(true)
    head.parser.push(Buffer.from("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n"))
    expect(head.seen.ended).toBe(1)
    const unchanged = reading()
    unchanged.parser.push(Buffer.from("HTTP/1.1 304 Not Modified\r\ncontent-length: 100\r\n\r\n"))
    expect(unchanged.seen.ended).toBe(1)
  })

  it("parses consecutive responses", () => {
    const { seen, parser } = reading()
    for (const body of ["one", "two", "six"]) {
      seen.body = ""
      parser.push(Buffer.from(`HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\n${body}`))
      expect(seen.body).toBe(body)
      parser.expect(false)
    }
    expect(seen.ended).toBe(3)
  })

  it("preserves the names, values and order of headers", () => {
    const { seen, parser } = reading()
    parser.push(
      Buffer.from("HTTP/1.1 204 x\r\nB-One: 1\r\na-Two:\t two, three \r\nB-One:\r\n\r\n", "latin1"),
    )
    expect(seen.headers).toEqual(["B-One", "1", "a-Two", "two, three", "B-One", ""])
  })

  it("reads the keep-alive timeout in seconds", () => {
    const { parser } = reading()
    parser.push(Buffer.from("HTTP/1.1 204 x\r\nKeep-Alive: timeout=7, max=5\r\n\r\n"))
    expect(parser.keepAliveSeconds).toBe(7)
  })

  it.each([
    ["another protocol", "SSH-2.0-OpenSSH_9.2\r\n\r\n"],
    ["the first bytes of another protocol", "SSH"],
    ["an unrequested protocol switch", "HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\n\r\n"],
    ["an invalid status", "HTTP/1.1 20 OK\r\n\r\n"],
    ["a line without a colon", "HTTP/1.1 200 OK\r\nnonsense\r\n\r\n"],
    ["a space before the colon", "HTTP/1.1 200 OK\r\ncontent-length : 3\r\n\r\nabc"],
    ["a folded line", "HTTP/1.1 200 OK\r\nx-a: 1\r\n b: 2\r\n\r\n"],
    ["a bare line feed in a value", "HTTP/1.1 200 OK\r\nx-a: 1\nx-b: 2\r\n\r\n"],
    ["U+0000 in a value", "HTTP/1.1 200 OK\r\nx-a: \u0000\r\n\r\n"],
    [
      "two different lengths",
      "HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab",
    ],
    ["the same length twice", "HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 1\r\n\r\na"],
    ["a length after a line feed", "HTTP/1.1 200 OK\r\nContent-Length:\n0\r\n\r\n"],
    ["a length before a form feed", "HTTP/1.1 200 OK\r\nContent-Length: 0\f\r\n\r\n"],
    ["a length before a tab", "HTTP/1.1 200 OK\r\nContent-Length: 0\t\r\n\r\n"],
    ["a length for a response without a body", "HTTP/1.1 204 x\r\ncontent-length: 1\r\n\r\na"],
    [
      "an interim response without a final one",
      "HTTP/1.1 103 x\r\nconnection: close\r\n\r\nHTTP/1.1 204 x\r\n\r\n",
    ],
    ...[
      ...["\u000bchunked", "chunked\u00a0", "gzip, chunked", "chunked, gzip", "identity", ""],
      ...["chunked, chunked", "chunked\t", "chunked\t  "],
    ].map((coding): [string, string] => [
      `the transfer coding ${JSON.stringify(coding)}`,
      `HTTP/1.1 200 OK\r\nTransfer-Encoding: ${coding}\r\n\r\n0\r\n\r\n`,
    ]),
    ...[
      ...["5\rX\nhello\r\n0\r\n\r\n", "5;a\nhello\r\n0\r\n\r\n", "5\nhello\r\n0\r\n\r\n"],
      ...["5 \r\nhello\r\n0\r\n\r\n", "5;\r\nhello\r\n0\r\n\r\n", "5;a b\r\nhello\r\n0\r\n\r\n"],
      ...['5;a="\r\nhello\r\n0\r\n\r\n', "5\r\nhello\n0\r\n\r\n", "0\r\n\n", "0\r\n\rX"],
      ...["0\r\nany text\r\n\r\n", "0\r\nx: 1\n\r\n", "0\r\nx : 1\r\n\r\n", "0\r\n x: 1\r\n\r\n"],
      ...[
        "0\r\nx: \u0000\r\n\r\n",
        "0\r\nContent-Length: 5\r\n\r\n",
        "0\r\nConnection: close\r\n\r\n",
      ],
    ].map((body): [string, string] => [
      `the chunked body ${JSON.stringify(body)}`,
      `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${body}`,
    ]),
    ["a list of lengths", "HTTP/1.1 200 OK\r\ncontent-length: 2, 2\r\n\r\nab"],
    ["a signed length", "HTTP/1.1 200 OK\r\ncontent-length: +2\r\n\r\nab"],
    [
      "a length together with a transfer coding",
      "HTTP/1.1 200 OK\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
    ],
    ["a chunk without a size", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n\r\n\r\n"],
    [
      "an invalid chunk size",
      "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0x5\r\nhello\r\n",
    ],
    [
      "a chunk size above 2^52",
      "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nfffffffffffffff\r\n",
    ],
    [
      "a chunk longer than its size",
      "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nabc\r\n",
    ],
    [
      "data after the declared length",
      "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhiHTTP/1.1 200 OK\r\n\r\n",
    ],
    [
      "data after the last chunk",
      "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\nHTTP/1.1 200 OK\r\n\r\n",
    ],
    ["an oversized head", `HTTP/1.1 200 OK\r\nx: ${"y".repeat(70_000)}`],
    [
      "an oversized trailer",
      `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\nx: ${"y".repeat(20_000)}`,
    ],
  ])("rejects %s", (_name, text) => {
    const { parser } = reading()
    expect(() => parser.push(Buffer.from(text, "latin1"))).toThrow(MalformedHttpError)
  })

  it("does not reuse a connection whose keep-alive token has extra characters", () => {
    const { parser } = reading()
    parser.push(Buffer.from("HTTP/1.0 204 x\r\nConnection: keep-alive\u00a0\r\n\r\n", "latin1"))
    expect(parser.isReusable).toBe(false)
  })

  it("rejects bytes received when no response is expected", () => {
    const { parser } = reading()
    parser.push(Buffer.from("HTTP/1.1 204 x\r\n\r\n"))
    expect(() => parser.push(Buffer.from("HTTP/1.1 408 Timeout\r\n\r\n"))).toThrow(
      MalformedHttpError,
    )
  })
})
