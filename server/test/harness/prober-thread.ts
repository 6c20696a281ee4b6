import { Agent, createServer, get } from "node:http"
import { setTimeout as delay } from "node:timers/promises"
import { parentPort, workerData } from "node:worker_threads"
import { listenOnLoopback } from "./listen.ts"

const everyMs = 5
const agent = new Agent({ keepAlive: true })
let isStopped = false

const waitFor = (url: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const since = performance.now()
    get(url, { agent }, (reply) => {
      reply.resume().on("end", () => resolve(performance.now() - since))
    }).on("error", reject)
  })

const maxWait = async (url: string): Promise<number> => {
  let longest = 0
  while (!isStopped) {
    longest = Math.max(longest, await waitFor(url))
    await delay(everyMs)
  }
  return longest
}

const control = createServer((_incoming, outgoing) => outgoing.end("{}"))
const port = await listenOnLoopback(control)
const controlUrl = `http://127.0.0.1:${port}/`
const probed = `${workerData.url}/health`
for (let n = 0; n < 20; n++) await Promise.all([waitFor(probed), waitFor(controlUrl)])

parentPort?.once("message", () => {
  isStopped = true
})
parentPort?.postMessage("started")
const [maxMs, controlMs] = await Promise.all([maxWait(probed), maxWait(controlUrl)])
parentPort?.postMessage({ maxMs, controlMs })
