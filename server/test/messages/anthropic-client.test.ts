import { describe, expect, it } from "vitest"
import { waitForUsageRecords } from "../harness/usage-records.ts"
import { chatModel, hello, testbed, useMessagesTestbed } from "./messages-testbed.ts"

useMessagesTestbed()

describe("Anthropic's SDK with a model of an OpenAI-style provider", () => {
  it("gets a whole message", async () => {
    const { data, response } = await testbed.client.messages
      .create({ model: chatModel, max_tokens: 100, messages: hello })
      .withResponse()
    expect(data).toMatchObject({
      type: "message",
      role: "assistant",
      content: [{ type: "text", text: expect.stringContaining("Hello from Anthropic's SDK") }],
      stop_reason: "end_turn",
      stop_sequence: null,
    })
    expect(data.id).toMatch(/^msg_/)
    expect(data.usage.output_tokens).toBeGreaterThan(0)
    const [record] = await waitForUsageRecords(
      testbed.gateway,
      response.headers.get("x-request-id") ?? "",
    )
    expect(record).toMatchObject({
      operation: "messages",
      tokens_in: data.usage.input_tokens,
      tokens_out: data.usage.output_tokens,
    })
  })

  it("streams a message", async () => {
    const stream = testbed.client.messages.stream({
      model: chatModel,
      max_tokens: 100,
      messages: hello,
    })
    const types = new Set<string>()
    stream.on("streamEvent", ({ type }) => types.add(type))
    const message = await stream.finalMessage()
    expect(message.content).toMatchObject([
      { type: "text", text: expect.stringContaining("Hello from Anthropic's SDK") },
    ])
    expect(message.usage.output_tokens).toBeGreaterThan(0)
    expect(message.usage.input_tokens).toBeGreaterThan(0)
    expect([...types]).toEqual([
      "message_start",
      "content_block_start",
      "content_block_delta",
      "content_block_stop",
      "message_delta",
      "message_stop",
    ])
  })
})
