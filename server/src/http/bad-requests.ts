import { randomUUID } from "node:crypto"
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import { RequestError } from "@hono/node-server"
import { Failure } from "../errors.ts"
import { errorBody, errorResponse, toFailure } from "./errors.ts"

/** Error style for requests that match no route: the one most clients understand. */
const style = "openai"

/** Response to a request whose target or Host header does not form a valid URL. */
export const unroutableResponse = (error: unknown): Response => {
  const failure =
    error instanceof RequestError
      ? new Failure("bad_request", "Invalid request path or Host header.")
      : toFailure(error)
  const response = errorResponse(style, failure)
  response.headers.set("x-request-id", randomUUID())
  return response
}

/** Several Host headers must be rejected (RFC 9112 §3.2): parsers disagree on which one counts. */
export const rejectDuplicateHost = (outgoing: ServerResponse): void => {
  const body = errorBody(
    style,
    new Failure("bad_request", "A request must have exactly one Host header."),
  )
  outgoing.writeHead(400, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
    "x-request-id": randomUUID(),
    connection: "close",
  })
  outgoing.end(body)
}

export const hasDuplicateHost = ({ rawHeaders }: IncomingMessage): boolean => {
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? ""
    if (name.length === 4 && name.toLowerCase() === "host") hosts++
  }
  return hosts > 1
}

const tooLong = "Request headers are too large (maximum 16 KB)."
const notHttp = "Malformed HTTP request."

/** Responds to requests that Node's parser rejects, and closes the connection. */
export const respondToParseErrors = (server: Server): void => {
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy()
    const isLong = error.code === "HPE_HEADER_OVERFLOW"
    const body = errorBody(style, new Failure("bad_request", isLong ? tooLong : notHttp))
    const head = [
      `HTTP/1.1 ${isLong ? "431 Request Header Fields Too Large" : "400 Bad Request"}`,
      "content-type: application/json",
      `content-length: ${Buffer.byteLength(body)}`,
      `x-request-id: ${randomUUID()}`,
      "connection: close",
    ]
    socket.end(`${head.join("\r\n")}\r\n\r\n${body}`)
  })
}
