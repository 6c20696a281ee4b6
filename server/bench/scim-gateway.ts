import { spawn } from "node:child_process"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { createAsker } from "./asker.ts"

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
  const { host, port } = new URL(url)
  const asker = createAsker(Number(port))
  const ended = new Promise((resolve) => child.once("exit", resolve))
  return {
    pid: child.pid ?? 0,

    ask: async ({ method = "GET", path, body }: Asked): Promise<void> => {
      const sent = body === undefined ? "" : JSON.stringify(body)
      const head = [
        `${method} /api/v1/scim/v2${path} HTTP/1.1`,
        `host: ${host}`,
        `authorization: Bearer ${token}`,
        ...(sent
          ? ["content-type: application/scim+json", `content-length: ${Buffer.byteLength(sent)}`]
          : []),
      ]
      const { status, text } = await asker.ask(`${head.join("\r\n")}\r\n\r\n${sent}`)
      if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`)
    },

    stop: async () => {
      asker.close()
      child.kill("SIGTERM")
      await ended
    },
  }
}

export type Gateway = Awaited<ReturnType<typeof startGateway>>
