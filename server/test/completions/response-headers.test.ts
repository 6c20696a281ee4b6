import type { ServerResponse } from "node:http"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { httpVariants } from "../harness/transports.ts"
import { type RelayTestbed, startRelayTestbed } from "./relay-testbed.ts"

describe.each(httpVariants)("over %s", (_name, env) => {
  /** Headers that would act in the gateway's name or affect the client. */
  const strippedHeaders = {
    "set-cookie": "token=stolen; Path=/",
    "access-control-allow-origin": "*",
    "access-control-allow-credentials": "true",
    "service-worker-allowed": "/",
    "content-security-policy": "default-src *",
    "strict-transport-security": "max-age=1",
    "clear-site-data": '"*"',
    "x-accel-redirect": "/etc/passwd",
    "x-accel-buffering": "yes",
    "x-sendfile": "/etc/passwd",
    "x-frame-options": "ALLOWALL",
    location: "https://elsewhere.example/",
    refresh: "0; url=https://elsewhere.example/",
    link: "</x>; rel=preload",
    "x-request-id": "theirs",
    "x-anything": "else",
    "openai-organization": "our-company",
    "openai-project": "proj_1",
    "anthropic-organization-id": "our-company",
    "x-ratelimit-remaining-requests": "3",
    "anthropic-ratelimit-tokens-remaining": "3",
  }
  /** The gateway sets the others itself. */
  const neverForwarded = Object.keys(strippedHeaders).filter(
    (name) => name !== "x-request-id" && name !== "content-security-policy",
  )
  const forwardedResponseHeaders = {
    "retry-after": "7",
    "retry-after-ms": "7000",
    "x-should-retry": "true",
    "request-id": "req_1",
    "openai-processing-ms": "12",
  }

  const respondWith =
    (status: number, type: string, body: string) => (response: ServerResponse) => {
      const length = { "content-length": Buffer.byteLength(body) }
      response
        .writeHead(status, {
          ...strippedHeaders,
          ...forwardedResponseHeaders,
          ...length,
          "content-type": type,
        })
        .end(body)
    }

  const chat = { model: "gpt-m", messages: [{ role: "user", content: "hi" }] }
  const completion = JSON.stringify({
    ...{ id: "1", object: "chat.completion", created: 1, model: "gpt-m" },
    choices: [{ index: 0, message: { role: "assistant", content: "hi" }, finish_reason: "stop" }],
  })
  const events = `data: ${completion}\n\ndata: [DONE]\n\n`

  const routes: [string, string, string, object | undefined, [number, string, string][]][] = [
    [
      "the native proxy",
      "GET",
      "/ollama/api/version",
      undefined,
      [
        [200, "application/json", "{}"],
        [200, "text/html", "<script>1</script>"],
        [404, "text/html; charset=utf-8", "<h1>404</h1>"],
        [302, "text/plain", "elsewhere"],
      ],
    ],
    [
      "a native write",
      "POST",
      "/ollama/api/pull",
      { model: "m" },
      [
        [200, "application/x-ndjson", '{"status":"success"}\n'],
        [200, "image/svg+xml", "<svg/>"],
      ],
    ],
    [
      "native generation",
      "POST",
      "/ollama/api/generate",
      { model: "m", prompt: "x" },
      [
        [200, "application/x-ndjson; charset=utf-8", "{}\n"],
        [500, "application/xhtml+xml", "<html/>"],
      ],
    ],
    [
      "the OpenAI proxy",
      "POST",
      "/openai/chat/completions",
      chat,
      [
        [200, "application/json", completion],
        [200, "text/event-stream", events],
        [200, "text/html", "<p>"],
      ],
    ],
    [
      "completions",
      "POST",
      "/v1/chat/completions",
      chat,
      [
        [200, "application/json", completion],
        [400, "application/json", '{"error":{"message":"no"}}'],
        [500, "text/html", "<p>"],
      ],
    ],
    [
      "streamed completions",
      "POST",
      "/v1/chat/completions",
      { ...chat, stream: true },
      [[200, "text/event-stream", events]],
    ],
    [
      "embeddings",
      "POST",
      "/v1/embeddings",
      { model: "gpt-m", input: "x" },
      [[200, "application/json", '{"object":"list","data":[]}']],
    ],
  ]
  const cases = routes.flatMap(([name, method, path, body, replies]) =>
    replies.map(([status, type, text]) => ({ name, method, path, body, status, type, text })),
  )

  let upstream: RelayTestbed
  beforeAll(async () => {
    upstream = await startRelayTestbed(env)
  })
  afterAll(() => upstream.stop())

  describe("the headers of a relayed response", () => {
    it.each(cases)("are forwarded by one allow list: $name, $status $type", async (sent) => {
      upstream.respondWith(respondWith(sent.status, sent.type, sent.text))
      const reply = await upstream.send(sent.method, sent.path, sent.body)
      const body = await reply.text()
      expect(reply.status).toBe(sent.status)
      for (const name of neverForwarded) {
        expect([name, reply.headers.get(name)]).toEqual([name, null])
      }
      expect(reply.headers.get("x-request-id")).not.toBe("theirs")
      expect(Object.fromEntries(reply.headers)).toMatchObject(forwardedResponseHeaders)
      const type = reply.headers.get("content-type") ?? ""
      const isInert = /^(application\/(json|x-ndjson)|text\/event-stream)(;|$)/.test(type)
      if (isInert) expect(body).not.toMatch(/^</)
      else {
        expect(reply.headers.get("content-security-policy")).toBe("sandbox")
        expect(reply.headers.get("x-content-type-options")).toBe("nosniff")
      }
    })

    it("never let a response with two content types, or none, render as a page", async () => {
      for (const types of [["application/json", "text/html"], []]) {
        upstream.respondWith((response) => {
          const fields = types.flatMap((type) => ["content-type", type])
          response.writeHead(200, fields).end("<script>1</script>")
        })
        const reply = await upstream.send("GET", "/ollama/api/version")
        expect(reply.headers.get("content-security-policy")).toBe("sandbox")
        expect(reply.headers.get("x-content-type-options")).toBe("nosniff")
      }
    })
  })
})
