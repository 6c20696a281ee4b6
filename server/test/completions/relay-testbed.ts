import { createServer, type RequestListener, type ServerResponse } from "node:http"
import { adminKey, startGateway, type TestGateway } from "../harness/gateway.ts"
import { listenOnLoopback } from "../harness/ports.ts"
import { waitForModels } from "../models/wait-for-models.ts"

export const jsonHeaders = { "content-type": "application/json" }
const modelLists: Record<string, object> = {
  "GET /api/tags": { models: [{ name: "m", model: "m" }] },
  "POST /api/show": { capabilities: ["completion"] },
  "GET /api/ps": { models: [] },
  "GET /v1/models": { object: "list", data: [{ id: "gpt-m", object: "model" }, { id: "org/m" }] },
}

export interface RelayTestbed {
  origin: string
  gateway: TestGateway
  /** Paths of all requests received except model lists. */
  paths: string[]
  /** Sets how the provider responds to all further requests. */
  respondWith: (respond: (response: ServerResponse) => void) => void
  /** Sends a request to the gateway as the administrator. */
  send: (method: string, path: string, body?: object) => Promise<Response>
  stop: () => Promise<void>
}

/**
 * Starts a gateway with an Ollama and an OpenAI connection to one server, controlled by the test.
 */
export const startRelayTestbed = async (
  env: Record<string, string> = {},
): Promise<RelayTestbed> => {
  let respond: (response: ServerResponse) => void = () => {}
  const paths: string[] = []
  const listener: RequestListener = (request, response) => {
    const list = modelLists[`${request.method} ${request.url}`]
    if (list) {
      response.writeHead(200, jsonHeaders).end(JSON.stringify(list))
      return
    }
    paths.push(request.url ?? "")
    request.resume()
    request.on("end", () => respond(response))
  }
  const server = createServer(listener)
  const origin = `http://127.0.0.1:${await listenOnLoopback(server)}`
  const gateway = await startGateway({
    ...env,
    OLLAMA_BASE_URLS: origin,
    OPENAI_API_BASE_URLS: `${origin}/v1`,
  })
  await gateway.call("POST", "/api/v1/settings", { enable_openai_proxy: true })
  await waitForModels(gateway, ["m", "gpt-m"])
  return {
    ...{ origin, gateway, paths },
    respondWith: (next) => {
      respond = next
    },
    send: (method, path, body) =>
      fetch(gateway.url + path, {
        ...{ method, redirect: "manual" },
        headers: { authorization: `Bearer ${adminKey}`, ...(body && jsonHeaders) },
        ...(body && { body: JSON.stringify(body) }),
      }),
    stop: async () => {
      await gateway.stop()
      server.closeAllConnections()
      server.close()
    },
  }
}
