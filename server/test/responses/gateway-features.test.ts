import type { Response } from "openai/resources/responses/responses"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { maskGreeting, shout, signAnswer } from "../functions/filter-code.ts"
import { deleteFunctions, fetchLastRun, saveFunction } from "../functions/function-client.ts"
import { antsQuestion, antsSource, uploadAntsFile } from "../knowledge/ants-file.ts"
import { createCollection } from "../knowledge/collections.ts"
import { claudeModel } from "../messages/messages-testbed.ts"
import { waitForModels } from "../models/wait-for-models.ts"
import {
  chatModel,
  nativeModel,
  type ResponsesTestbed,
  readEvents,
  startResponsesTestbed,
  terminalTypes,
} from "./responses-testbed.ts"

let testbed: ResponsesTestbed
let fileId: string

beforeAll(async () => {
  testbed = await startResponsesTestbed()
  fileId = await uploadAntsFile(testbed.gateway)
})
afterEach(async () => {
  testbed.reset()
  await deleteFunctions(testbed.gateway)
})
afterAll(() => testbed.stop())

const models = [chatModel, claudeModel, nativeModel]

/** What the model's provider got last: chat completions if the gateway reads the prompt. */
const sentTo = (model: string): object => {
  if (model === claudeModel) return testbed.lastClaudeBody()
  const { requests } = model === chatModel ? testbed.chat : testbed.openai
  return Object(requests.findLast(({ method }) => method === "POST")?.json)
}

const sourcesOf = (response: Response) => Reflect.get(response, "sources")

describe("files", () => {
  it.each(models)("are what %s bases its answer on", async (model) => {
    const files = [{ type: "file", id: fileId }]
    const { whole, streamed } = await testbed.askBoth({
      model,
      input: antsQuestion,
      files,
    } as never)
    for (const response of [whole, streamed]) {
      expect(response).toMatchObject({ object: "response", status: "completed" })
      expect(sourcesOf(response)).toMatchObject([antsSource])
      const cited = sourcesOf(response)[0].cited
      expect(cited).toBe(model === claudeModel ? undefined : true)
    }
    const sent = JSON.stringify(sentTo(model))
    expect(sent).toContain("Ants follow a trail of pheromones.")
    expect(sent).not.toContain(fileId)
    const stored = await testbed.client.responses.retrieve(whole.id)
    expect(sourcesOf(stored)).toMatchObject([antsSource])
  })

  it("come with the first event of a stream", async () => {
    const files = [{ type: "file", id: fileId }]
    const body = { model: chatModel, input: antsQuestion, files, stream: true, store: false }
    const [created] = readEvents((await testbed.send(body)).text)
    expect(created).toMatchObject({ type: "response.created", response: { sources: [antsSource] } })
  })

  it.each(["x", [{ type: "file" }]])("that are malformed are rejected: %j", async (files) => {
    const { status, text } = await testbed.send({ model: nativeModel, input: antsQuestion, files })
    expect(status).toBe(400)
    expect(JSON.parse(text)).toMatchObject({
      error: { type: "invalid_request_error", message: expect.stringContaining('"files"') },
    })
  })
})

describe("a workspace model", () => {
  it.each(models)("adds its prompt, parameters and knowledge to %s", async (model) => {
    const id = `zoo-${model}`
    const collection = await createCollection(testbed.gateway, id, [fileId])
    await testbed.gateway.call("POST", "/api/v1/models/create", {
      ...{ id, name: id, base_model_id: model, meta: { knowledge: [collection] } },
      params: { system: "You are a zookeeper.", temperature: 0.25 },
    })
    await waitForModels(testbed.gateway, [id])
    const params = { model: id, input: antsQuestion, instructions: "Be brief." }
    const { whole, streamed } = await testbed.askBoth(params)
    for (const response of [whole, streamed]) {
      expect(sourcesOf(response)).toMatchObject([antsSource])
    }
    const sent = sentTo(model)
    expect(sent).toMatchObject({ model, temperature: 0.25 })
    const { system, messages } = sent as { system?: unknown; messages: unknown }
    expect(JSON.stringify(system ?? messages)).toMatch(/You are a zookeeper.*pheromones.*Be brief/)
  })

  it("that only renames its base passes requests on unchanged", async () => {
    await testbed.gateway.call("POST", "/api/v1/models/create", {
      ...{ id: "alias", name: "Alias", base_model_id: nativeModel },
    })
    await waitForModels(testbed.gateway, ["alias"])
    const body = { model: "alias", input: "Hi", x_new: { a: 1 }, store: false }
    const { text } = await testbed.send(body)
    const request = testbed.openai.requests.at(-1)
    expect(request?.json).toEqual({ ...body, model: nativeModel })
    expect(text).toBe(request?.sent.body.toString())
  })

  it("is not found by users without a grant", async () => {
    await testbed.gateway.call("POST", "/api/v1/models/create", {
      ...{ id: "private", name: "Private", base_model_id: nativeModel, access_grants: [] },
    })
    await waitForModels(testbed.gateway, ["private"])
    const { key } = await testbed.gateway.createUser("Grace")
    const request = testbed.createClient(key).responses.create({ model: "private", input: "Hi" })
    await expect(request).rejects.toMatchObject({ status: 404, code: "model_not_found" })
  })
})

describe("filters", () => {
  const filter = (id: string, code: string, model: string) =>
    saveFunction(testbed.gateway, id, code, { filter_models: [model] })

  it.each(models)("change what %s gets", async (model) => {
    await filter("mask", maskGreeting, model)
    const { whole, streamed } = await testbed.askBoth({ model, input: "Hello you" })
    expect(streamed.output_text).toBe(whole.output_text)
    expect(JSON.stringify(sentTo(model))).toContain("[greeting] you")
  })

  it.each(models)("change an answer of %s, as it is streamed or complete", async (model) => {
    const answer = model === claudeModel ? "Hello there." : "You said: Hello"
    await filter("shout", shout, model)
    const loud = await testbed.askBoth({ model, input: "Hello" })
    for (const { output_text, usage } of [loud.whole, loud.streamed]) {
      expect(output_text).toBe(`${answer.toUpperCase()}!`)
      expect(usage?.output_tokens).toBeGreaterThan(0)
    }
    await testbed.gateway.call("DELETE", "/api/v1/functions/id/shout/delete")
    await filter("sign", signAnswer, model)
    const signed = await testbed.askBoth({ model, input: "Hello" })
    for (const { id, output_text } of [signed.whole, signed.streamed]) {
      expect(output_text).toBe(`${answer} (signed)`)
      expect(await testbed.client.responses.retrieve(id)).toMatchObject({ output_text })
    }
  })

  it("keep tool calls", async () => {
    await filter("sign", signAnswer.replace(" +=", " ="), claudeModel)
    testbed.anthropic.reply = "tools"
    const { whole, streamed } = await testbed.askBoth({ model: claudeModel, input: "Hi" })
    for (const { output } of [whole, streamed]) {
      expect(output.filter(({ type }) => type === "function_call")).toMatchObject([
        { call_id: "toolu_1", arguments: '{"city":"Lima","days":[1,2]}' },
        { call_id: "toolu_2", arguments: "{}" },
      ])
    }
  })

  it.each([
    ["whole", false],
    ["streamed", true],
  ])("leave the reason why a %s answer cannot be read", async (_form, stream) => {
    await filter("shout", shout, chatModel)
    const call = {
      id: "call_1",
      type: "function",
      function: { name: "f", arguments: '{"path":a}' },
    }
    testbed.answer(stream, { message: {}, calls: [call] })
    const tools = [{ type: "function", name: "f", parameters: { type: "object" } }]
    const response = await testbed.send({ model: chatModel, input: "Hi", tools, stream })
    expect(response.status).toBe(stream ? 200 : 502)
    expect(response.text).toContain("has arguments that are not JSON")
    expect(await testbed.usageOf(response)).toMatchObject({ outcome: "upstream_error" })
  })

  it("may refuse a request", async () => {
    await filter("refuse", "export const before = () => { throw new Error('No.') }", nativeModel)
    const { status, text } = await testbed.send({ model: nativeModel, input: "Hi" })
    expect(status).toBe(502)
    expect(JSON.parse(text)).toMatchObject({ error: { type: "server_error" } })
  })
})

describe("a function that acts as a model", () => {
  it("answers, whole and streamed", async () => {
    const code = `export const name = "Echo"
    export async function* reply({ messages }) {
      for (const word of ("You said: " + messages.at(-1).content).split(" ")) yield word + " "
    }`
    await saveFunction(testbed.gateway, "echo", code)
    const { whole, streamed } = await testbed.askBoth({ model: "echo", input: "Hello" })
    for (const response of [whole, streamed]) {
      expect(response).toMatchObject({ status: "completed", output_text: "You said: Hello " })
      expect(response.model).toBe("echo")
      expect(response.usage?.output_tokens).toBeGreaterThan(0)
    }
    expect((await fetchLastRun(testbed.gateway, "echo")).outcome).toBe("ok")
    const previous_response_id = whole.id
    const response = await testbed.send({ model: "echo", input: "Bye", previous_response_id })
    expect(await testbed.usageOf(response)).toMatchObject({ operation: "responses", model: "echo" })
  })

  it("fails in OpenAI's format", async () => {
    const code = `export const name = "Broken"
    export async function* reply() { yield "a"; throw new Error("No.") }`
    await saveFunction(testbed.gateway, "broken", code)
    const { status, text } = await testbed.send({ model: "broken", input: "Hi" })
    expect(status).toBe(502)
    expect(JSON.parse(text)).toMatchObject({ error: { type: "server_error" } })
    const streamed = await testbed.send({ model: "broken", input: "Hi", stream: true })
    expect(terminalTypes(readEvents(streamed.text))).toEqual(["response.failed"])
  })
})
