// The other end of the connections, in a thread of its own: a server, or a client that sends load.
import { parentPort } from "node:worker_threads"
import { createClient } from "../src/client.ts"
import { listenOnLoopback } from "../test/listen.ts"
import { createNodeServer, repeat, requestOnce } from "./requests.ts"

const sendLoad = async (port: number, total: number): Promise<void> => {
  const client = createClient(`http://127.0.0.1:${port}`, { connect: 5, firstByte: 30, idle: 30 })
  await repeat(() => requestOnce(client), total)
  client.close()
}

parentPort?.on("message", async ({ port, total }: { port: number | null; total: number }) => {
  if (port === null) parentPort?.postMessage(await listenOnLoopback(createNodeServer()))
  else parentPort?.postMessage(await sendLoad(port, total))
})
