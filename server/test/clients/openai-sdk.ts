import assert from "node:assert/strict"
import OpenAI, { NotFoundError } from "openai"
import type {
  FunctionTool,
  Response,
  ResponseCreateParamsBase,
  ResponseInput,
} from "openai/resources/responses/responses"
import { collectItems } from "../fakes/collect.ts"
import { type Client, type ClientContext, runFeatureTests } from "./client.ts"
import { findNpmVersion } from "./pinned-versions.ts"
import { pdf, pixel } from "./sample-files.ts"
import {
  plainAnswer,
  structuredAnswer,
  structuredSchema,
} from "./scripted-providers/scripted-model.ts"
import { createToolTests, type ToolAnswer } from "./tool-tests.ts"

const weather: FunctionTool = {
  type: "function",
  name: "weather",
  description: "Looks up the weather.",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  strict: false,
}

const connect = ({ url, key }: ClientContext): OpenAI =>
  new OpenAI({ baseURL: `${url}/v1`, apiKey: key, maxRetries: 0 })

type Body = Omit<ResponseCreateParamsBase, "stream">
type Send = (body: Body) => Promise<Response>

const sendWhole =
  (context: ClientContext): Send =>
  (body) =>
    connect(context).responses.create({ ...body, stream: false })

const sendStreamed =
  (context: ClientContext): Send =>
  async (body) => {
    const stream = connect(context).responses.stream(body)
    const events = await collectItems(stream)
    assert.deepEqual(
      events.map(({ sequence_number }) => sequence_number),
      events.map((_, at) => at),
    )
    return stream.finalResponse()
  }

/** Has the model call the tool, and sends back all items of its answer with the result. */
const callTool = async (send: Send, model: string, question: string): Promise<ToolAnswer> => {
  const input: ResponseInput = [{ role: "user", content: question }]
  const body = { model, tools: [weather], store: false }
  const include = ["reasoning.encrypted_content" as const]
  const first = await send({ ...body, input, include })
  const call = first.output.find((item) => item.type === "function_call")
  assert.equal(call?.name, "weather")
  assert.deepEqual(JSON.parse(call.arguments), { city: "Lima" })
  const output = "21 degrees"
  const result = { type: "function_call_output" as const, call_id: call.call_id, output }
  const history = [...input, ...first.output, result] as ResponseInput
  const second = await send({ ...body, input: history, include })
  assert.match(second.output_text, /The tool returned: 21 degrees/)
  const reasoning = first.output.find((item) => item.type === "reasoning")
  return { reasoning: reasoning?.summary[0]?.text, text: second.output_text }
}

const askAbout = async (
  context: ClientContext,
  file: { type: "input_image" | "input_file" } & Record<string, unknown>,
): Promise<string> => {
  const question = { type: "input_text", text: "What is this?" }
  const input = [{ role: "user", content: [question, file] }] as ResponseInput
  const { output_text } = await sendWhole(context)({ model: context.model, input })
  return output_text
}

/** The `openai` package for JavaScript, with the Responses API. */
export const openaiSdk: Client = {
  name: "`openai` (JavaScript)",
  version: findNpmVersion("openai"),
  api: "responses",
  findMissing: async () => null,
  run: (context) =>
    runFeatureTests(
      {
        text: async ({ model }) => {
          const response = await sendWhole(context)({ model, input: "Hello" })
          assert.equal(response.output_text, plainAnswer)
          assert.equal(response.status, "completed")
          assert.equal(response.usage?.total_tokens, 30)
        },
        stream: async ({ model }) => {
          const response = await sendStreamed(context)({ model, input: "Hello" })
          assert.equal(response.output_text, plainAnswer)
          assert.equal(response.usage?.total_tokens, 30)
          const events = await connect(context).responses.create({
            ...{ model, input: "Hello", stream: true },
          })
          const deltas = (await collectItems(events)).filter(
            ({ type }) => type === "response.output_text.delta",
          )
          assert.ok(deltas.length > 1, "the text did not arrive in pieces")
        },
        ...createToolTests({
          sendFunctions: [sendWhole(context), sendStreamed(context)],
          callTool,
        }),
        "structured output": async ({ model }) => {
          const format = { type: "json_schema" as const, name: "weather", schema: structuredSchema }
          const text = { format: { ...format, strict: true } }
          const response = await connect(context).responses.parse({ model, input: "Hello", text })
          assert.deepEqual(response.output_parsed, structuredAnswer)
        },
        images: async () => {
          const image_url = `data:image/png;base64,${pixel}`
          const answer = await askAbout(context, { type: "input_image", image_url, detail: "auto" })
          assert.equal(answer, "I see image/png.")
        },
        documents: async () => {
          const file_data = `data:application/pdf;base64,${pdf}`
          const file = { type: "input_file" as const, filename: "a.pdf", file_data }
          assert.equal(await askAbout(context, file), "I see application/pdf.")
        },
        errors: async () => {
          const request = sendWhole(context)({ model: "no-such-model", input: "Hello" })
          await assert.rejects(request, NotFoundError)
        },
      },
      context,
    ),
}
