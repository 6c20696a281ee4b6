import { randomUUID } from "node:crypto"
import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from "node:http"
import type { Duplex } from "node:stream"
import { RequestError } from "@hono/node-server"
import { Failure } from "../errors.ts"
import { errorBody, errorResponse, toFailure } from "./failure-response.ts"
import { privateHeaders } from "./private-headers.ts"

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
  for (const [name, value] of Object.entries(privateHeaders)) response.headers.set(name, value)
  return response
}

/** Several Host headers must be rejected (RFC 9112 §3.2): parsers disagree on which one counts. */
export const rejectDuplicateHost = (outgoing: ServerResponse): void => {
  const body = errorBody(
    style,
    new Failure("bad_request", "A request must have exactly one Host header."),
  )
  outgoing.writeHead(400, {
    ...privateHeaders,
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

/** A complete HTTP response, for a socket without a request; it closes the connection. */
export const formatRejection = (failure: Failure, status: number = failure.status): string => {
  const body = errorBody(style, failure)
  const headers = {
    ...privateHeaders,
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
    ...failure.details.headers,
    connection: "close",
  }
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${fields.join("")}\r\n${body}`
}

const malformed = { status: 400, message: "Malformed HTTP request." }
const rejectionByCode: Record<string, typeof malformed> = {
  HPE_HEADER_OVERFLOW: {
    status: 431,
    message: "Request headers are too large (maximum 16 KB).",
  },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, message: "The request took too long to arrive." },
}

const sendRejection = (socket: Duplex, code: string | undefined): void => {
  if (!socket.writable) return void socket.destroy()
  const { status, message } = (code && rejectionByCode[code]) || malformed
  const headers = { "x-request-id": randomUUID() }
  socket.end(formatRejection(new Failure("bad_request", message, { headers }), status))
}

/** Whether a rejection may be sent now, after the last response, or never. */
const turnOf = (last: ServerResponse | undefined, socket: Duplex): "now" | "later" | "never" => {
  if (!last || last.writableFinished) return "now"
  if (last.req.complete) return "later"
  // The body of the last request is malformed. Its response has begun or must wait for others.
  return last.headersSent || last.socket !== socket ? "never" : "now"
}

/**
 * Responds to requests that Node's parser rejects, and closes the connection. Responses to earlier
 * requests of the connection are completed first (RFC 9112 §9.3.2).
 */
export const respondToParseErrors = (server: Server): void => {
  const lastResponses = new WeakMap<Duplex, ServerResponse>()
  const rejected = new WeakSet<Duplex>()
  server.on("request", (incoming, outgoing) => void lastResponses.set(incoming.socket, outgoing))
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy()
    // The parser reports the following bytes too.
    if (rejected.has(socket)) return
    rejected.add(socket)
    const last = lastResponses.get(socket)
    const turn = turnOf(last, socket)
    if (turn === "never") socket.destroy()
    else if (turn === "now") sendRejection(socket, error.code)
    else last?.once("close", () => sendRejection(socket, error.code))
  })
}
