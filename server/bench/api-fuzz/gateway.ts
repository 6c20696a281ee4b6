import { spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import type { Readable } from "node:stream"
import { z } from "zod"

export const adminKey = "sk-fuzz-admin-0000000000000000000000000000"
export const scimToken = "fuzz-scim-token-0123456789abcdef0123456789"

const LogLine = z.object({
  level: z.number(),
  msg: z.string().optional(),
  url: z.string().optional(),
  err: z.object({ stack: z.string() }).optional(),
})

/** Calls `read` with each line; `readline` also ends lines at U+2028, which JSON may hold. */
const readLines = (source: Readable, read: (line: string) => void): void => {
  let rest = ""
  source.setEncoding("utf8").on("data", (text: string) => {
    const lines = (rest + text).split("\n")
    rest = lines.pop() ?? ""
    for (const line of lines) read(line)
  })
}

/** A gateway in a process of its own, so that its end is seen and its log is read. */
export const startGateway = async (env: Readonly<Record<string, string>>) => {
  const main = join(import.meta.dirname, "../../src/main.ts")
  const child = spawn(process.execPath, [main], {
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: process.env.PATH,
      PORT: "0",
      ENV: "dev",
      ADMIN_EMAIL: "admin@example.com",
      ADMIN_PASSWORD: "the password of the administrator",
      ADMIN_API_KEY: adminKey,
      SECRET_KEY: "a secret key of the fuzzer, long enough",
      SCIM_ENABLED: "true",
      SCIM_TOKEN: scimToken,
      SCIM_RATE_LIMIT: "off",
      ENABLE_OPENAI_PROXY: "true",
      INSTALL_GUIDE: "false",
      ...env,
    },
  })
  /** Stacks of what the gateway itself calls an error. */
  const errors: string[] = []
  const words: string[] = []
  const ended = once(child, "close").then(([code, signal]) => String(code ?? signal))
  const read = (line: string): void => {
    const parsed = line.startsWith("{") ? LogLine.safeParse(JSON.parse(line)) : undefined
    if (parsed?.data?.err && parsed.data.level >= 50) errors.push(parsed.data.err.stack)
    else if (words.push(line) > 50) words.shift()
  }
  readLines(child.stdout, read)
  readLines(child.stderr, read)
  // Should this process end first.
  const kill = (): void => void child.kill("SIGKILL")
  process.once("exit", kill)

  const portFile = /http:\/\/127\.0\.0\.1:(\d+)/
  const url = await new Promise<string>((resolve, reject) => {
    void ended.then((code) =>
      reject(new Error(`The gateway ended with ${code}: ${words.join("\n")}`)),
    )
    const wait = setInterval(() => {
      const found = words.map((line) => portFile.exec(line)?.[0]).find(Boolean)
      if (!found) return
      clearInterval(wait)
      resolve(found)
    }, 20)
  })
  let hasEnded = false
  void ended.then(() => {
    hasEnded = true
  })
  return {
    url,
    pid: child.pid ?? 0,
    errors,
    /** Its last lines that are no errors. */
    words,
    hasEnded: () => hasEnded,
    stop: async (): Promise<void> => {
      child.kill("SIGTERM")
      const late = setTimeout(() => child.kill("SIGKILL"), 20_000)
      await ended
      clearTimeout(late)
      process.off("exit", kill)
    },
  }
}

export type Gateway = Awaited<ReturnType<typeof startGateway>>
