import { flushCompileCache } from "node:module"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { pino } from "pino"
import { readConfig } from "./config/config.ts"
import type { GatewayOptions } from "./gateway-options.ts"
import { createLogStream } from "./operations/log-stream.ts"
import { serve } from "./serve.ts"

/** How long a log line waits to be written together with others. */
const logFlushMs = 200

const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  const { cause } = error
  return cause instanceof Error ? `${error.message}: ${cause.message || cause.name}` : error.message
}

/** When nothing of the start is still under way. */
const settleDelayMs = 1500

/** Collects all garbage, and gives the room that it took back to the system. */
const collectGarbage = (): void => {
  setFlagsFromString("--expose-gc")
  const collect: unknown = runInNewContext("gc")
  if (typeof collect === "function") collect(fullCollection)
}

/** Puts in order what the start leaves behind. */
const finishStartup = (): void => {
  // Written at exit otherwise, and a server is often ended without one.
  flushCompileCache()
  // Loading modules grows the young generation to its most, and nothing else lets it shrink.
  collectGarbage()
  // After a quiet time V8 collects the old generation anew for every 3 MB that it grows by, and takes
  // the core of a small machine for 50 ms each time; so it may become four times what is in use.
  setFlagsFromString("--heap-growing-percent=300")
  // In quiet seconds it shrinks the young generation and throws away code that did not run: what
  // comes next would compile all of it again, while it has to be answered.
  setFlagsFromString("--no-memory-reducer-favors-memory")
  setFlagsFromString("--no-flush-bytecode")
}
const fullCollection = { type: "major", execution: "sync", flavor: "last-resort" }

/** How long it is quiet before what a busy time took is given back. */
const idleAfterMs = 30_000
/** Below this share of a core it is quiet, and above so much CPU time there was a busy time, in µs. */
const idleCpuShare = 0.02
const busyUs = 3_000_000

/**
 * Gives memory back after a busy time, when nobody is there to wait for it: V8 by itself keeps the
 * heap that it once needed.
 */
const collectWhenIdle = (): void => {
  let before = process.cpuUsage()
  let usedUs = 0
  setInterval(() => {
    const { user, system } = process.cpuUsage(before)
    before = process.cpuUsage()
    usedUs += user + system
    const isQuiet = user + system < idleAfterMs * 1000 * idleCpuShare
    if (!isQuiet || usedUs < busyUs) return
    usedUs = 0
    collectGarbage()
  }, idleAfterMs).unref()
}

/** One clear message, and no stack: what is wrong is the set-up. */
const exitWithError = (error: unknown): never => {
  process.stderr.write(`Portico cannot start.\n${reasonOf(error)}\n`)
  process.exit(1)
}

const start = async (options: GatewayOptions): Promise<void> => {
  const config = readConfig()
  const destination = createLogStream(1)
  setInterval(() => destination.flush(), logFlushMs).unref()
  const log = pino({ level: config.LOG_LEVEL, base: null }, destination)
  // What nobody waited for ends itself alone; see `report`.
  process.on("unhandledRejection", (error) => log.error({ err: error }, "a task failed"))
  const serving = await serve(config, log, options)
  process.on("uncaughtException", (error) => {
    log.fatal({ err: error }, "crashed")
    destination.flushSync()
    process.exit(1)
  })
  setTimeout(finishStartup, settleDelayMs).unref()
  collectWhenIdle()

  let stopping = false
  const stop = async (signal: string): Promise<void> => {
    if (stopping) return
    stopping = true
    log.info({ signal, running: serving.gateway.inFlight.count() }, "draining")
    await serving.stop()
    log.info("stopped")
    destination.flushSync()
    process.exit(0)
  }
  process.on("SIGTERM", (signal) => void stop(signal))
  process.on("SIGINT", (signal) => void stop(signal))
  log.info({ url: serving.url, started_ms: Math.round(performance.now()) }, "listening")
  destination.flush()
  // The log is for programs; this is for a person who started it at a terminal.
  if (process.stdout.isTTY) process.stderr.write(`\nPortico is ready: open ${serving.url}\n\n`)
}

/** Serves as the environment says until a signal ends the process; a start that fails ends it with 1. */
export const run = (options: GatewayOptions = {}): Promise<void> =>
  start(options).catch(exitWithError)
