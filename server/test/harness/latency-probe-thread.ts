import { Agent, createServer, get } from "node:http"
import { setTimeout as delay } from "node:timers/promises"
import { parentPort, workerData } from "node:worker_threads"
import { listenOnLoopback } from "./ports.ts"

const probeIntervalMs = 5
const agent = new Agent({ keepAlive: true })
let isStopped = false

const measureResponseMs = (url: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const since = performance.now()
    get(url, { agent }, (reply) => {
      reply.resume().on("end", () => resolve(performance.now() - since))
    }).on("error", reject)
  })

const measureMaxMs = async (url: string): Promise<number> => {
  let longest = 0
  while (!isStopped) {
    longest = Math.max(longest, await measureResponseMs(url))
    await delay(probeIntervalMs)
  }
  return longest
}

const control = createServer((_incoming, outgoing) => outgoing.end("{}"))
const port = await listenOnLoopback(control)
const controlUrl = `http://127.0.0.1:${port}/`
const gatewayUrl = `${workerData.url}/health`
for (let n = 0; n < 20; n++)
  await Promise.all([measureResponseMs(gatewayUrl), measureResponseMs(controlUrl)])

parentPort?.once("message", () => {
  isStopped = true
})
parentPort?.postMessage("started")
const [maxMs, controlMs] = await Promise.all([measureMaxMs(gatewayUrl), measureMaxMs(controlUrl)])
parentPort?.postMessage({ maxMs, controlMs })
