import assert from "node:assert/strict"
import Anthropic, { NotFoundError } from "@anthropic-ai/sdk"
import { jsonSchemaOutputFormat } from "@anthropic-ai/sdk/helpers/json-schema"
import type {
  ContentBlockParam,
  Message,
  MessageCreateParamsNonStreaming,
  MessageParam,
  Tool,
} from "@anthropic-ai/sdk/resources"
import { type Client, type ClientContext, runFeatureTests } from "./client.ts"
import { findNpmVersion } from "./pinned-versions.ts"
import { pdf, pixel } from "./sample-files.ts"
import {
  plainAnswer,
  structuredAnswer,
  structuredSchema,
} from "./scripted-providers/scripted-model.ts"
import { createToolTests, type ToolAnswer } from "./tool-tests.ts"

const weather: Tool = {
  name: "weather",
  description: "Looks up the weather.",
  input_schema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
}
const max_tokens = 100
const hello: MessageParam[] = [{ role: "user", content: "Hello" }]

const connect = ({ url, key }: ClientContext): Anthropic =>
  new Anthropic({ baseURL: url, apiKey: key, maxRetries: 0 })

const textOfMessage = ({ content }: Message): string =>
  content.map((block) => (block.type === "text" ? block.text : "")).join("")

type Send = (body: MessageCreateParamsNonStreaming) => Promise<Message>

const sendWhole =
  (context: ClientContext): Send =>
  (body) =>
    connect(context).messages.create(body)

const sendStreamed =
  (context: ClientContext): Send =>
  (body) =>
    connect(context).messages.stream(body).finalMessage()

/** Has the model call the tool, and sends back all blocks of its answer with the result. */
const callTool = async (send: Send, model: string, question: string): Promise<ToolAnswer> => {
  const messages: MessageParam[] = [{ role: "user", content: question }]
  const body = { model, max_tokens, tools: [weather] }
  const first = await send({ ...body, messages })
  assert.equal(first.stop_reason, "tool_use")
  const call = first.content.find((block) => block.type === "tool_use")
  assert.equal(call?.name, "weather")
  assert.deepEqual(call.input, { city: "Lima" })
  const content = "21 degrees"
  const result = { type: "tool_result" as const, tool_use_id: call.id, content }
  messages.push({ role: "assistant", content: first.content })
  messages.push({ role: "user", content: [result] })
  const second = await send({ ...body, messages })
  const text = textOfMessage(second)
  assert.match(text, /The tool returned: 21 degrees/)
  const reasoning = first.content.find((block) => block.type === "thinking")
  return { reasoning: reasoning?.thinking, text }
}

const askAbout = async (context: ClientContext, file: ContentBlockParam): Promise<string> => {
  const content: ContentBlockParam[] = [file, { type: "text", text: "What is this?" }]
  const messages: MessageParam[] = [{ role: "user", content }]
  return textOfMessage(await sendWhole(context)({ model: context.model, max_tokens, messages }))
}

/** Anthropic's SDK for JavaScript. */
export const anthropicSdk: Client = {
  name: "`@anthropic-ai/sdk`",
  version: findNpmVersion("@anthropic-ai/sdk"),
  api: "messages",
  findMissing: async () => null,
  run: (context) =>
    runFeatureTests(
      {
        text: async ({ model }) => {
          const message = await sendWhole(context)({ model, max_tokens, messages: hello })
          assert.equal(textOfMessage(message), plainAnswer)
          assert.equal(message.usage.output_tokens, 10)
        },
        stream: async ({ model }) => {
          const stream = connect(context).messages.stream({ model, max_tokens, messages: hello })
          const pieces: string[] = []
          stream.on("text", (piece) => pieces.push(piece))
          const message = await stream.finalMessage()
          assert.equal(textOfMessage(message), plainAnswer)
          assert.equal(pieces.join(""), plainAnswer)
          assert.ok(pieces.length > 1, "the text did not arrive in pieces")
        },
        ...createToolTests({
          sendFunctions: [sendWhole(context), sendStreamed(context)],
          callTool,
        }),
        "structured output": async ({ model }) => {
          const message = await connect(context).messages.parse({
            ...{ model, max_tokens, messages: hello },
            output_config: { format: jsonSchemaOutputFormat(structuredSchema) },
          })
          assert.deepEqual(message.parsed_output, structuredAnswer)
        },
        images: async () => {
          const source = { type: "base64" as const, media_type: "image/png" as const, data: pixel }
          assert.equal(await askAbout(context, { type: "image", source }), "I see image/png.")
        },
        documents: async () => {
          const media_type = "application/pdf" as const
          const source = { type: "base64" as const, media_type, data: pdf }
          const answer = await askAbout(context, { type: "document", source })
          assert.equal(answer, "I see application/pdf.")
        },
        errors: async () => {
          const body = { model: "no-such-model", max_tokens, messages: hello }
          await assert.rejects(sendWhole(context)(body), NotFoundError)
        },
      },
      context,
    ),
}
