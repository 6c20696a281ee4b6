import { connect, type Socket } from "node:net"
import { Worker } from "node:worker_threads"

/** A listening socket that never accepts: connecting to it neither succeeds nor is refused. */
export type Blackhole = { port: number; url: string; close: () => Promise<void> }

// The worker never returns to its event loop, so the kernel's accept queue is never emptied.
const BLOCKED_SERVER = `
  const { parentPort } = require("node:worker_threads")
  const server = require("node:net").createServer()
  server.listen({ port: 0, host: "127.0.0.1", backlog: 1 }, () => {
    parentPort.postMessage(server.address().port)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
  })
`

/** Fills the socket's accept queue, so that further connections wait until their own timeout. */
export const startBlackhole = async (): Promise<Blackhole> => {
  const worker = new Worker(BLOCKED_SERVER, { eval: true })
  const port = await new Promise<number>((resolve, reject) => {
    worker.once("message", (message: unknown) => resolve(Number(message)))
    worker.once("error", reject)
  })
  const fillers = await Promise.all(Array.from({ length: 4 }, () => openFiller(port)))
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      for (const socket of fillers) socket.destroy()
      await worker.terminate()
    },
  }
}

const openFiller = (port: number) =>
  new Promise<Socket>((resolve) => {
    const socket = connect({ port, host: "127.0.0.1" })
    socket.on("error", () => undefined)
    socket.once("connect", () => resolve(socket))
    // Nothing tells that the queue is full.
    setTimeout(() => resolve(socket), 200)
  })
