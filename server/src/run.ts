import { flushCompileCache } from "node:module"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { pino } from "pino"
import { readConfig } from "./config/config.ts"
import { shortenMessage } from "./errors.ts"
import type { GatewayOverrides } from "./gateway-overrides.ts"
import { createLogStream } from "./monitoring/log-stream.ts"
import { serve } from "./serve.ts"

/** How long log lines are buffered to be written together. */
const logFlushMs = 200

const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  const { cause } = error
  return cause instanceof Error ? `${error.message}: ${cause.message || cause.name}` : error.message
}

/** By then, startup work has finished. */
const settleDelayMs = 1500

/** Runs a full garbage collection and returns freed memory to the system. */
const collectGarbage = (): void => {
  setFlagsFromString("--expose-gc")
  const collect: unknown = runInNewContext("gc")
  if (typeof collect === "function") collect(fullCollection)
}

/** Saves the compile cache, frees startup memory and tunes V8 for serving requests. */
const finishStartup = (): void => {
  // Otherwise written only at a regular exit, and servers are often killed.
  flushCompileCache()
  // Loading modules grows the young generation to its maximum; only a full collection shrinks it.
  collectGarbage()
  // After an idle period V8 would collect the old generation for every 3 MB of growth, which blocks
  // a small machine's core for 50 ms each time. This lets it grow to four times the memory in use.
  setFlagsFromString("--heap-growing-percent=300")
  // When idle, V8 would shrink the young generation and discard unused bytecode, and the next
  // requests would have to wait for it to be compiled again.
  setFlagsFromString("--no-memory-reducer-favors-memory")
  setFlagsFromString("--no-flush-bytecode")
}
const fullCollection = { type: "major", execution: "sync", flavor: "last-resort" }

/** Length of the idle period after which memory is returned to the system. */
const idleAfterMs = 30_000
/** Below this share of one core the process is idle. */
const idleCpuShare = 0.02
/** CPU time since the last collection, in µs, that makes another one worthwhile. */
const busyUs = 3_000_000

/**
 * Returns memory to the system in the first idle period after a busy one, when a full collection
 * delays no request. V8 alone keeps the heap at its largest size.
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

/** Some values come from clients, providers or identity providers. */
const shortenFields = (fields: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      typeof value === "string" ? shortenMessage(value) : value,
    ]),
  )

/** Prints no stack trace, because startup errors are configuration errors. */
const exitWithError = (error: unknown): never => {
  process.stderr.write(`Portico cannot start.\n${reasonOf(error)}\n`)
  process.exit(1)
}

const start = async (options: GatewayOverrides): Promise<void> => {
  const config = readConfig()
  const destination = createLogStream(1)
  setInterval(() => destination.flush(), logFlushMs).unref()
  const formatters = { log: shortenFields }
  const log = pino({ level: config.LOG_LEVEL, base: null, formatters }, destination)
  // A failed background task must not end the process; see `reportUnhandled`.
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
  // The log is JSON; this line is for a person at a terminal.
  if (process.stdout.isTTY) process.stderr.write(`\nPortico is ready: open ${serving.url}\n\n`)
}

/** Serves until SIGTERM or SIGINT. Exits with status 1 if the start fails. */
export const run = (options: GatewayOverrides = {}): Promise<void> =>
  start(options).catch(exitWithError)
