import { describe, expect, it } from "vitest"
import { adminKey } from "../harness/gateway.ts"
import {
  chatModel,
  claudeModel,
  requestTo,
  startMessagesTestbed,
  testbed,
  useMessagesTestbed,
} from "./messages-testbed.ts"

useMessagesTestbed()

const user = { role: "user", content: "Hi" }

describe("a request of the Messages API", () => {
  it.each(["/messages", "/messages?beta=true"])("is accepted at /v1%s", async (path) => {
    for (const model of [chatModel, claudeModel]) {
      const { status, text } = await testbed.send(requestTo(model), {}, path)
      expect(status).toBe(200)
      expect(JSON.parse(text)).toMatchObject({ type: "message", stop_reason: "end_turn" })
    }
  })

  it("is accepted by the SDK's beta client", async () => {
    const message = await testbed.client.beta.messages.create({
      ...requestTo(chatModel),
      betas: ["some-beta-2026-01-01"],
      stream: false,
    })
    expect(message.content).toMatchObject([{ type: "text" }])
  })

  it("may have its key in either header", async () => {
    for (const headers of [{ "x-api-key": adminKey }, { authorization: `Bearer ${adminKey}` }]) {
      const response = await fetch(`${testbed.gateway.url}/v1/messages`, {
        method: "POST",
        headers: { ...headers, "anthropic-version": "2023-06-01" },
        body: JSON.stringify(requestTo(chatModel)),
      })
      expect(response.status).toBe(200)
    }
  })

  it.each([
    ["no JSON", "{oops", "JSON"],
    ["no object", "[]", "JSON object"],
    ["no model", { messages: [user] }, '"model"'],
    ["a model that is no string", { model: 1, messages: [user] }, '"model"'],
    ["no messages", { model: chatModel }, '"messages"'],
    ["an empty list of messages", { model: chatModel, messages: [] }, '"messages"'],
    ["a text in place of messages", { model: chatModel, messages: "Hi" }, '"messages"'],
    ["messages that are texts", { model: chatModel, messages: ["Hi"] }, '"messages"'],
    ["stream that is no boolean", { ...requestTo(chatModel), stream: "yes" }, '"stream"'],
    [
      "a block without a type",
      { model: chatModel, messages: [{ role: "user", content: [{ text: "Hi" }] }] },
      "content blocks",
    ],
    [
      "content that is neither a text nor blocks",
      { model: chatModel, messages: [{ role: "user", content: 7 }] },
      "messages[0].content",
    ],
    ["no content", { model: chatModel, messages: [user, { role: "user" }] }, "messages[1].content"],
    [
      "blocks that are texts",
      { model: chatModel, messages: [{ role: "user", content: ["Hi"] }] },
      "messages[0].content",
    ],
    [
      "an unknown role",
      { model: chatModel, messages: [{ role: "robot", content: "Hi" }] },
      '"robot"',
    ],
    ["tools that are no list", { ...requestTo(chatModel), tools: "weather" }, '"tools"'],
    ["a tool without a name", { ...requestTo(chatModel), tools: [{}] }, "tools[0]"],
    ["thinking that is a text", { ...requestTo(chatModel), thinking: "enabled" }, '"thinking"'],
    ["options in a list", { ...requestTo(chatModel), output_config: [] }, '"output_config"'],
    ["a system prompt that is a number", { ...requestTo(chatModel), system: 7 }, '"system"'],
  ])("with %s is rejected with a helpful message", async (_what, body, hint) => {
    const { status, headers, text } = await testbed.send(body)
    expect(status, text).toBe(400)
    expect(headers.get("content-type")).toContain("application/json")
    expect(JSON.parse(text)).toEqual({
      type: "error",
      error: { type: "invalid_request_error", message: expect.stringContaining(hint) },
    })
  })

  it("that is too large is rejected in Anthropic's format", async () => {
    const small = await startMessagesTestbed({ MAX_BODY_SIZE: "10kb" })
    try {
      const messages = [{ role: "user", content: "a".repeat(20_000) }]
      const { status, text } = await small.send({ model: chatModel, messages })
      expect(status).toBe(413)
      expect(JSON.parse(text)).toMatchObject({
        type: "error",
        error: { type: "request_too_large" },
      })
    } finally {
      await small.stop()
    }
  })

  it.each([
    ["GET", "/v1/messages", 405],
    ["DELETE", "/api/v1/messages", 405],
    ["GET", "/v1/messages/count_tokens", 405],
    ["POST", "/v1/messages/unknown", 404],
    ["GET", "/v1/messages/batches", 404],
  ])("to %s %s fails in Anthropic's format", async (method, path, status) => {
    const response = await testbed.gateway.call(method, path)
    expect(response.status).toBe(status)
    expect(response.body).toEqual({
      type: "error",
      error: {
        type: status === 404 ? "not_found_error" : "invalid_request_error",
        message: expect.any(String),
      },
    })
  })
})
