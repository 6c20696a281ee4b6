import {
  type ChatMessage,
  type GeneratedOutput,
  type GenerationRequest,
  generateOutput,
  idOf,
  type Pace,
  paceOf,
  type ToolDefinition,
} from "./fake-model.ts"
import { type Json, type JsonObject, listOf, numberOf, objectOf, textOf } from "./json.ts"
import { missingParameterError } from "./openai-errors.ts"
import {
  eventStreamResponse,
  type FakeResponse,
  formatSseEvent,
  jsonResponse,
  SSE_DONE,
} from "./responses.ts"

/** Supported request fields; all others are returned in `x_echo`. */
const KNOWN = new Set(
  (
    "model messages stream stream_options tools tool_choice parallel_tool_calls response_format logprobs " +
    "top_logprobs n max_tokens max_completion_tokens temperature top_p stop seed user"
  ).split(" "),
)
const CREATED = 1_750_000_000

/** POST /v1/chat/completions */
export const chatCompletion = (body: JsonObject, pace: Pace): FakeResponse => {
  if (!Array.isArray(body.messages)) return missingParameterError("messages")
  const { chunks, delayMs } = paceOf(body.metadata, pace)
  const choices = generateChoices(body, generationRequestOf(body, chunks))
  if (body.stream === true) return eventStreamResponse(frames(body, choices), delayMs)
  const written = choices[0]?.content.length ?? 0
  return { ...jsonResponse(200, completionBody(body, choices)), startDelayMs: delayMs * written }
}

/** Converts the messages for the fake model. */
export const messagesOf = (messages: Json | undefined): ChatMessage[] =>
  listOf(messages).map((message) => {
    const { role, content } = objectOf(message)
    const parts = listOf(content).map(objectOf)
    const text =
      typeof content === "string" ? content : parts.map((part) => textOf(part.text)).join("")
    const images = parts.filter((part) => textOf(part.type).endsWith("image_url")).length
    return { role: textOf(role), text, images }
  })

export const generationRequestOf = (
  body: JsonObject,
  chunks: number | undefined,
): GenerationRequest => ({
  messages: messagesOf(body.messages),
  tools: toolsToCall(body),
  format: formatOf(objectOf(body.response_format)),
  isThinking: textOf(body.model).includes("reason"),
  maxPieces: numberOf(body.max_completion_tokens) ?? numberOf(body.max_tokens),
  chunks,
})

/** Usage of all choices in OpenAI's format. */
export const usageOf = (choices: GeneratedOutput[]): JsonObject => {
  const input = choices[0]?.promptTokens ?? 0
  const output = choices.reduce((sum, generated) => sum + generated.outputTokens, 0)
  const reasoning = choices.reduce((sum, generated) => sum + generated.thinkingTokens, 0)
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: reasoning,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  }
}

/** The tools to call: the named one, all with `parallel_tool_calls: true`, otherwise the first. */
const toolsToCall = (body: JsonObject): ToolDefinition[] => {
  const tools = listOf(body.tools).map((tool): ToolDefinition => {
    const { name, parameters } = objectOf(objectOf(tool).function)
    return { name: textOf(name), parameters }
  })
  const choice = body.tool_choice
  if (choice === "none") return []
  const toolName = textOf(objectOf(objectOf(choice).function).name)
  if (toolName !== "") return tools.filter((tool) => tool.name === toolName)
  return body.parallel_tool_calls === true ? tools : tools.slice(0, 1)
}

const formatOf = (format: JsonObject): GenerationRequest["format"] => {
  if (format.type === "json_object") return "json"
  if (format.type !== "json_schema") return "text"
  return objectOf(objectOf(format.json_schema).schema)
}

/** The first choice is the plain echo; each further one adds a piece with its number. */
const generateChoices = (body: JsonObject, request: GenerationRequest): GeneratedOutput[] => {
  const generated = generateOutput(request)
  return Array.from({ length: numberOf(body.n) ?? 1 }, (_, index) =>
    index === 0 || generated.content.length === 0
      ? generated
      : {
          ...generated,
          content: [...generated.content, ` (choice ${index + 1})`],
          outputTokens: generated.outputTokens + 1,
        },
  )
}

const completionBody = (body: JsonObject, choices: GeneratedOutput[]): JsonObject => ({
  ...headOf(body, "chat.completion"),
  choices: choices.map((generated, index) => ({
    index,
    message: messageOf(generated),
    logprobs: logprobsOf(body, generated.content),
    finish_reason: generated.finish,
  })),
  usage: usageOf(choices),
  ...echoOf(body),
})

const headOf = (body: JsonObject, object: string): JsonObject => ({
  id: idOf("chatcmpl-", JSON.stringify(body)),
  object,
  created: CREATED,
  model: textOf(body.model),
  service_tier: "default",
  system_fingerprint: "fp_fake",
})

const messageOf = (generated: GeneratedOutput): JsonObject => {
  const message: JsonObject = {
    role: "assistant",
    content: generated.content.join(""),
    refusal: null,
    annotations: [],
  }
  if (generated.thinking.length > 0) message.reasoning_content = generated.thinking.join("")
  if (generated.calls.length === 0) return message
  const calls = generated.calls.map(({ id, name, parameters }) => ({
    id,
    type: "function",
    function: { name, arguments: JSON.stringify(parameters) },
  }))
  return { ...message, content: null, tool_calls: calls }
}

const echoOf = (body: JsonObject): JsonObject => {
  const unknown = Object.entries(body).filter(([key]) => !KNOWN.has(key))
  return unknown.length === 0 ? {} : { x_echo: Object.fromEntries(unknown) }
}

const logprobsOf = (body: JsonObject, pieces: string[]): Json => {
  if (body.logprobs !== true) return null
  const content = pieces.map((token): Json => {
    const entry = { token, logprob: -0.25, bytes: [...Buffer.from(token)] }
    return { ...entry, top_logprobs: Number(body.top_logprobs ?? 0) > 0 ? [entry] : [] }
  })
  return { content, refusal: null }
}

function* frames(body: JsonObject, choices: GeneratedOutput[]) {
  const wantsUsage = objectOf(body.stream_options).include_usage === true
  const head = headOf(body, "chat.completion.chunk")
  const tail: JsonObject = wantsUsage ? { usage: null } : {}
  const series = choices.map((generated, index) => stepsOf(body, generated, index))
  const longest = Math.max(0, ...series.map((steps) => steps.length))
  let echo = echoOf(body)
  for (let step = 0; step < longest; step += 1) {
    for (const choice of series.flatMap((steps) => steps[step] ?? [])) {
      yield formatSseEvent({ ...head, choices: [choice], ...tail, ...echo })
      echo = {}
    }
  }
  if (wantsUsage) yield formatSseEvent({ ...head, choices: [], usage: usageOf(choices) })
  yield SSE_DONE
}

const stepsOf = (body: JsonObject, generated: GeneratedOutput, index: number): JsonObject[] => {
  const step = (delta: JsonObject, pieces: string[] = []): JsonObject => ({
    index,
    delta,
    logprobs: pieces.length === 0 ? null : logprobsOf(body, pieces),
    finish_reason: null,
  })
  return [
    step({ role: "assistant", content: generated.calls.length > 0 ? null : "", refusal: null }),
    ...generated.thinking.map((piece) => step({ reasoning_content: piece })),
    ...generated.content.map((piece) => step({ content: piece }, [piece])),
    ...callDeltas(generated).map((call) => step({ tool_calls: [call] })),
    { index, delta: {}, logprobs: null, finish_reason: generated.finish },
  ]
}

/** The first delta contains the name and ID, the others the arguments in pieces. */
const callDeltas = (generated: GeneratedOutput): JsonObject[] =>
  generated.calls.flatMap(({ id, name, parameters }, index) => {
    const text = JSON.stringify(parameters)
    const pieces: string[] = text.match(/.{1,6}/gsu) ?? []
    return [
      { index, id, type: "function", function: { name, arguments: "" } },
      ...pieces.map((piece) => ({ index, function: { arguments: piece } })),
    ]
  })
