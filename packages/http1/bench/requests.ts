import { once } from "node:events"
import { createServer, type Server } from "node:http"
import type { Transport } from "../src/transport.ts"

/** Small messages like those of a chat: a question and a short answer. */
export const question = Buffer.from(
  JSON.stringify({ model: "any", messages: [{ role: "user", content: "How do bees dance?" }] }),
)
export const answer = Buffer.from(JSON.stringify({ answer: "In figures of eight. ".repeat(20) }))
export const path = "/v1/chat/completions"

/** Answers every request with Node's server. */
export const createNodeServer = (): Server =>
  createServer(async (incoming, outgoing) => {
    incoming.resume()
    await once(incoming, "end")
    outgoing.writeHead(200, { "content-length": answer.length }).end(answer)
  })

export const requestOnce = (client: Transport): Promise<void> =>
  new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json" }
    client.send(
      { method: "POST", path, headers, body: question },
      {
        onHead: () => {},
        onData: () => true,
        onEnd: resolve,
        onError: reject,
        onListenerError: reject,
      },
    )
  })

/** Repeats `work` until it ran `total` times, with at most `concurrency` at once. */
export const repeat = async (
  work: () => Promise<void>,
  total: number,
  concurrency = 32,
): Promise<void> => {
  let started = 0
  const loop = async (): Promise<void> => {
    while (started < total) {
      started++
      await work()
    }
  }
  await Promise.all(Array.from({ length: concurrency }, loop))
}
