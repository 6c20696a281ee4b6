import { Agent, createServer, request } from "node:http"
import { setTimeout as delay } from "node:timers/promises"
import { parentPort, workerData } from "node:worker_threads"
import type { ProbedRequest } from "./latency-probe.ts"
import { listenOnLoopback } from "./ports.ts"

const probeIntervalMs = 5
const agent = new Agent({ keepAlive: true })
let isStopped = false

const measureResponseMs = (url: string, { method, path, body, key }: ProbedRequest) =>
  new Promise<number>((resolve, reject) => {
    const since = performance.now()
    const headers = key === undefined ? {} : { authorization: `Bearer ${key}` }
    request(url + path, { agent, method, headers }, (reply) => {
      reply.resume().on("end", () => resolve(performance.now() - since))
      if ((reply.statusCode ?? 500) >= 400) reject(new Error(`${path}: ${reply.statusCode}`))
    })
      .on("error", reject)
      .end(body)
  })

/** Measures the requests in turn. */
const measureTimes = async (url: string, requests: readonly ProbedRequest[]): Promise<number[]> => {
  const times: number[] = []
  while (!isStopped) {
    for (const probed of requests) times.push(await measureResponseMs(url, probed))
    await delay(probeIntervalMs)
  }
  return times
}

const control = createServer((_incoming, outgoing) => outgoing.end("{}"))
const controlUrl = `http://127.0.0.1:${await listenOnLoopback(control)}`
const health: ProbedRequest = { method: "GET", path: "/health" }
const { url, requests } = workerData
for (let n = 0; n < 20; n++)
  await Promise.all([measureResponseMs(url, health), measureResponseMs(controlUrl, health)])

parentPort?.once("message", () => {
  isStopped = true
})
parentPort?.postMessage("started")
const [times, controlTimes] = await Promise.all([
  measureTimes(url, requests),
  measureTimes(controlUrl, [health]),
])
parentPort?.postMessage({ times, controlTimes })
