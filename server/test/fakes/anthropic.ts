import type {
  Message,
  MessageCreateParams,
  ModelInfo,
  RawMessageStreamEvent,
} from "@anthropic-ai/sdk/resources"
import type { Json } from "./json.ts"
import { eventStreamResponse, formatSseEvent, jsonResponse } from "./responses.ts"
import { type FakeUpstream, type RecordedRequest, startFakeUpstream } from "./upstream.ts"

const capability = (supported: boolean) => ({ supported })

/** The parts of a model's record that the gateway reads, as the documentation shows them. */
const modelInfo = {
  type: "model",
  id: "claude-fake",
  display_name: "Claude Fake",
  created_at: "2026-02-04T00:00:00Z",
  max_input_tokens: 200_000,
  max_tokens: 64_000,
  capabilities: {
    image_input: capability(true),
    thinking: capability(true),
    effort: capability(true),
  },
} as unknown as ModelInfo

/** Another model, with what its record says about capabilities. */
export const createClaudeModel = (id: string, capabilities: object): ModelInfo => ({
  ...modelInfo,
  id,
  capabilities: capabilities as ModelInfo["capabilities"],
})

const usage = {
  input_tokens: 11,
  cache_creation_input_tokens: 100,
  cache_read_input_tokens: 2000,
  output_tokens: 7,
} as Message["usage"]

const toolInput = { city: "Lima", days: [1, 2] }

const content = {
  text: [{ type: "text", text: "Hello there.", citations: null }],
  thinking: [
    { type: "thinking", thinking: "A greeting.", signature: "c2ln" },
    { type: "text", text: "Hello there.", citations: null },
  ],
  tools: [
    { type: "text", text: "I will look.", citations: null },
    {
      type: "tool_use",
      id: "toolu_1",
      name: "weather",
      input: toolInput,
      caller: { type: "direct" },
    },
    { type: "tool_use", id: "toolu_2", name: "now", input: {}, caller: { type: "direct" } },
  ],
} satisfies Record<string, Message["content"]>

/** One of the prepared answers, or the blocks of an answer. */
export type AnthropicReply = keyof typeof content | Message["content"]

const contentOf = (reply: AnthropicReply): Message["content"] =>
  typeof reply === "string" ? content[reply] : reply

const stopReasonOf = (blocks: Message["content"]): Message["stop_reason"] =>
  blocks.some(({ type }) => type === "tool_use") ? "tool_use" : "end_turn"

const createMessage = ({ reply, stopReason, stopSequence }: AnswerState): Message => ({
  id: "msg_fake",
  type: "message",
  role: "assistant",
  model: "claude-fake-20260204",
  content: contentOf(reply),
  stop_reason: stopReason ?? stopReasonOf(contentOf(reply)),
  stop_sequence: stopSequence,
  stop_details: null,
  container: null,
  diagnostics: null,
  usage,
})

const halvesOf = (text: string): [string, string] => {
  const middle = Math.ceil(text.length / 2)
  return [text.slice(0, middle), text.slice(middle)]
}

type Block = Message["content"][number]
type Delta = Extract<RawMessageStreamEvent, { type: "content_block_delta" }>["delta"]

const deltasOf = (block: Block): [Block, Delta[]] => {
  if (block.type === "text") {
    const deltas = halvesOf(block.text).map((text): Delta => ({ type: "text_delta", text }))
    return [{ ...block, text: "" }, deltas]
  }
  if (block.type === "thinking") {
    const { thinking, signature } = block
    const deltas: Delta[] = [
      ...halvesOf(thinking).map((part): Delta => ({ type: "thinking_delta", thinking: part })),
      { type: "signature_delta", signature },
    ]
    return [{ ...block, thinking: "", signature: "" }, deltas]
  }
  if (block.type !== "tool_use") return [block, []]
  const json = JSON.stringify(block.input)
  const pieces = json === "{}" ? [""] : ["", ...halvesOf(json)]
  const deltas = pieces.map((partial_json): Delta => ({ type: "input_json_delta", partial_json }))
  return [{ ...block, input: {} }, deltas]
}

/** The events of a streamed message, in the order of the documentation. */
const createEvents = (state: AnswerState): RawMessageStreamEvent[] => {
  const message = createMessage(state)
  const blocks = message.content.flatMap((block, index): RawMessageStreamEvent[] => {
    const [content_block, deltas] = deltasOf(block)
    return [
      { type: "content_block_start", index, content_block },
      ...deltas.map(
        (delta): RawMessageStreamEvent => ({
          type: "content_block_delta",
          index,
          delta,
        }),
      ),
      { type: "content_block_stop", index },
    ]
  })
  const started = {
    ...message,
    content: [],
    stop_reason: null,
    usage: { ...usage, output_tokens: 1 },
  }
  const { stop_reason, stop_sequence } = message
  return [
    { type: "message_start", message: started },
    ...blocks,
    {
      type: "message_delta",
      delta: { stop_reason, stop_sequence, stop_details: null, container: null },
      usage: { output_tokens: usage.output_tokens },
    } as RawMessageStreamEvent,
    { type: "message_stop" },
  ]
}

const errorBody = (type: string, message: string): Json => ({
  type: "error",
  error: { type, message },
  request_id: "req_fake",
})

const ping = 'event: ping\ndata: {"type": "ping"}\n\n'

interface AnswerState {
  /** What later requests are answered with. */
  reply: AnthropicReply
  /** Null for the one that follows from the answer. */
  stopReason: Message["stop_reason"]
  stopSequence: string | null
  /** How later streams end: completely, with an error event, or without an end. */
  streamEnd: "complete" | "error" | "missing"
  /** What counting tokens returns; null if there is no such route. */
  tokenCount: number | null
}

const defaultState: AnswerState = {
  reply: "text",
  stopReason: null,
  stopSequence: null,
  streamEnd: "complete",
  tokenCount: 2095,
}

export type FakeAnthropic = FakeUpstream &
  AnswerState & {
    /** Answers as at first, without faults. */
    reset: () => void
    /** The body of the last message request. */
    lastBody: () => MessageCreateParams
  }

/**
 * Starts a fake of the Messages API on a free local port. Only the key `anthropic-key` is valid.
 * @param models besides the one that it always has
 */
export const startFakeAnthropic = async (
  models: readonly ModelInfo[] = [],
): Promise<FakeAnthropic> => {
  const state = { ...defaultState }
  const data = [modelInfo, ...models]
  const modelPage = { data, has_more: false, first_id: null, last_id: null }

  const framesOf = (): string[] => {
    const frames = createEvents(state).map((event) =>
      formatSseEvent(event as unknown as Json, event.type),
    )
    frames.splice(1, 0, ping)
    if (state.streamEnd === "complete") return frames
    const started = frames.slice(0, 4)
    if (state.streamEnd === "missing") return started
    return [...started, formatSseEvent(errorBody("overloaded_error", "Overloaded"), "error")]
  }

  const createReply = ({ max_tokens, stream }: MessageCreateParams) => {
    if (typeof max_tokens !== "number")
      return jsonResponse(400, errorBody("invalid_request_error", "max_tokens: Field required"))
    return stream === true
      ? eventStreamResponse(framesOf(), 0)
      : jsonResponse(200, createMessage(state) as unknown as Json)
  }

  const countTokens = () =>
    state.tokenCount === null
      ? jsonResponse(404, errorBody("not_found_error", "Not Found"))
      : jsonResponse(200, { input_tokens: state.tokenCount })

  const respond = ({ method, path, headers, json }: RecordedRequest) => {
    if (headers["x-api-key"] !== "anthropic-key")
      return jsonResponse(401, errorBody("authentication_error", "invalid x-api-key"))
    if (headers["anthropic-version"] !== "2023-06-01")
      return jsonResponse(400, errorBody("invalid_request_error", "anthropic-version: required"))
    switch (`${method} ${path}`) {
      case "GET /v1/models":
        return jsonResponse(200, modelPage as unknown as Json)
      case "POST /v1/messages":
        return createReply(json as unknown as MessageCreateParams)
      case "POST /v1/messages/count_tokens":
        return countTokens()
      default:
        return jsonResponse(404, errorBody("not_found_error", "Not Found"))
    }
  }

  const upstream = await startFakeUpstream({ respond })
  const lastBody = () => {
    const request = upstream.requests.findLast(({ path }) => path === "/v1/messages")
    return request?.json as unknown as MessageCreateParams
  }
  const reset = () => {
    upstream.clearFaults()
    Object.assign(state, defaultState)
  }
  return Object.assign(state, upstream, { reset, lastBody })
}
