import type { ServerResponse } from "node:http"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { adminKey } from "../harness/gateway.ts"
import { sendRawBytes } from "../harness/raw-http.ts"
import { httpVariants } from "../harness/transports.ts"
import { jsonHeaders, type RelayTestbed, startRelayTestbed } from "./relay-testbed.ts"

describe.each(httpVariants)("over %s", (_name, env) => {
  const chat = { model: "gpt-m", messages: [{ role: "user", content: "hi" }] }

  let upstream: RelayTestbed
  beforeAll(async () => {
    upstream = await startRelayTestbed(env)
  })
  afterAll(() => upstream.stop())

  describe("a relayed response", () => {
    const line = '{"response":"a"}\n'
    const raw = (path: string, body: object) => {
      const text = JSON.stringify(body)
      const head = `POST ${path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${adminKey}\r\n`
      return sendRawBytes(
        upstream.gateway.url,
        `${head}content-type: application/json\r\ncontent-length: ${text.length}\r\n\r\n${text}`,
        10_000,
      )
    }
    const breaks = (fields: object) => (response: ServerResponse) => {
      response.writeHead(200, { ...fields })
      response.write(line, () => response.destroy())
    }

    it.each(["application/x-ndjson", "text/event-stream", "application/json"])(
      "is aborted if the provider aborts it and its length was declared: %s",
      async (type) => {
        upstream.respondWith(breaks({ "content-type": type, "content-length": "1000" }))
        const before = performance.now()
        const reply = await raw("/ollama/api/generate", { model: "m", prompt: "x" })
        expect(reply.headers).toContain("content-length: 1000")
        expect(reply.body).toBe(line)
        expect(performance.now() - before).toBeLessThan(3000)
      },
    )

    it("ends with an error line if its length was not declared", async () => {
      upstream.respondWith(breaks({ "content-type": "application/x-ndjson" }))
      const reply = await upstream.send("POST", "/ollama/api/generate", { model: "m", prompt: "x" })
      const lines = (await reply.text()).trim().split("\n")
      expect(lines[0]).toBe(line.trim())
      expect(JSON.parse(lines[1] ?? "")).toHaveProperty("error")
    })

    it("is aborted rather than left open if its buffered part is incomplete", async () => {
      const second = await upstream.gateway.call("POST", "/api/v1/connections/create", {
        ...{ name: "second", kind: "ollama", base_url: upstream.origin },
      })
      expect([200, 201]).toContain(second.status)
      const healthy = async () => {
        const path = `/api/v1/connections/${second.body.id}`
        return (await upstream.gateway.call("GET", path)).body.health.models
      }
      await expect.poll(healthy).toBe(1)
      upstream.respondWith((response) => {
        response.writeHead(503, { ...jsonHeaders, "content-length": "100000" })
        response.write('{"error":"')
      })
      const before = performance.now()
      const reply = await raw("/ollama/api/generate", { model: "m", prompt: "x" })
      expect(reply.status).toBe(503)
      expect(performance.now() - before).toBeLessThan(9000)
    })

    it("has no content-length if it has no body", async () => {
      for (const path of ["/ollama/api/version", "/openai/x", "/v1/chat/completions"]) {
        upstream.respondWith(
          (response) => void response.writeHead(204, { "content-length": "0" }).end(),
        )
        const isChat = path.startsWith("/v1")
        const reply = await upstream.send(isChat ? "POST" : "GET", path, isChat ? chat : undefined)
        expect(reply.status).toBe(204)
        expect(reply.headers.get("content-length")).toBeNull()
      }
    })
  })
})
