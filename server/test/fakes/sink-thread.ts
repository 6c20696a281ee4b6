import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { parentPort } from "node:worker_threads"

/** Offers `gpt-fake`, takes any body without a look at it, and says how many bytes it had. */
const server = createServer((incoming, outgoing) => {
  let bytes = 0
  incoming.on("data", (chunk: Buffer) => {
    bytes += chunk.length
  })
  incoming.on("end", () => {
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
server.listen(0, "127.0.0.1", () => {
  parentPort?.postMessage((server.address() as AddressInfo).port)
})
