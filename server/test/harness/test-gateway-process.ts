import type { GatewayOverrides } from "../../src/gateway-overrides.ts"
import { adminEmail, adminKey, adminPassword } from "./gateway.ts"
import { type GatewayProcess, spawnGateway, testMain } from "./gateway-process.ts"

interface TestGatewaySettings {
  openFiles?: number
  options?: GatewayOverrides
  /** The entry point; by default, the one that accepts `options`. */
  main?: string
}

/** A gateway in a separate process. */
export interface TestGatewayProcess extends GatewayProcess {
  url: string
  /** The administrator's API key. */
  key: string
  /**
   * Sends a JSON request, by default as the administrator; rejects if the gateway is unreachable.
   */
  call(method: string, path: string, body?: unknown, key?: string): Promise<ApiResponse>
}

export interface ApiResponse {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses as a script would
  body: any
}

const createCall =
  (url: string) =>
  async (method: string, path: string, body?: unknown, key = adminKey): Promise<ApiResponse> => {
    const response = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${key}` },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    const isJson = response.headers.get("content-type")?.includes("json")
    return { status: response.status, body: isJson ? JSON.parse(text) : text }
  }

/** Starts a gateway with the test settings, without waiting for it to listen. */
export const spawnTestGateway = (
  env: Record<string, string>,
  { openFiles, options = {}, main = testMain }: TestGatewaySettings = {},
): GatewayProcess =>
  spawnGateway({
    main,
    ...(openFiles !== undefined && {
      wrapper: ["/bin/sh", "-c", `ulimit -n ${openFiles}; exec "$0" "$@"`],
    }),
    env: {
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

/** Starts a gateway with the test settings and waits until it listens. */
export const startTestGatewayProcess = async (
  env: Record<string, string>,
  settings: TestGatewaySettings = {},
): Promise<TestGatewayProcess> => {
  const server = spawnTestGateway(env, settings)
  const url = await server.listening
  return { ...server, url, key: env.ADMIN_API_KEY ?? adminKey, call: createCall(url) }
}
