import { createServer, type Server, type ServerResponse } from "node:http"
import { afterEach, beforeEach, expect, it } from "vitest"
import { respondToParseErrors } from "../../src/http/bad-requests.ts"
import { listenOnLoopback } from "../harness/ports.ts"
import { sendRawBytes } from "../harness/raw-http.ts"

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`
const chunkedPost = "POST / HTTP/1.1\r\nHost: localhost\r\ntransfer-encoding: chunked\r\n\r\n"

let server: Server
let url: string
let responses: ServerResponse[]
/** Called with each response. */
let answer: (outgoing: ServerResponse) => void

beforeEach(async () => {
  responses = []
  server = createServer({ connectionsCheckingInterval: 20 }, (_, outgoing) => {
    responses.push(outgoing)
    answer(outgoing)
  })
  server.headersTimeout = 100
  respondToParseErrors(server)
  url = `http://127.0.0.1:${await listenOnLoopback(server)}`
})
afterEach(() => {
  server.closeAllConnections()
  server.close()
})

const ignore = (): void => {}
/** Sends the response in two parts, the second long after the headers timeout. */
const answerSlowly = (outgoing: ServerResponse): void => {
  outgoing.writeHead(200, { "content-length": "10" }).write("first")
  setTimeout(() => outgoing.end("-last"), 400)
}
const statuses = (text: string): string[] =>
  [...text.matchAll(/HTTP\/1\.1 (\d+)/gi)].map(([, status = ""]) => status)

it("answers 408 if the head takes too long to arrive", async () => {
  answer = ignore
  const { status, body } = await sendRawBytes(url, "GET / HTTP/1.1\r\nHost: localhost\r\n")
  expect(status).toBe(408)
  expect(JSON.parse(body)).toMatchObject({ error: { code: "bad_request" } })
})

it.each([
  ["a malformed request", "GARBAGE\r\n\r\n", "400"],
  ["a head that takes too long", "GET / HTTP/1.1\r\n", "408"],
])("completes a response in progress before it rejects %s", async (_name, next, status) => {
  answer = answerSlowly
  const { headers, body } = await sendRawBytes(url, get("/") + next)
  expect(statuses(`${headers}\r\n\r\n${body}`)).toEqual(["200", status])
  expect(body).toMatch(/^first-lastHTTP\/1\.1 4/)
  expect(body).toContain("connection: close")
})

it("completes pipelined responses that have not begun", async () => {
  answer = (outgoing) => {
    setTimeout(() => outgoing.end("ok"), 100)
  }
  const { headers, body } = await sendRawBytes(url, `${get("/")}${get("/")}GARBAGE\r\n\r\n`)
  expect(statuses(`${headers}\r\n\r\n${body}`)).toEqual(["200", "200", "400"])
})

it("rejects a malformed body at once, although its request is in progress", async () => {
  answer = ignore
  expect((await sendRawBytes(url, `${chunkedPost}nonsense\r\n`)).status).toBe(400)
})

it("closes the connection if the body is malformed and the response has begun", async () => {
  answer = answerSlowly
  const { status, body } = await sendRawBytes(url, `${chunkedPost}nonsense\r\n`)
  expect([0, 200]).toContain(status)
  expect(body).not.toContain("HTTP/1.1")
})

it("closes the connection if a malformed body follows a request in progress", async () => {
  answer = ignore
  const { status } = await sendRawBytes(url, `${get("/")}${chunkedPost}nonsense\r\n`)
  expect(status).toBe(0)
  expect(responses).toHaveLength(2)
})
