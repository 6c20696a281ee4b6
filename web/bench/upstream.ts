import { createServer, type ServerResponse } from "node:http"
import { text } from "node:stream/consumers"
import { setTimeout as wait } from "node:timers/promises"
import { listenOnLoopback } from "../../server/test/harness/ports.ts"
import { createSampleAnswer } from "./sample-answer.ts"

const formatChunk = (content: string): string => {
  const choices = [{ index: 0, delta: { content }, finish_reason: null }]
  const head = { id: "c", object: "chat.completion.chunk", created: 1, model: "essay" }
  return `data: ${JSON.stringify({ ...head, choices })}\n\n`
}

/** Keeps the average rate: tokens that a late timer missed are sent together. */
const streamTokens = async (response: ServerResponse, count: number, perSecond: number) => {
  const tokens = createSampleAnswer(count)
  const started = performance.now()
  for (let sent = 0; sent < tokens.length && !response.destroyed; ) {
    const due = Math.floor(((performance.now() - started) / 1000) * perSecond) + 1
    for (const text of tokens.slice(sent, due)) response.write(formatChunk(text))
    sent = Math.max(sent, Math.min(due, tokens.length))
    await wait(1000 / perSecond)
  }
  response.end("data: [DONE]\n\n")
}

/** A 200 kB answer in 20 seconds. */
const long = { count: 50_000, perSecond: 2500 }

/**
 * A provider that streams an essay, token by token, at a constant rate: its model `essay` as
 * requested, and `long-essay` 200 kB.
 */
export const startUpstream = async (count: number, perSecond: number) => {
  const server = createServer((request, response) => {
    if (request.url?.endsWith("/models")) {
      request.resume()
      response.setHeader("content-type", "application/json")
      response.end(
        JSON.stringify({
          object: "list",
          data: ["essay", "long-essay"].map((id) => ({ id, object: "model" })),
        }),
      )
      return
    }
    void text(request).then((body) => {
      response.writeHead(200, { "content-type": "text/event-stream" })
      const { model } = JSON.parse(body)
      const rate = model === "long-essay" ? long : { count, perSecond }
      return streamTokens(response, rate.count, rate.perSecond)
    })
  })
  const port = await listenOnLoopback(server)
  return {
    url: `http://127.0.0.1:${port}/v1`,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
