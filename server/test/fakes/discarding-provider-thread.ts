import { createServer } from "node:http"
import { parentPort } from "node:worker_threads"
import { listenOnLoopback } from "../harness/ports.ts"

/** Offers `gpt-fake` for chat completions, discards request bodies, and replies with their size. */
const server = createServer((incoming, outgoing) => {
  let bytes = 0
  incoming.on("data", (chunk: Buffer) => {
    bytes += chunk.length
  })
  incoming.on("end", () => {
    if (incoming.url?.endsWith("/responses")) {
      outgoing.writeHead(404, { "content-type": "application/json" }).end("{}")
      return
    }
    const isList = incoming.method === "GET"
    const message = { role: "assistant", content: String(bytes) }
    const reply = isList
      ? { object: "list", data: [{ id: "gpt-fake", object: "model", created: 1, owned_by: "x" }] }
      : {
          choices: [{ index: 0, message, finish_reason: "stop" }],
          usage: { prompt_tokens: 1, completion_tokens: 1 },
        }
    outgoing.setHeader("content-type", "application/json").end(JSON.stringify(reply))
  })
})
parentPort?.postMessage(await listenOnLoopback(server))
