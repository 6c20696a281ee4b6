import { once } from "node:events"
import { createServer, type Server } from "node:http"
import type { Socket } from "node:net"
import { parseArgs } from "node:util"
import { Worker } from "node:worker_threads"
import { Pool } from "undici"
import { createClient } from "../src/client.ts"
import { createFastPathServer } from "../src/server.ts"
import { listenOnLoopback } from "../test/listen.ts"
import { answer, createNodeServer, path, question, repeat, requestOnce } from "./requests.ts"

const usage = `npm run bench:http1 -- [options]
  --requests 20000  requests per round
  --rounds 5        rounds of each variant, in turn
Reports the CPU time per request of the thread under test, the median of all rounds.`

/** CPU time of this thread per request, in µs. */
type Measure = () => Promise<number>

const measureCpu = async (total: number, work: () => Promise<unknown>): Promise<number> => {
  const before = process.threadCpuUsage()
  await work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / total
}

const createFastPath = (): Server => {
  const server = createServer()
  createFastPathServer<string>({
    admit: () => true,
    findRoute: (target) => (target === `POST ${path}` ? target : undefined),
    isHostAllowed: () => true,
    respond: async (_route, request, response) => {
      await request.readBody({ push: () => {}, end: () => {} })
      response.writeHead(200, ["content-length", String(answer.length)])
      response.end(answer)
    },
    createDisconnectError: () => new Error("the client disconnected"),
    reportError: console.error,
  }).attach(server)
  return server
}

const createVariants = async (peer: Worker, total: number) => {
  const ask = async (port: number | null): Promise<number> => {
    peer.postMessage({ port, total })
    const [result] = await once(peer, "message")
    return result
  }
  const origin = `http://127.0.0.1:${await ask(null)}`
  const client = createClient(origin, { connect: 5, firstByte: 30, idle: 30 })
  const pool = new Pool(origin)
  const headers = { "content-type": "application/json" }
  const requestWithUndici = async (): Promise<void> => {
    const { body } = await pool.request({ method: "POST", path, headers, body: question })
    await body.dump()
  }
  const measureServer = async (create: () => Server): Promise<number> => {
    const server = create()
    const sockets = new Set<Socket>()
    server.on("connection", (socket) => sockets.add(socket))
    const port = await listenOnLoopback(server)
    const cpu = await measureCpu(total, () => ask(port))
    server.close()
    for (const socket of sockets) socket.destroy()
    return cpu
  }
  const variants: Record<string, Measure> = {
    "client: this package": () => measureCpu(total, () => repeat(() => requestOnce(client), total)),
    "client: undici": () => measureCpu(total, () => repeat(requestWithUndici, total)),
    "server: this package": () => measureServer(createFastPath),
    "server: Node's http": () => measureServer(createNodeServer),
  }
  return variants
}

const main = async (): Promise<void> => {
  const { values } = parseArgs({
    options: {
      requests: { type: "string", default: "20000" },
      rounds: { type: "string", default: "5" },
      help: { type: "boolean", default: false },
    },
  })
  if (values.help) return console.log(usage)
  const peer = new Worker(new URL("./peer.ts", import.meta.url))
  const variants = await createVariants(peer, Number(values.requests))
  const times = new Map<string, number[]>(Object.keys(variants).map((name) => [name, []]))
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const [name, measure] of Object.entries(variants)) times.get(name)?.push(await measure())
  }
  for (const [name, found] of times) {
    const sorted = found.toSorted((a, z) => a - z)
    console.log(`${name}: ${sorted[Math.floor(sorted.length / 2)]?.toFixed(1)} µs`)
  }
}

await main()
process.exit(0)
