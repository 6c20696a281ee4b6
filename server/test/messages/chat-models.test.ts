import type { ContentBlockParam, MessageParam } from "@anthropic-ai/sdk/resources"
import { describe, expect, it } from "vitest"
import {
  chatModel,
  image,
  reasoningModel,
  requestTo,
  testbed,
  useMessagesTestbed,
} from "./messages-testbed.ts"

useMessagesTestbed()

const ask = (content: string | ContentBlockParam[], fields: object = {}) =>
  testbed.client.messages.create({
    ...{ model: chatModel, max_tokens: 100, messages: [{ role: "user", content }] },
    ...fields,
    stream: false,
  })
const sentMessages = () => testbed.lastChatBody().messages

describe("a chat model asked through the Messages API", () => {
  it("reports the tokens of its reasoning", async () => {
    const completion_tokens_details = { reasoning_tokens: 40 }
    const usage = { prompt_tokens: 9, completion_tokens: 50, completion_tokens_details }
    testbed.answerWith({ content: "Hi" }, "stop", { usage })
    expect((await ask("Hi")).usage).toMatchObject({
      ...{ output_tokens: 50, output_tokens_details: { thinking_tokens: 40 } },
    })
  })

  it("gets the system prompt, whether it is a text or blocks", async () => {
    await ask("Hi", { system: "Be brief." })
    const text = [
      { role: "system", content: "Be brief." },
      { role: "user", content: "Hi" },
    ]
    expect(sentMessages()).toEqual(text)
    await ask("Hi", {
      system: [
        { type: "text", text: "Be brief." },
        { type: "text", text: "Be kind.", cache_control: { type: "ephemeral" } },
      ],
    })
    expect(sentMessages()).toEqual([{ role: "system", content: "Be brief.\n\nBe kind." }, text[1]])
  })

  it("gets the pieces of an answer between citations as one text", async () => {
    const pieces = ["Lima has ", "10 million", " inhabitants."]
    const content = pieces.map((text) => ({ type: "text" as const, text }))
    const question = { role: "user" as const, content: "And Quito?" }
    await testbed.client.messages.create({
      ...{ model: chatModel, max_tokens: 100 },
      messages: [question, { role: "assistant", content }, question],
    })
    expect(sentMessages()).toEqual([
      question,
      { role: "assistant", content: "Lima has 10 million inhabitants." },
      question,
    ])
  })

  it("gets images", async () => {
    const message = await ask([
      { type: "text", text: "What is this?" },
      { type: "image", source: { type: "base64", media_type: "image/png", data: image } },
      { type: "image", source: { type: "url", url: "https://example.com/a.png" } },
    ])
    expect(message.content).toMatchObject([{ text: "I see 2 images. You said: What is this?" }])
    expect(sentMessages()).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "What is this?" },
          { type: "image_url", image_url: { url: `data:image/png;base64,${image}` } },
          { type: "image_url", image_url: { url: "https://example.com/a.png" } },
        ],
      },
    ])
  })

  it("gets large images", async () => {
    const data = image.repeat(40_000)
    await ask([{ type: "image", source: { type: "base64", media_type: "image/png", data } }])
    const url = `data:image/png;base64,${data}`
    expect(sentMessages()).toEqual([
      { role: "user", content: [{ type: "image_url", image_url: { url } }] },
    ])
  })

  it("gets documents", async () => {
    await ask([
      { type: "document", source: { type: "base64", media_type: "application/pdf", data: "JVBE" } },
      {
        type: "document",
        title: "Bees",
        source: { type: "text", media_type: "text/plain", data: "Bees dance." },
      },
      { type: "text", text: "Summarize." },
    ])
    expect(sentMessages()).toEqual([
      {
        role: "user",
        content: [
          {
            type: "file",
            file: { filename: "document.pdf", file_data: "data:application/pdf;base64,JVBE" },
          },
          { type: "text", text: "Bees\n\nBees dance." },
          { type: "text", text: "Summarize." },
        ],
      },
    ])
  })

  it("gets the images in documents, and where search results come from", async () => {
    await ask([
      {
        ...{ type: "document", title: "Bees" },
        source: {
          type: "content",
          content: [
            { type: "text", text: "A bee:" },
            { type: "image", source: { type: "base64", media_type: "image/png", data: image } },
          ],
        },
      },
      {
        ...{ type: "search_result", title: "Ants", source: "https://example.com/ants" },
        content: [
          { type: "text", text: "Ants follow" },
          { type: "text", text: "trails." },
        ],
      },
    ])
    expect(sentMessages()).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "Bees" },
          { type: "text", text: "A bee:" },
          { type: "image_url", image_url: { url: `data:image/png;base64,${image}` } },
          { type: "text", text: "Ants\nhttps://example.com/ants\n\nAnts follow\ntrails." },
        ],
      },
    ])
  })

  it("gets parameters under its own names", async () => {
    await ask("Hi", { stop_sequences: ["END"], temperature: 0.5, top_p: 0.9, max_tokens: 7 })
    expect(testbed.lastChatBody()).toEqual({
      model: chatModel,
      messages: [{ role: "user", content: "Hi" }],
      stop: ["END"],
      temperature: 0.5,
      top_p: 0.9,
      max_tokens: 7,
      stream: false,
    })
  })

  it("says that it stopped at max_tokens, whole and streamed", async () => {
    const params = { ...requestTo(chatModel), max_tokens: 2 }
    const whole = await testbed.client.messages.create(params)
    expect(whole).toMatchObject({ stop_reason: "max_tokens", content: [{ text: "You said:" }] })
    const streamed = await testbed.client.messages.stream(params).finalMessage()
    expect(streamed.stop_reason).toBe("max_tokens")
  })

  it("says that it refused", async () => {
    testbed.answerWith({ content: null, refusal: "I cannot." }, "content_filter")
    const whole = await ask("Hi")
    expect(whole).toMatchObject({ stop_reason: "refusal", content: [{ text: "I cannot." }] })
    testbed.streamDeltas([{ refusal: "I " }, { refusal: "cannot." }], "content_filter")
    const streamed = await testbed.client.messages.stream(requestTo(chatModel)).finalMessage()
    expect(streamed).toMatchObject({ stop_reason: "refusal", content: [{ text: "I cannot." }] })
  })

  it("answers with JSON that fits a schema", async () => {
    const schema = {
      type: "object",
      properties: { reply: { type: "string" } },
      required: ["reply"],
      additionalProperties: false,
    }
    const { content } = await ask("Hi", {
      output_config: { format: { type: "json_schema", schema } },
    })
    expect(testbed.lastChatBody().response_format).toEqual({
      type: "json_schema",
      json_schema: { name: "output", schema, strict: true },
    })
    const [block] = content
    expect(JSON.parse(block?.type === "text" ? block.text : "")).toEqual({
      reply: "You said: Hi",
    })
  })

  it("counts cached tokens apart from the other input tokens", async () => {
    const usage = {
      prompt_tokens: 100,
      completion_tokens: 5,
      prompt_tokens_details: { cached_tokens: 90 },
    }
    const body = { choices: [{ message: { content: "Hi" }, finish_reason: "stop" }], usage }
    testbed.openai.injectFault({ kind: "reply", body: JSON.stringify(body) }, { on: /completions/ })
    const { data, response } = await testbed.client.messages
      .create(requestTo(chatModel))
      .withResponse()
    expect(data.usage).toMatchObject({
      input_tokens: 10,
      cache_read_input_tokens: 90,
      cache_creation_input_tokens: 0,
      output_tokens: 5,
    })
    expect(await testbed.usageOf(response)).toMatchObject({
      operation: "messages",
      outcome: "ok",
      tokens_in: 100,
      tokens_out: 5,
    })
  })
})

describe("a chat model's reasoning", () => {
  const thought = "Thinking about: Hello from Anthropic's SDK"

  it("is thinking without a signature, whole and streamed", async () => {
    const expected = [
      { type: "thinking", thinking: thought, signature: "" },
      { type: "text", text: "You said: Hello from Anthropic's SDK" },
    ]
    const whole = await testbed.client.messages.create(requestTo(reasoningModel))
    expect(whole.content).toMatchObject(expected)
    const stream = testbed.client.messages.stream(requestTo(reasoningModel))
    const thoughts: string[] = []
    stream.on("thinking", (delta) => thoughts.push(delta))
    const streamed = await stream.finalMessage()
    expect(streamed.content).toMatchObject(expected)
    expect(thoughts.join("")).toBe(thought)
  })

  it("goes back with the results of the tool calls that followed from it", async () => {
    const tool = { name: "look", input_schema: { type: "object" as const, properties: {} } }
    const params = { ...requestTo(reasoningModel), tools: [tool] }
    const first = await testbed.client.messages.stream(params).finalMessage()
    const use = first.content.find(({ type }) => type === "tool_use")
    if (use?.type !== "tool_use") throw new Error("The model did not call the tool")
    const picture: ContentBlockParam = {
      type: "image",
      source: { type: "base64", media_type: "image/png", data: image },
    }
    const result: ContentBlockParam = {
      type: "tool_result",
      tool_use_id: use.id,
      content: [{ type: "text", text: "A bee." }, picture],
    }
    const turns: MessageParam[] = [
      ...params.messages,
      { role: "assistant", content: first.content },
      { role: "user", content: [result] },
    ]
    await testbed.client.messages.create({ ...params, messages: turns })
    const [, calling, answer, pictures] = sentMessages() as object[]
    expect(calling).toMatchObject({ role: "assistant", reasoning_content: thought })
    expect(answer).toMatchObject({ role: "tool", content: "A bee." })
    expect(pictures).toMatchObject({ role: "user", content: [{ type: "image_url" }] })

    await testbed.client.messages.create({
      ...params,
      messages: [
        ...turns,
        { role: "assistant", content: "It is a bee." },
        { role: "user", content: "And now?" },
      ],
    })
    expect(JSON.stringify(sentMessages())).not.toContain(thought)
  })
})
