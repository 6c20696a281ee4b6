import { once } from "node:events"
import { connect } from "node:net"
import { waitForEarlierRequests } from "../harness/earlier-requests.ts"
import type { TestGateway } from "../harness/gateway.ts"

/**
 * Sends the headers and first byte of a request, and the rest of its body on demand, like a slow
 * client.
 */
export const sendIncompleteRequest = async (
  gateway: Pick<TestGateway, "url">,
  { path, body, key }: { path: string; body: unknown; key: string },
) => {
  const { hostname, port } = new URL(gateway.url)
  const socket = connect({ host: hostname, port: Number(port) })
  let reply = ""
  socket.setEncoding("utf8").on("data", (text: string) => {
    reply += text
  })
  await once(socket, "connect")
  const text = JSON.stringify(body)
  const lines = [
    `POST ${path} HTTP/1.1`,
    `host: ${hostname}`,
    `authorization: Bearer ${key}`,
    `content-length: ${Buffer.byteLength(text)}`,
    "connection: close",
  ]
  socket.write(`${lines.join("\r\n")}\r\n\r\n${text.slice(0, 1)}`)
  await waitForEarlierRequests(gateway, key)
  return {
    /** @returns the status of the reply */
    finish: async (): Promise<number> => {
      const closed = once(socket, "close")
      socket.write(text.slice(1))
      await closed
      return Number(/^HTTP\/1\.1 (\d+)/.exec(reply)?.[1])
    },
  }
}
