import { createServer } from "node:http"
import { text } from "node:stream/consumers"
import { listenOnLoopback } from "../harness/ports.ts"

/** An event as it arrived; its signature is not checked. */
export interface ReceivedEvent {
  id: string
  headers: Record<string, string>
  body: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read events as a script would
  payload: any
}

/** Receives webhook events. */
export interface WebhookReceiver {
  url: string
  /** Every attempt, in the order of arrival. */
  received: ReceivedEvent[]
  /** The status of the next responses; 200 at first. */
  respondWith(status: number): void
  close(): Promise<void>
}

export const startWebhookReceiver = async (): Promise<WebhookReceiver> => {
  const received: ReceivedEvent[] = []
  let status = 200
  const server = createServer(async (request, response) => {
    const body = await text(request)
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    )
    received.push({ id: headers["webhook-id"] ?? "", headers, body, payload: JSON.parse(body) })
    response.writeHead(status, status === 302 ? { location: "/other" } : {}).end()
  })
  const port = await listenOnLoopback(server)
  return {
    url: `http://127.0.0.1:${port}/hook?team=1`,
    received,
    respondWith: (next) => {
      status = next
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}
