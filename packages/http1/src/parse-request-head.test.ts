import { describe, expect, it } from "vitest"
import { parseRequestHead } from "./parse-request-head.ts"

const first = "POST /v1/chat/completions HTTP/1.1"
const fields = ["Host: here", "Authorization: Bearer sk-1", "Content-Length: 2"]
const request = (lines: readonly string[], body = "{}"): Buffer =>
  Buffer.from(`${lines.join("\r\n")}\r\n\r\n${body}`, "latin1")
const read = (bytes: Buffer) =>
  parseRequestHead(bytes, (target) => (target === "POST /v1/chat/completions" ? "chat" : undefined))

describe("the head of a simple request", () => {
  it.each(["here", "HERE.example:8080", "127.0.0.1:1", "[::1]:8080", "[2001:db8::1]", "a_b"])(
    "may name the host %s",
    (host) => {
      expect(read(request([first, `host: ${host}`, "content-length: 2"]))).toMatchObject({
        headers: { host },
      })
    },
  )

  it("is parsed into lower-case names and trimmed values", () => {
    const bytes = request([
      first,
      ...fields,
      "X-Odd: \t a b\t ",
      "connection: Keep-Alive",
      "x-none:",
    ])
    const head = read(bytes)
    expect(head).toMatchObject({
      route: "chat",
      method: "POST",
      url: "/v1/chat/completions",
      bodyLength: 2,
      bodyOffset: bytes.length - 2,
    })
    expect({ ...head?.headers }).toEqual({
      host: "here",
      authorization: "Bearer sk-1",
      "content-length": "2",
      "x-odd": "a b",
      connection: "Keep-Alive",
      "x-none": "",
    })
  })

  it("is looked up by method and target before the rest is parsed", () => {
    let requested = ""
    parseRequestHead(request(["GET /health HTTP/1.1", ...fields]), (target) => {
      requested = target
      return undefined
    })
    expect(requested).toBe("GET /health")
  })

  it.each([
    ["is incomplete", request([first, ...fields]).subarray(0, -4)],
    ["names another target", request(["POST /v1/models HTTP/1.1", ...fields])],
    ["uses HTTP/1.0", request(["POST /v1/chat/completions HTTP/1.0", ...fields])],
    ["uses HTTP/1.11", request([`${first}1`, ...fields])],
    ["has two spaces", request(["POST  /v1/chat/completions HTTP/1.1", ...fields])],
    ["has no host", request([first, "content-length: 2"])],
    ["has an invalid host", request([first, "host: a b", "content-length: 2"])],
    ["has two hosts in one", request([first, "host: here,there", "content-length: 2"])],
    ["has no length", request([first, "host: here"])],
    ["has two lengths", request([first, ...fields, "content-length: 2"])],
    ["has a negative length", request([first, "host: here", "content-length: -2"])],
    ["has a hexadecimal length", request([first, "host: here", "content-length: 0x2"])],
    ["has a list of lengths", request([first, "host: here", "content-length: 2, 2"])],
    ["has a length with a sign", request([first, "host: here", "content-length: +2"])],
    ["is chunked", request([first, ...fields, "transfer-encoding: chunked"])],
    ["expects 100 Continue", request([first, ...fields, "expect: 100-continue"])],
    ["requests a protocol upgrade", request([first, ...fields, "upgrade: websocket"])],
    ["closes the connection", request([first, ...fields, "connection: close"])],
    [
      "lists connection-specific headers",
      request([first, ...fields, "connection: keep-alive, x-a"]),
    ],
    ["closes it with Proxy-Connection", request([first, ...fields, "Proxy-Connection: close"])],
    ["repeats a header", request([first, ...fields, "x-a: 1", "X-A: 2"])],
    ["repeats the credential", request([first, ...fields, "authorization: Bearer sk-2"])],
    ["has a space before a colon", request([first, ...fields, "x-a : 1"])],
    ["has a folded header", request([first, ...fields, "x-a: 1", " 2"])],
    ["has an invalid name", request([first, ...fields, "x a: 1"])],
    ["has a line without a colon", request([first, ...fields, "x-a"])],
    ["has an empty name", request([first, ...fields, ": 1"])],
    ["has a lone line feed", request([first, ...fields, "x-a: 1\nx-b: 2"])],
    ["has a lone carriage return", request([first, ...fields, "x-a: 1\rx-b: 2"])],
    ["has a NUL", request([first, ...fields, "x-a: 1\u00002"])],
    ["is not ASCII", request([first, ...fields, "x-a: \u00e9"])],
    ["is longer than 16 kB", request([first, ...fields, `x-a: ${"a".repeat(17_000)}`])],
  ])("is left to Node's parser when it %s", (_, bytes) => {
    expect(read(bytes)).toBeNull()
  })

  it("is parsed in linear time with long runs of spaces", () => {
    const bytes = request([first, ...fields, `x-a: ${" \t".repeat(7500)}\u00e9`])
    const before = process.threadCpuUsage()
    for (let round = 0; round < 100; round++) read(bytes)
    expect(process.threadCpuUsage(before).user / 1000).toBeLessThan(500)
  })
})
