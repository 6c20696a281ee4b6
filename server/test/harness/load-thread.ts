import { Agent, request } from "node:http"
import { parentPort, workerData } from "node:worker_threads"
import { lowerThreadPriority } from "../../src/concurrency/thread-priority.ts"
import type { Load } from "./load.ts"

// Stands in for other machines, so it must not take CPU time from what is measured.
lowerThreadPriority(19)

const { url, key, path, body, concurrency }: Load = workerData
const agent = new Agent({ keepAlive: true })
const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
const countByStatus = new Map<number, number>()
let isStopped = false

const send = () =>
  new Promise<number>((resolve, reject) => {
    request(url + path, { agent, method: "POST", headers }, (reply) => {
      reply.resume().on("end", () => resolve(reply.statusCode ?? 0))
    })
      .on("error", reject)
      .end(body)
  })

const sendRepeatedly = async (): Promise<void> => {
  while (!isStopped) {
    const status = await send()
    countByStatus.set(status, (countByStatus.get(status) ?? 0) + 1)
  }
}

parentPort?.once("message", () => {
  isStopped = true
})
const senders = Array.from({ length: concurrency }, sendRepeatedly)
parentPort?.postMessage("started")
await Promise.all(senders)
parentPort?.postMessage(countByStatus)
