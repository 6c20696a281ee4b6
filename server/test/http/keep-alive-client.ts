import { once } from "node:events"
import { connect, type Socket } from "node:net"

export interface RawResponse {
  status: number
  headers: Record<string, string>
  body: string
}

/** Decodes a chunked body; null while it is incomplete. */
const decodeChunked = (text: string): { body: string; length: number } | null => {
  let body = ""
  for (let at = 0; ; ) {
    const lineEnd = text.indexOf("\r\n", at)
    if (lineEnd < 0) return null
    const size = Number.parseInt(text.slice(at, lineEnd), 16)
    const next = lineEnd + 2 + size + 2
    if (text.length < next) return null
    if (size === 0) return { body, length: next }
    body += text.slice(lineEnd + 2, lineEnd + 2 + size)
    at = next
  }
}

/** The first response in `text` and its length; null while it is incomplete. */
const parseFirstResponse = (text: string): { reply: RawResponse; length: number } | null => {
  const end = text.indexOf("\r\n\r\n")
  if (end < 0) return null
  const [line = "", ...fields] = text.slice(0, end).split("\r\n")
  const headers = Object.fromEntries(
    fields.map((field) => [
      field.slice(0, field.indexOf(":")).toLowerCase(),
      field.slice(field.indexOf(":") + 1).trim(),
    ]),
  )
  const rest = text.slice(end + 4)
  const contentLength = Number(headers["content-length"] ?? 0)
  const chunked = headers["transfer-encoding"] === "chunked"
  const body = chunked
    ? decodeChunked(rest)
    : rest.length < contentLength
      ? null
      : { body: rest.slice(0, contentLength), length: contentLength }
  if (!body) return null
  const reply = { status: Number(line.split(" ")[1]), headers, body: body.body }
  return { reply, length: end + 4 + body.length }
}

/** A connection on which a test sends bytes unchanged, and reads one response after another. */
export const openKeepAliveClient = async (url: string) => {
  const { hostname, port } = new URL(url)
  const socket: Socket = connect({ host: hostname, port: Number(port), noDelay: true })
  socket.on("error", () => {})
  let text = ""
  let closed = false
  let wake = (): void => {}
  socket.on("data", (chunk: Buffer) => {
    text += chunk.toString("latin1")
    wake()
  })
  socket.on("close", () => {
    closed = true
    wake()
  })
  await once(socket, "connect")
  const waitForData = (): Promise<void> =>
    new Promise((resolve) => {
      wake = resolve
    })
  return {
    socket,
    send: (bytes: string | Buffer): void => void socket.write(bytes),
    /** The next response. @throws if the server closes before it is complete */
    reply: async (): Promise<RawResponse> => {
      for (;;) {
        const found = parseFirstResponse(text)
        if (found) {
          text = text.slice(found.length)
          return found.reply
        }
        if (closed) throw new Error(`closed after ${JSON.stringify(text)}`)
        await waitForData()
      }
    },
    untilClosed: async (): Promise<string> => {
      while (!closed) await waitForData()
      return text
    },
  }
}
export type RawClient = Awaited<ReturnType<typeof openKeepAliveClient>>
