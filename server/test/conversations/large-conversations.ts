import { once } from "node:events"
import { connect, type Socket } from "node:net"
import { expect, vi } from "vitest"
import type { ApiResponse } from "../harness/test-gateway-process.ts"

export const createMessage = (id: number, fields: object = {}) => ({
  id: `m${id}`,
  parent_id: id === 0 ? null : `m${id - 1}`,
  role: id % 2 === 0 ? "user" : "assistant",
  content: `message ${id}`,
  created_at: 1,
  ...fields,
})
export const createExport = (messages: object[], fields: object = {}) => ({
  title: "Large",
  created_at: 1,
  updated_at: 1,
  messages,
  ...fields,
})
export const createMessages = (count: number, fields: (n: number) => object) =>
  Array.from({ length: count }, (_, n) => createMessage(n, fields(n)))

export type ApiCall = (
  method: string,
  path: string,
  body?: unknown,
) => Promise<Pick<ApiResponse, "status" | "body">>

export const importChat = async (call: ApiCall, imported: object): Promise<string> => {
  const { status, body } = await call("POST", "/api/v1/chats/import", { chats: [imported] })
  if (status !== 200) throw new Error(JSON.stringify(body))
  return body.ids[0]
}

/** Sends a request and reads only the first bytes of the response. */
export const requestWithoutReading = async (
  url: string,
  path: string,
  key: string,
): Promise<Socket> => {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port) })
  socket.on("error", () => {})
  await once(socket, "connect")
  socket.pause()
  socket.write(`GET ${path} HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: Bearer ${key}\r\n\r\n`)
  await vi.waitFor(() => expect(socket.bytesRead).toBeGreaterThan(0), { timeout: 10_000 })
  return socket
}

/** Reads an event stream until its snapshot is complete. */
export const readSnapshot = async (response: Response): Promise<string> => {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  const chunks: string[] = []
  while (!chunks.slice(-2).join("").includes('"has_more":false}\n\n')) {
    const chunk = await reader?.read()
    if (!chunk || chunk.done) throw new Error("The stream ended before its snapshot was complete")
    chunks.push(chunk.value)
  }
  await reader?.cancel()
  return chunks.join("")
}
