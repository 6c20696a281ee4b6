import { describe, expect, it } from "vitest"
import { setUpOpenAI } from "../connections/openai-testbed.ts"
import { adminEmail, adminPassword } from "../harness/gateway.ts"
import { upload } from "../knowledge/collections.ts"

const model = "gpt-fake"
const messages = [{ role: "user", content: "hello" }]
const completion = { model, messages, max_tokens: 9 }

type Request = [method: string, path: string, body?: unknown]

const requests: Request[] = [
  ["POST", "/api/v1/auths/signin", { email: adminEmail, password: adminPassword }],
  ["POST", "/api/v1/auths/signin", { email: adminEmail, password: "wrong" }],
  ["GET", "/api/v1/auths/"],
  ["GET", "/api/v1/chats/"],
  ["GET", "/api/v1/chats/all/export"],
  ["GET", "/api/v1/models/export"],
  ["GET", "/api/v1/audit/export"],
  ["GET", "/api/v1/nothing"],
  ["GET", "/v1/models"],
  ["GET", "/api/models"],
  ["GET", "/health"],
  ["POST", "/v1/chat/completions", completion],
  ["POST", "/v1/chat/completions", { ...completion, stream: true }],
  ["POST", "/v1/chat/completions", { ...completion, model: "unknown" }],
  ["POST", "/v1/chat/completions", "{"],
  ["POST", "/v1/messages", completion],
  ["POST", "/v1/messages/count_tokens", completion],
  ["POST", "/v1/responses", { model, input: "hello" }],
  ["POST", "/v1/embeddings", { model, input: "hello" }],
  ["GET", "/v1/responses/resp_unknown"],
  ["POST", "/openai/chat/completions", completion],
  ["GET", "/openai/models"],
]

describe("responses of the API", () => {
  const testbed = setUpOpenAI(model)

  it.each(requests)("are neither cached nor sniffed: %s %s", async (method, path, body) => {
    const { headers } = await testbed().gateway.call(method, path, body)
    expect(headers.get("cache-control")).toBe("private, no-store")
    expect(headers.get("x-content-type-options")).toBe("nosniff")
  })

  it("are neither cached nor sniffed if the request cannot be read", async () => {
    const { headers } = await testbed().gateway.call("GET", "/v1/models", undefined, {
      headers: { "x-long": "x".repeat(20_000) },
    })
    expect(headers.get("cache-control")).toBe("private, no-store")
  })

  it("may have their own rules: a file is revalidated", async () => {
    const { body } = await upload(testbed().gateway, "a.txt", "words")
    const { headers } = await testbed().gateway.call("GET", `/api/v1/files/${body.id}/content`)
    expect(headers.get("cache-control")).toBe("private, no-cache")
  })
})
