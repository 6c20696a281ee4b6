import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pino } from "pino"
import { readConfig } from "../../src/config/config.ts"
import type { GatewayOptions } from "../../src/gateway-options.ts"
import { type Serving, serve } from "../../src/serve.ts"

export const adminKey = "sk-admin-key-for-the-tests-0123456789"
export const adminEmail = "ada@example.com"
export const adminPassword = "correct horse battery"

/** Hashing a password takes no time, and nothing is embedded: most tests are about something else. */
export const cheapOptions: GatewayOptions = {
  passwordCost: { logCost: 4, blockSize: 8, parallel: 1 },
  // Tests of semantic search ask for it, or use an embedding model of a fake connection.
  builtInModelFolder: null,
}

export interface TestGateway extends Serving {
  /** Lines that were logged, parsed. */
  lines: Record<string, unknown>[]
  dataDir: string
  /** The administrator's API key. */
  key: string
  /** JSON over HTTP, by default as the administrator. */
  call(
    method: string,
    path: string,
    body?: unknown,
    options?: { key?: string | null; headers?: Record<string, string> },
    // biome-ignore lint/suspicious/noExplicitAny: tests read replies as a script would
  ): Promise<{ status: number; headers: Headers; body: any }>
  /** Makes an account and a key of its own. */
  newUser(name: string): Promise<{ id: string; email: string; key: string }>
}

/** A whole gateway in this process, on a free port, with an administrator. */
export const startGateway = async (
  env: Record<string, string> = {},
  options: GatewayOptions = {},
): Promise<TestGateway> => {
  const dataDir = env.DATA_DIR ?? mkdtempSync(join(tmpdir(), "portico-"))
  const lines: Record<string, unknown>[] = []
  const config = readConfig({
    PORT: "0",
    DATA_DIR: dataDir,
    ADMIN_EMAIL: adminEmail,
    ADMIN_PASSWORD: adminPassword,
    ADMIN_API_KEY: adminKey,
    OLLAMA_BASE_URLS: ";",
    DRAIN_TIMEOUT: "1s",
    // Lists of models are the tests' own.
    INSTALL_GUIDE: "false",
    SECRET_KEY: "a secret key for the tests, long enough",
    ...env,
  })
  const log = pino(
    { level: config.LOG_LEVEL, base: null },
    { write: (line: string) => void lines.push(JSON.parse(line)) },
  )
  const serving = await serve(config, log, { ...cheapOptions, ...options })

  const call: TestGateway["call"] = async (method, path, body, options = {}) => {
    const key = options.key === undefined ? adminKey : options.key
    const response = await fetch(serving.url + path, {
      method,
      headers: { ...(key !== null && { authorization: `Bearer ${key}` }), ...options.headers },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    const isJson = /[/+]json/.test(response.headers.get("content-type") ?? "")
    const { status, headers } = response
    return { status, headers, body: isJson && text ? JSON.parse(text) : text }
  }

  return {
    ...serving,
    lines,
    dataDir,
    key: env.ADMIN_API_KEY ?? adminKey,
    call,
    newUser: async (name) => {
      const email = `${name.toLowerCase()}@example.com`
      const password = `${name} has a password`
      const added = await call("POST", "/api/v1/auths/add", { name, email, password })
      const signedIn = await call("POST", "/api/v1/auths/signin", { email, password })
      const options = { key: signedIn.body.token }
      const created = await call("POST", "/api/v1/auths/api_keys", { name: "test" }, options)
      return { id: added.body.id, email, key: created.body.api_key }
    },
    stop: async () => {
      await serving.stop()
      if (!env.DATA_DIR) rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
