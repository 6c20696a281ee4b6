import { join } from "node:path"
import { z } from "zod"
import { spawnGateway } from "../../test/harness/gateway-process.ts"
import { type Place, type Processes, pidOf, pinnedTo } from "./processes.ts"

export const adminKey = "sk-bench-admin-0000000000000000000000000000"

export type GatewayDeps = {
  processes: Processes
  /** Folder for the data and the log. */
  folder: string
  cacheFolder: string
  upstreamPort: number
  /** Path of the gateway's main.ts. */
  main: string
  place?: Place
  /** Options of the gateway's Node. */
  nodeOptions: readonly string[]
  /** Environment variables in addition to the common ones. */
  env?: Readonly<Record<string, string>>
}

/** Starts the same process as `npm start`, without npm: Node 24 and the compile cache. */
export const startGateway = async (deps: GatewayDeps) => {
  const { processes, folder, main, nodeOptions } = deps
  const started = performance.now()
  const { child, listening } = spawnGateway({
    main,
    nodeOptions,
    wrapper: pinnedTo(deps.place ?? "measured"),
    logFile: join(folder, "gateway.log"),
    env: {
      NODE_COMPILE_CACHE: deps.cacheFolder,
      MALLOC_ARENA_MAX: "2",
      HOST: "127.0.0.1",
      DATA_DIR: join(folder, "data"),
      ADMIN_EMAIL: "admin@example.com",
      ADMIN_PASSWORD: "bench-password-of-the-admin",
      ADMIN_API_KEY: adminKey,
      OLLAMA_BASE_URLS: "",
      OPENAI_API_BASE_URLS: `http://127.0.0.1:${deps.upstreamPort}/v1`,
      OPENAI_API_KEYS: "sk-upstream",
      ...deps.env,
    },
  })
  processes.adopt(child)
  const url = await listening
  const listeningMs = performance.now() - started
  const health = await fetch(`${url}/health`)
  await health.arrayBuffer()
  if (!health.ok) throw new Error(`/health returned ${health.status}`)
  const healthMs = performance.now() - started
  const port = Number(new URL(url).port)
  return { child, pid: pidOf(child), url, port, listeningMs, healthMs }
}
export type Gateway = Awaited<ReturnType<typeof startGateway>>

const ask = async (port: number, key: string, path: string, body: object) => {
  const response = await fetch(`http://127.0.0.1:${port}/api/v1/auths/${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`POST ${path}: ${response.status} ${text.slice(0, 300)}`)
  return JSON.parse(text) as unknown
}

/** Creates a user who sees models by grant only. @returns their API key */
export const createUserKey = async ({ port }: Gateway, name = "user"): Promise<string> => {
  const email = `${name}@example.com`
  const password = "bench-password-of-a-user"
  await ask(port, adminKey, "add", { name: "Bench", email, password, role: "user" })
  const signedIn = await ask(port, "none", "signin", { email, password })
  const { token } = z.object({ token: z.string() }).parse(signedIn)
  const made = await ask(port, token, "api_key", {})
  return z.object({ api_key: z.string() }).parse(made).api_key
}
