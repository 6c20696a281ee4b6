import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { createInterface } from "node:readline"
import type { GatewayOptions } from "../src/gateway-options.ts"
import { adminEmail, adminKey, adminPassword } from "./gateway.ts"

const testMain = join(import.meta.dirname, "main.ts")

interface ServerSettings {
  openFiles?: number
  options?: GatewayOptions
  /** The entry point; by default one that takes `options`. */
  main?: string
}

/** A gateway in a process of its own. */
export interface ServerProcess {
  child: ChildProcess
  url: string
  /** Of standard output and standard error, as they came. */
  output: string[]
  /** The exit code, or the signal that ended it. */
  ended: Promise<number | NodeJS.Signals>
  /** JSON over HTTP as the administrator; rejects when the server is gone. */
  call(method: string, path: string, body?: unknown, key?: string): Promise<Reply>
}

export interface Reply {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: tests read replies as a script would
  body: any
}

const running = new Set<ChildProcess>()

/** Kills what a test left behind. */
export const killAll = (): void => {
  for (const child of running) child.kill("SIGKILL")
}

const callAt =
  (url: string) =>
  async (method: string, path: string, body?: unknown, key = adminKey): Promise<Reply> => {
    const response = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${key}` },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    const isJson = response.headers.get("content-type")?.includes("json")
    return { status: response.status, body: isJson ? JSON.parse(text) : text }
  }

/** Starts a gateway and does not wait for it. */
export const spawnServer = (
  env: Record<string, string>,
  { openFiles, options = {}, main = testMain }: ServerSettings = {},
): Omit<ServerProcess, "url" | "call"> & {
  /** Rejects, with what was said, when it ends before it listens. */
  listening: Promise<string>
} => {
  const limited = [
    "/bin/sh",
    "-c",
    `ulimit -n ${openFiles}; exec "$0" "$1"`,
    process.execPath,
    main,
  ]
  const [command = "", ...args] = openFiles === undefined ? [process.execPath, main] : limited
  const child = spawn(command, args, {
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: process.env.PATH,
      PORT: "0",
      ADMIN_EMAIL: adminEmail,
      ADMIN_PASSWORD: adminPassword,
      ADMIN_API_KEY: adminKey,
      OLLAMA_BASE_URLS: ";",
      INSTALL_GUIDE: "false",
      SECRET_KEY: "a secret key for the tests, long enough",
      TEST_GATEWAY_OPTIONS: JSON.stringify(options),
      ...env,
    },
  })
  running.add(child)
  const output: string[] = []
  const ended = once(child, "close").then(([code, signal]) => {
    running.delete(child)
    return code ?? signal
  })
  const listening = new Promise<string>((resolve, reject) => {
    void ended.then((code) => reject(new Error(`ended with ${code}:\n${output.join("\n")}`)))
    for (const input of [child.stdout, child.stderr]) {
      createInterface({ input }).on("line", (line) => {
        output.push(line)
        if (line.includes('"listening"')) resolve(JSON.parse(line).url)
      })
    }
  })
  listening.catch(() => {})
  return { child, output, ended, listening }
}

/** Starts a gateway and waits until it listens. */
export const startServer = async (
  env: Record<string, string>,
  settings: ServerSettings = {},
): Promise<ServerProcess> => {
  const { listening, ...server } = spawnServer(env, settings)
  const url = await listening
  return { ...server, url, call: callAt(url) }
}
