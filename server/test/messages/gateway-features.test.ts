import type { Message, MessageCreateParamsNonStreaming } from "@anthropic-ai/sdk/resources"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { maskGreeting, shout, signAnswer } from "../functions/filter-code.ts"
import { deleteFunctions, fetchLastRun, saveFunction } from "../functions/function-client.ts"
import { antsQuestion, antsSource, uploadAntsFile } from "../knowledge/ants-file.ts"
import { createCollection } from "../knowledge/collections.ts"
import { waitForModels } from "../models/wait-for-models.ts"
import {
  chatModel,
  claudeModel,
  type MessagesTestbed,
  requestTo,
  startMessagesTestbed,
} from "./messages-testbed.ts"

let testbed: MessagesTestbed
let fileId: string

beforeAll(async () => {
  testbed = await startMessagesTestbed()
  fileId = await uploadAntsFile(testbed.gateway)
})
afterEach(async () => {
  testbed.reset()
  await deleteFunctions(testbed.gateway)
})
afterAll(() => testbed.stop())

/** The message, whole and as the SDK assembles it from a stream. */
const askBoth = async (
  model: string,
  fields: object = {},
): Promise<{ whole: Message; streamed: Message }> => {
  const params: MessageCreateParamsNonStreaming = { ...requestTo(model), ...fields, stream: false }
  const whole = await testbed.client.messages.create(params)
  const streamed = await testbed.client.messages.stream(params).finalMessage()
  return { whole, streamed }
}

const textOf = ({ content }: Message): string =>
  content.map((block) => (block.type === "text" ? block.text : "")).join("")

const question = { messages: [{ role: "user" as const, content: antsQuestion }] }

describe("files", () => {
  it.each([chatModel, claudeModel])("are what %s bases its answer on", async (model) => {
    const files = [{ type: "file", id: fileId }]
    const { whole, streamed } = await askBoth(model, { ...question, files })
    for (const message of [whole, streamed]) {
      expect(message).toMatchObject({ type: "message", stop_reason: "end_turn" })
      expect(Reflect.get(message, "sources")).toMatchObject([antsSource])
    }
    const isCited = model === chatModel
    expect(Reflect.get(whole, "sources")[0].cited).toBe(isCited ? true : undefined)
    const sent =
      model === chatModel
        ? JSON.stringify(testbed.lastChatBody())
        : JSON.stringify(testbed.anthropic.lastBody())
    expect(sent).toContain("Ants follow a trail of pheromones.")
    expect(sent).not.toContain(fileId)
  })

  it("come with the first event of a stream", async () => {
    const files = [{ type: "file", id: fileId }]
    const { text } = await testbed.send({
      ...{ ...requestTo(chatModel), ...question, files, stream: true },
    })
    const [, first = ""] = /^event: message_start\ndata: (.*)\n\n/.exec(text) ?? []
    expect(JSON.parse(first).message.sources).toMatchObject([antsSource])
    expect(text.split('"sources"')).toHaveLength(2)
  })

  it.each(["x", [{ type: "file" }]])("that are malformed are rejected: %j", async (files) => {
    const { status, text } = await testbed.send({ ...requestTo(claudeModel), files })
    expect(status).toBe(400)
    expect(JSON.parse(text)).toMatchObject({
      error: { type: "invalid_request_error", message: expect.stringContaining('"files"') },
    })
  })
})

describe("a workspace model", () => {
  it("adds its prompt, parameters and knowledge", async () => {
    const collection = await createCollection(testbed.gateway, "Zoo", [fileId])
    for (const [id, base_model_id] of [
      ["zoo", chatModel],
      ["zoo-claude", claudeModel],
    ]) {
      await testbed.gateway.call("POST", "/api/v1/models/create", {
        ...{ id, name: id, base_model_id, meta: { knowledge: [collection] } },
        params: { system: "You are a zookeeper.", temperature: 0.25 },
      })
    }
    await waitForModels(testbed.gateway, ["zoo", "zoo-claude"])
    const fields = { ...question, system: "Be brief." }
    const { whole, streamed } = await askBoth("zoo", fields)
    for (const message of [whole, streamed]) {
      expect(Reflect.get(message, "sources")).toMatchObject([antsSource])
    }
    const chat = testbed.lastChatBody()
    expect(chat).toMatchObject({ model: chatModel, temperature: 0.25 })
    expect(JSON.stringify(chat)).toMatch(/You are a zookeeper.*pheromones.*Be brief/)
    await askBoth("zoo-claude", fields)
    const body = testbed.anthropic.lastBody()
    expect(body).toMatchObject({ model: claudeModel, temperature: 0.25, max_tokens: 100 })
    expect(JSON.stringify(body.system)).toMatch(/You are a zookeeper.*pheromones.*Be brief/)
  })

  it("that only renames its base passes requests on unchanged", async () => {
    await testbed.gateway.call("POST", "/api/v1/models/create", {
      ...{ id: "alias", name: "Alias", base_model_id: claudeModel },
    })
    await waitForModels(testbed.gateway, ["alias"])
    const body = { ...requestTo("alias"), x_new: { a: 1 } }
    const { text } = await testbed.send(body)
    const request = testbed.anthropic.requests.at(-1)
    expect(request?.json).toEqual({ ...body, model: claudeModel })
    expect(text).toBe(request?.sent.body.toString())
  })
})

describe("filters", () => {
  const filter = (id: string, code: string, model: string) =>
    saveFunction(testbed.gateway, id, code, { filter_models: [model] })

  it.each([chatModel, claudeModel])("change what %s gets", async (model) => {
    await filter("mask", maskGreeting, model)
    const { whole, streamed } = await askBoth(model)
    expect(textOf(streamed)).toBe(textOf(whole))
    const sent =
      model === chatModel
        ? JSON.stringify(testbed.lastChatBody())
        : JSON.stringify(testbed.anthropic.lastBody())
    expect(sent).toContain("[greeting] from Anthropic's SDK")
  })

  it("change an answer as it is streamed", async () => {
    await filter("shout", shout, chatModel)
    await filter("shout_claude", shout, claudeModel)
    const chat = await askBoth(chatModel)
    expect(textOf(chat.streamed)).toBe("YOU SAID: HELLO FROM ANTHROPIC'S SDK!")
    expect(textOf(chat.whole)).toBe("YOU SAID: HELLO FROM ANTHROPIC'S SDK!")
    expect(chat.streamed.usage.output_tokens).toBeGreaterThan(0)
    const claude = await askBoth(claudeModel)
    expect(textOf(claude.streamed)).toBe("HELLO THERE.!")
    expect(claude.streamed.usage).toMatchObject({ cache_read_input_tokens: 2000 })
  })

  it("change a complete answer", async () => {
    await filter("sign", signAnswer, chatModel)
    const { whole, streamed } = await askBoth(chatModel)
    expect(textOf(whole)).toBe("You said: Hello from Anthropic's SDK (signed)")
    expect(textOf(streamed)).toBe(textOf(whole))
  })

  it("keep tool calls", async () => {
    await filter("sign", signAnswer.replace(" +=", " ="), claudeModel)
    testbed.anthropic.reply = "tools"
    const { whole, streamed } = await askBoth(claudeModel)
    expect(streamed.content).toEqual(whole.content)
    expect(whole.content.filter(({ type }) => type === "tool_use")).toMatchObject([
      { id: "toolu_1", input: { city: "Lima", days: [1, 2] } },
      { id: "toolu_2", input: {} },
    ])
  })

  it("may refuse a request", async () => {
    await filter("refuse", "export const before = () => { throw new Error('No.') }", chatModel)
    const { status, text } = await testbed.send(requestTo(chatModel))
    expect(status).toBe(502)
    expect(JSON.parse(text)).toMatchObject({ type: "error", error: { type: "api_error" } })
  })
})

describe("a function that acts as a model", () => {
  it("answers, whole and streamed", async () => {
    const code = `export const name = "Echo"
    export async function* reply({ messages, tools }) {
      for (const word of ("You said: " + messages.at(-1).content).split(" ")) yield word + " "
    }`
    await saveFunction(testbed.gateway, "echo", code)
    const { whole, streamed } = await askBoth("echo", { top_k: 3 })
    expect(textOf(whole)).toBe("You said: Hello from Anthropic's SDK ")
    expect(streamed.content).toEqual(whole.content)
    expect(streamed).toMatchObject({ stop_reason: "end_turn", model: "echo" })
    expect(streamed.usage.output_tokens).toBeGreaterThan(0)
    expect((await fetchLastRun(testbed.gateway, "echo")).outcome).toBe("ok")
    const { headers } = await testbed.send({ ...requestTo("echo"), top_k: 3 })
    expect(headers.get("x-portico-dropped")).toBe("top_k")
    expect(await testbed.usageOf({ headers })).toMatchObject({
      operation: "messages",
      model: "echo",
    })
  })

  it("fails in Anthropic's format", async () => {
    const code = `export const name = "Broken"
    export async function* reply() { yield "a"; throw new Error("No.") }`
    await saveFunction(testbed.gateway, "broken", code)
    const { status, text } = await testbed.send(requestTo("broken"))
    expect(status).toBe(502)
    expect(JSON.parse(text)).toMatchObject({ type: "error", error: { type: "api_error" } })
    const streamed = await testbed.send({ ...requestTo("broken"), stream: true })
    expect(streamed.text.match(/^event: (error|message_stop)$/gm)).toEqual(["event: error"])
  })
})
