import { rmSync } from "node:fs"
import { pino } from "pino"
import { readConfig } from "../../src/config/config.ts"
import type { GatewayOverrides } from "../../src/gateway-overrides.ts"
import { type Serving, serve } from "../../src/serve.ts"
import type { TestDatabase } from "./databases.ts"
import { createMigratedDataDir } from "./migrated-data-dir.ts"
import { createResponseCheck } from "./response-check.ts"

export const adminKey = "sk-admin-key-for-the-tests-0123456789"
export const adminEmail = "ada@example.com"
export const adminPassword = "correct horse battery"

/** Fast password hashing, and without features that most tests do not need. */
export const fastOptions: GatewayOverrides = {
  passwordCost: { logCost: 4, blockSize: 8, parallel: 1 },
  // Every request with an unknown model refreshes the list.
  minModelSearchIntervalMs: 20,
  // Tests of semantic search enable it or use an embedding model of a fake provider.
  builtInModelFolder: null,
  // Tests count the requests to a provider; titles and rewritten questions would be others.
  defaultSettings: { chat_titles: "local", query_rewriting_model: "none" },
}

export interface TestGateway extends Serving {
  /** The log so far, parsed. */
  logLines: Record<string, unknown>[]
  dataDir: string
  /** The administrator's API key. */
  key: string
  /** Sends a JSON request, by default as the administrator; `key: null` sends no credentials. */
  call(
    method: string,
    path: string,
    body?: unknown,
    options?: { key?: string | null; headers?: Record<string, string> },
    // biome-ignore lint/suspicious/noExplicitAny: tests read responses as a script would
  ): Promise<{ status: number; headers: Headers; body: any }>
  /** Creates a user and an API key for it. */
  createUser(name: string): Promise<{ id: string; email: string; key: string }>
}

/** Starts a complete gateway in this process, on a free port, with an administrator. */
export const startGateway = async (
  env: Record<string, string> = {},
  options: GatewayOverrides = {},
): Promise<TestGateway> => {
  const dataDir = env.DATA_DIR ?? (await createMigratedDataDir())
  const logLines: Record<string, unknown>[] = []
  const config = readConfig({
    PORT: "0",
    DATA_DIR: dataDir,
    ADMIN_EMAIL: adminEmail,
    ADMIN_PASSWORD: adminPassword,
    ADMIN_API_KEY: adminKey,
    OLLAMA_BASE_URLS: ";",
    DRAIN_TIMEOUT: "1s",
    // Tests expect only the models that they create.
    INSTALL_GUIDE: "false",
    SECRET_KEY: "a secret key for the tests, long enough",
    ...env,
  })
  const log = pino(
    { level: config.LOG_LEVEL, base: null },
    { write: (line: string) => void logLines.push(JSON.parse(line)) },
  )
  const serving = await serve(config, log, { ...fastOptions, ...options })
  const checkResponse = createResponseCheck(serving.routes)

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
    if (!(isJson && text)) return { status, headers, body: text }
    const parsed: unknown = JSON.parse(text)
    checkResponse({ method, path, status, body: parsed })
    return { status, headers, body: parsed }
  }

  return {
    ...serving,
    logLines,
    dataDir,
    key: env.ADMIN_API_KEY ?? adminKey,
    call,
    createUser: async (name) => {
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

/**
 * Starts a gateway on a new database, which `stop` removes.
 * @param createDatabase that of one of `chooseDatabases`
 */
export const startGatewayOnDatabase = async (
  createDatabase: () => Promise<TestDatabase>,
  env: Record<string, string> = {},
  options: GatewayOverrides = {},
): Promise<TestGateway> => {
  const database = await createDatabase()
  const gateway = await startGateway({ ...database.env, ...env }, options)
  return {
    ...gateway,
    stop: async () => {
      await gateway.stop()
      await database.remove()
    },
  }
}
