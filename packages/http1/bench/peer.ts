// The other end of the connections, in a thread of its own: a server, or a client that sends load.
import { once } from "node:events"
import { createServer } from "node:http"
import { parentPort } from "node:worker_threads"
import { createClient } from "../src/client.ts"
import { listenOnLoopback } from "../test/listen.ts"
import { answer, repeat, requestOnce } from "./requests.ts"

const serve = async (): Promise<number> => {
  const server = createServer(async (incoming, outgoing) => {
    incoming.resume()
    await once(incoming, "end")
    outgoing.writeHead(200, { "content-length": answer.length }).end(answer)
  })
  return listenOnLoopback(server)
}

const sendLoad = async (port: number, total: number): Promise<void> => {
  const client = createClient(`http://127.0.0.1:${port}`, { connect: 5, firstByte: 30, idle: 30 })
  await repeat(() => requestOnce(client), total)
  client.close()
}

parentPort?.on("message", async ({ port, total }: { port: number | null; total: number }) => {
  if (port === null) parentPort?.postMessage(await serve())
  else parentPort?.postMessage(await sendLoad(port, total))
})
