import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { closeSync, openSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { Readable } from "node:stream"

const defaultMain = join(import.meta.dirname, "../../src/main.ts")
/** Like `src/main.ts`, but hashes passwords cheaply and takes options from TEST_GATEWAY_OPTIONS. */
export const testMain = join(import.meta.dirname, "gateway-main.ts")
const logPollMs = 1
/** How long a gateway may drain before `stop` kills it. */
const stopTimeoutMs = 20_000

export interface GatewayProcessOptions {
  /** In addition to PATH, the compile cache that `npm start` sets too, and a free port. */
  env: Readonly<NodeJS.ProcessEnv>
  /** The gateway's entry point; by default, that of this checkout. */
  main?: string
  nodeOptions?: readonly string[]
  /** A command that runs the one appended to it, such as `taskset -c 1`. */
  wrapper?: readonly string[]
  /**
   * A file for the output, so that a benchmark does not spend time reading it; followed only until
   * the gateway listens.
   */
  logFile?: string
  /** Pass standard error on to the terminal instead of reading it. */
  inheritStderr?: boolean
  /** The number of most recent lines to keep in `output`; by default, all. */
  maxLines?: number
  onLine?: (line: string) => void
}

/** A gateway in its own process. */
export interface GatewayProcess {
  child: ChildProcess
  /** Lines of standard output and standard error, in the order received. */
  output: string[]
  /** The exit code, or the signal that terminated the process. */
  exited: Promise<number | NodeJS.Signals>
  /** The gateway's URL; rejects with its output if it exits before it listens. */
  listening: Promise<string>
  /** Sends SIGTERM, and waits until the gateway has drained and exited. */
  stop(): Promise<void>
  kill(): Promise<void>
}

const runningProcesses = new Set<ChildProcess>()

/** Kills all gateways that are still running. */
export const killAllGateways = (): void => {
  for (const child of runningProcesses) child.kill("SIGKILL")
}

/** Unlike `readline`, does not split at U+2028, which JSON may contain. */
const readLines = (source: Readable, read: (line: string) => void): void => {
  let rest = ""
  source.setEncoding("utf8")
  source.on("data", (text: string) => {
    const lines = (rest + text).split("\n")
    rest = lines.pop() ?? ""
    for (const line of lines) read(line)
  })
  source.on("end", () => {
    if (rest) read(rest)
  })
}

/**
 * Reads the lines of a growing file.
 * @returns a function that reads the remaining lines and stops
 */
const followLines = (file: string, read: (line: string) => void): (() => void) => {
  let count = 0
  const readNew = (): void => {
    const lines = readFileSync(file, "utf8").split("\n").slice(0, -1)
    for (const line of lines.slice(count)) read(line)
    count = lines.length
  }
  let timer: NodeJS.Timeout | undefined = setInterval(readNew, logPollMs)
  return () => {
    if (!timer) return
    clearInterval(timer)
    timer = undefined
    readNew()
  }
}

const spawnMain = (options: GatewayProcessOptions): ChildProcess => {
  const { main = defaultMain, nodeOptions = [], wrapper = [], logFile } = options
  const [command = "", ...args] = [...wrapper, process.execPath, ...nodeOptions, main]
  const output = logFile === undefined ? "pipe" : openSync(logFile, "w")
  const { PATH, NODE_COMPILE_CACHE } = process.env
  const child = spawn(command, args, {
    stdio: ["ignore", output, options.inheritStderr ? "inherit" : output],
    env: { PATH, NODE_COMPILE_CACHE, PORT: "0", ...options.env },
  })
  if (typeof output === "number") closeSync(output)
  runningProcesses.add(child)
  process.off("exit", killAllGateways).once("exit", killAllGateways)
  return child
}

/** Starts `main.ts` without waiting for it to listen. */
export const spawnGateway = (options: GatewayProcessOptions): GatewayProcess => {
  const child = spawnMain(options)
  const output: string[] = []
  const started = Promise.withResolvers<string>()
  const read = (line: string): void => {
    output.push(line)
    if (output.length > (options.maxLines ?? Number.POSITIVE_INFINITY)) output.shift()
    if (line.startsWith("{") && line.includes('"listening"')) started.resolve(JSON.parse(line).url)
    options.onLine?.(line)
  }
  for (const source of [child.stdout, child.stderr]) if (source) readLines(source, read)
  const stopFollowing =
    options.logFile === undefined ? () => {} : followLines(options.logFile, read)
  // Only callers that await `listening` get the error.
  started.promise.then(stopFollowing, () => {})

  const exited = once(child, "close").then(([code, signal]) => {
    runningProcesses.delete(child)
    stopFollowing()
    started.reject(new Error(`The gateway exited with ${code ?? signal}:\n${output.join("\n")}`))
    return code ?? signal
  })
  const signalAndWait = async (signal: NodeJS.Signals): Promise<void> => {
    child.kill(signal)
    await exited
  }
  return {
    child,
    output,
    exited,
    listening: started.promise,
    stop: async () => {
      const killTimer = setTimeout(() => child.kill("SIGKILL"), stopTimeoutMs)
      await signalAndWait("SIGTERM")
      clearTimeout(killTimer)
    },
    kill: () => signalAndWait("SIGKILL"),
  }
}

/** Starts `main.ts` and waits until it listens. */
export const startGatewayProcess = async (
  options: GatewayProcessOptions,
): Promise<GatewayProcess & { url: string }> => {
  const gateway = spawnGateway(options)
  return { ...gateway, url: await gateway.listening }
}
