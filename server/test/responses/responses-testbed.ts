import OpenAI from "openai"
import type { Response } from "openai/resources/responses/responses"
import type { GatewayOverrides } from "../../src/gateway-overrides.ts"
import { createChatAnswers } from "../fakes/chat-answers.ts"
import type { JsonObject } from "../fakes/json.ts"
import { startFakeOpenAI } from "../fakes/openai.ts"
import type { FakeUpstream } from "../fakes/upstream.ts"
import { adminKey } from "../harness/gateway.ts"
import { startMessagesTestbed } from "../messages/messages-testbed.ts"
import { waitForModels } from "../models/wait-for-models.ts"

/** Its provider has the Responses API. */
export const nativeModel = "gpt-fake"
/** Their provider has chat completions only. */
export const chatModel = "chat-fake"
export const reasoningModel = "chat-reason-fake"

const missing = { kind: "status" as const, status: 404, body: { detail: "Not Found" } }

/** The last POST to one of these paths, as parsed JSON. */
const lastBodyOf = ({ requests }: FakeUpstream, path: RegExp): JsonObject => {
  const request = requests.findLast((one) => one.method === "POST" && path.test(one.path))
  return request?.json as JsonObject
}

/** Starts a gateway in front of three kinds of providers, and OpenAI's SDK as its client. */
export const startResponsesTestbed = async (
  env: Record<string, string> = {},
  options: GatewayOverrides = {},
) => {
  const messages = await startMessagesTestbed(env, options)
  const { gateway, openai, anthropic } = messages
  const chat = await startFakeOpenAI({ models: [chatModel, reasoningModel] })
  const removeResponses = () => chat.injectFault(missing, { on: /responses/, times: Infinity })
  removeResponses()
  await gateway.call("POST", "/api/v1/connections/create", {
    ...{ kind: "openai", name: "Chat", base_url: chat.url },
  })
  await waitForModels(gateway, [chatModel])
  const createClient = (apiKey: string) =>
    new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey, maxRetries: 0 })
  const client = createClient(adminKey)
  // The gateway finds out which providers have the Responses API.
  for (const model of [nativeModel, chatModel]) await client.responses.create({ model, input: "x" })

  return {
    ...{ gateway, openai, anthropic, chat, client, createClient },
    ...createChatAnswers(chat, chatModel),
    usageOf: messages.usageOf,

    /** Sends a request without the SDK, and reads the response as text. */
    send: (body: object | string, headers: Record<string, string> = {}) =>
      messages.send(body, headers, "/responses"),

    /** The response, whole and as the SDK assembles it from a stream. */
    askBoth: async (
      params: Omit<OpenAI.Responses.ResponseCreateParamsNonStreaming, "stream"> & object,
    ): Promise<{ whole: Response; streamed: Response }> => ({
      whole: await client.responses.create(params),
      streamed: await client.responses.stream(params).finalResponse(),
    }),

    lastChatBody: () => lastBodyOf(chat, /completions$/),
    lastNativeBody: () => lastBodyOf(openai, /responses$/),
    lastClaudeBody: () => lastBodyOf(anthropic, /messages$/),

    /** Between tests. */
    reset: (): void => {
      messages.reset()
      chat.clearFaults()
      removeResponses()
    },

    stop: async (): Promise<void> => {
      await messages.stop()
      await chat.close()
    },
  }
}

export type ResponsesTestbed = Awaited<ReturnType<typeof startResponsesTestbed>>

/** The events of a stream, whose names, types and numbers must agree. */
export const readEvents = (text: string): JsonObject[] =>
  text
    .split("\n\n")
    .filter((frame) => frame !== "" && frame !== "data: [DONE]")
    .map((frame, at) => {
      const [, name, data = ""] = /^event: ([\w.]+)\ndata: (.*)$/.exec(frame) ?? []
      const event = JSON.parse(data)
      if (event.type !== name || event.sequence_number !== at)
        throw new Error(`Event ${at} is named ${name}: ${data}`)
      return event
    })

const terminal = /^response\.(completed|incomplete|failed)$|^error$/

/** The types of the events after which nothing may follow. */
export const terminalTypes = (events: readonly JsonObject[]): string[] =>
  events.map(({ type }) => String(type)).filter((type) => terminal.test(type))
