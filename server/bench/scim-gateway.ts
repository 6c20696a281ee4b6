import { spawn } from "node:child_process"
import { join } from "node:path"
import { createInterface } from "node:readline"

const token = "bench-scim-token-0123456789abcdef0123456789"

export interface Asked {
  method?: string
  path: string
  body?: unknown
}

/** A gateway in a process of its own, as the identity provider sees it. */
export const startGateway = async (
  env: Record<string, string>,
  nodeOptions: readonly string[] = [],
) => {
  const main = join(import.meta.dirname, "../src/main.ts")
  const child = spawn(process.execPath, [...nodeOptions, main], {
    stdio: ["ignore", "pipe", "inherit"],
    env: {
      PATH: process.env.PATH,
      PORT: "0",
      OLLAMA_BASE_URLS: ";",
      SECRET_KEY: "a secret key of the benchmark, long enough",
      SCIM_ENABLED: "true",
      SCIM_TOKEN: token,
      SCIM_RATE_LIMIT: "off",
      LOG_LEVEL: "info",
      ...env,
    },
  })
  const url = await new Promise<string>((resolve, reject) => {
    child.once("exit", () => reject(new Error("The gateway ended")))
    createInterface({ input: child.stdout }).on("line", (line) => {
      const found = /"url":"(http[^"]+)".*"listening"/.exec(line)?.[1]
      if (found) resolve(found)
    })
  })
  const ended = new Promise((resolve) => child.once("exit", resolve))
  return {
    pid: child.pid ?? 0,

    ask: async ({ method = "GET", path, body }: Asked): Promise<void> => {
      const response = await fetch(`${url}/api/v1/scim/v2${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, "content-type": "application/scim+json" },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      const bytes = await response.arrayBuffer()
      if (response.ok) return
      const text = Buffer.from(bytes).toString("utf8", 0, 300)
      throw new Error(`${method} ${path}: ${response.status} ${text}`)
    },

    stop: async () => {
      child.kill("SIGTERM")
      await ended
    },
  }
}

export type Gateway = Awaited<ReturnType<typeof startGateway>>
