import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { pipeline } from "node:stream/promises"
import { parentPort } from "node:worker_threads"
import { listenOnLoopback } from "../harness/ports.ts"
import { chatStreams, messageStreams } from "./large-streams.ts"

const modelsOf = (incoming: IncomingMessage): string[] =>
  Object.keys(incoming.headers["anthropic-version"] ? messageStreams : chatStreams)

const bodyOf = async (incoming: IncomingMessage): Promise<{ model: string }> =>
  JSON.parse(Buffer.concat(await incoming.toArray()).toString("utf8"))

const minPieceLength = 64 * 1024

/** Joins small events, so that the provider does not write each one by itself. */
const joinEvents = function* (events: Iterable<string>): Generator<string> {
  let piece = ""
  for (const event of events) {
    piece += event
    if (piece.length < minPieceLength) continue
    yield piece
    piece = ""
  }
  yield piece
}

const stream = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
  const { model } = await bodyOf(incoming)
  const events = (incoming.url?.endsWith("/messages") ? messageStreams : chatStreams)[model]
  if (!events || incoming.url?.endsWith("/responses")) {
    outgoing.writeHead(404, { "content-type": "application/json" }).end("{}")
    return
  }
  outgoing.setHeader("content-type", "text/event-stream")
  // Fails if the gateway disconnects, as it does when a stream is too long.
  await pipeline(joinEvents(events()), outgoing).catch(() => {})
}

/** A provider whose models are names of large streams. */
const server = createServer((incoming, outgoing) => {
  if (incoming.method === "GET") {
    const data = modelsOf(incoming).map((id) => ({
      id,
      type: "model",
      object: "model",
      created: 1,
    }))
    outgoing
      .setHeader("content-type", "application/json")
      .end(JSON.stringify({ data, has_more: false }))
  } else void stream(incoming, outgoing)
})
parentPort?.postMessage(await listenOnLoopback(server))
