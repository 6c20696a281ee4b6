import { type Connection, createConnection, type Exchange } from "./connection.ts"
import type { Job } from "./job.ts"

const requestBytes = ({ path, key, body, port }: Job) =>
  Buffer.from(
    `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${key}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )

const never = new Int32Array(new SharedArrayBuffer(4))
const napMs = 0.05

/**
 * Calls `ask` at `rate` per second as a Poisson process, like many independent callers, and stops
 * after `max` calls. Node's timers are too coarse (1 ms) and would send in bursts, and a busy loop
 * would take the core from the mock upstream, so it sleeps briefly between calls.
 */
const startPacer = (rate: number, max: number, ask: () => void) => {
  let due = performance.now()
  let requested = 0
  let stopped = false
  const turn = () => {
    if (stopped || requested === max) return
    for (const now = performance.now(); due <= now && requested < max; requested++) {
      ask()
      due -= (Math.log(1 - Math.random()) * 1000) / rate
    }
    Atomics.wait(never, 0, 0, napMs)
    setImmediate(turn)
  }
  turn()
  return () => {
    stopped = true
  }
}

/** Starts the load described by a job; nothing is recorded before `record()`. */
export const startLoad = (job: Job) => {
  const request = requestBytes(job)
  const everyone: Connection[] = []
  const free: Connection[] = []
  let whole: Exchange[] = []
  let failed = 0
  let running = 0
  let unasked = job.mode === "once" ? job.connections : 0
  let recording = false
  let pendingRequest = true
  let allIn = () => {}

  const ask = (connection: Connection) => {
    running += 1
    connection.send()
  }

  const done = (connection: Connection, exchange: Exchange, ok: boolean) => {
    running -= 1
    if (recording) {
      if (ok && exchange.status === "200" && exchange.bytes === job.bytes) whole.push(exchange)
      else failed += 1
    }
    if (job.mode === "closed" && pendingRequest && ok) ask(connection)
    else free.push(connection)
    if (running + unasked === 0) allIn()
  }

  const add = () => {
    const connection = createConnection({ port: job.port, request, done })
    everyone.push(connection)
    return connection
  }

  const askFree = () => ask(free.pop() ?? add())
  const askOnce = () => {
    unasked -= 1
    ask(add())
  }
  const stopPacer = {
    closed: () => {
      for (let index = 0; index < job.connections; index++) ask(add())
      return () => {}
    },
    open: () => startPacer(job.rate, Number.POSITIVE_INFINITY, askFree),
    once: () => startPacer(job.rate, job.connections, askOnce),
  }[job.mode]()

  return {
    record: () => {
      whole = []
      failed = 0
      recording = true
    },

    recorded: () => {
      recording = false
      return { whole, failed, missing: running + unasked }
    },

    /** Sends no further requests. */
    stop: () => {
      pendingRequest = false
      stopPacer()
    },

    /** Resolves when no request is in flight, or after `seconds`. */
    idle: async (seconds: number) => {
      if (running + unasked === 0) return
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, seconds * 1000)
        allIn = () => {
          clearTimeout(timer)
          resolve()
        }
      })
      allIn = () => {}
    },

    close: () => {
      for (const connection of everyone) connection.close()
    },
  }
}
