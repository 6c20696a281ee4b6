import { once } from "node:events"
import { connect } from "node:net"

export interface RawResponse {
  status: number
  headers: string
  body: string
}

/**
 * Sends bytes unchanged, even if they are not valid HTTP, and reads until the server closes the
 * connection or `timeoutMs` have passed.
 */
export const sendRawBytes = async (
  url: string,
  bytes: string | Buffer,
  timeoutMs = 10_000,
): Promise<RawResponse> => {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port) })
  socket.on("error", () => {})
  const chunks: Buffer[] = []
  socket.on("data", (chunk: Buffer) => chunks.push(chunk))
  await once(socket, "connect")
  socket.write(bytes)
  const done = once(socket, "close")
  const timer = setTimeout(() => socket.destroy(), timeoutMs)
  await done
  clearTimeout(timer)
  const text = Buffer.concat(chunks).toString("utf8")
  const [head = "", ...rest] = text.split("\r\n\r\n")
  return {
    status: Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1] ?? 0),
    headers: head.toLowerCase(),
    body: rest.join("\r\n\r\n"),
  }
}

/** Sends a request with any target and headers; the connection closes after the response. */
export const sendRawRequest = (
  url: string,
  { method = "GET", target, headers = [] }: { method?: string; target: string; headers?: string[] },
): Promise<RawResponse> => {
  const lines = [`${method} ${target} HTTP/1.1`, ...headers, "connection: close"]
  if (!headers.some((line) => /^host:/i.test(line))) lines.push(`host: ${new URL(url).host}`)
  return sendRawBytes(url, `${lines.join("\r\n")}\r\n\r\n`)
}
