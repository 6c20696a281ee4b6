import { startGatewayProcess } from "../../test/harness/gateway-process.ts"
import { createAsker } from "./keep-alive-client.ts"

const token = "bench-scim-token-0123456789abcdef0123456789"

export interface RequestOptions {
  method?: string
  path: string
  body?: unknown
}

/** Starts a gateway process and a SCIM client for it. */
export const startGateway = async (
  env: Record<string, string>,
  nodeOptions: readonly string[] = [],
) => {
  const { child, url, stop } = await startGatewayProcess({
    nodeOptions,
    inheritStderr: true,
    maxLines: 1,
    env: {
      OLLAMA_BASE_URLS: ";",
      SECRET_KEY: "a secret key of the benchmark, long enough",
      SCIM_ENABLED: "true",
      SCIM_TOKEN: token,
      SCIM_RATE_LIMIT: "off",
      LOG_LEVEL: "info",
      ...env,
    },
  })
  const { host, port } = new URL(url)
  const asker = createAsker(Number(port))
  return {
    pid: child.pid ?? 0,

    ask: async ({ method = "GET", path, body }: RequestOptions): Promise<void> => {
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
      await stop()
    },
  }
}

export type Gateway = Awaited<ReturnType<typeof startGateway>>
