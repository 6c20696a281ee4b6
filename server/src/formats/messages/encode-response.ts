import { randomUUID } from "node:crypto"
import type { AnswerBlock, AnswerError, FinishReason, StopCause } from "../answer-events.ts"
import { type Answer, type CompleteBlock, textOfAnswer } from "../completion-blocks.ts"
import type { AnswerEncoder, EncoderContext } from "../inbound-format.ts"
import { type Fields, isObject, numberOf, objectsIn, parseObject, textOf } from "../json-values.ts"
import { MalformedResponse } from "../malformed-response.ts"
import { formatTypedEvent } from "../sse-events.ts"
import { shortenToolName } from "../tool-names.ts"
import { messagesErrorType } from "./error-types.ts"

const stopReasons: Record<FinishReason, string> = {
  stop: "end_turn",
  length: "max_tokens",
  tool_calls: "tool_use",
  content_filter: "refusal",
}

const toStopFields = ({ reason, stopSequence }: StopCause): Fields => ({
  stop_reason: stopSequence === "" ? stopReasons[reason] : "stop_sequence",
  stop_sequence: stopSequence || null,
})

/** Unlike in a chat completion, input tokens read from or written to the cache are not included. */
const toUsage = (usage: Fields | null): Fields => {
  const { prompt_tokens, completion_tokens, prompt_tokens_details } = usage ?? {}
  const details = isObject(prompt_tokens_details) ? prompt_tokens_details : {}
  const cache_read_input_tokens = numberOf(details.cached_tokens)
  const cache_creation_input_tokens = numberOf(details.cache_write_tokens)
  const cached = cache_read_input_tokens + cache_creation_input_tokens
  return {
    input_tokens: Math.max(0, numberOf(prompt_tokens) - cached),
    cache_creation_input_tokens,
    cache_read_input_tokens,
    cache_creation: null,
    output_tokens: numberOf(completion_tokens),
    server_tool_use: null,
    service_tier: null,
  }
}

const toMessageId = (id: string): string =>
  id.startsWith("msg_") ? id : `msg_${randomUUID().replaceAll("-", "")}`

const startMessage = ({ id, model }: Pick<Answer, "id" | "model">, extra: Fields): Fields => ({
  ...{ id: toMessageId(id), type: "message", role: "assistant", model, content: [] },
  ...{ stop_reason: null, stop_sequence: null, stop_details: null, container: null },
  usage: toUsage(null),
  ...extra,
})

const toBlock = ({ block, text, signature }: CompleteBlock): Fields => {
  if (block.kind === "text") return { type: "text", text }
  if (block.kind === "reasoning") return { type: "thinking", thinking: text, signature }
  if (block.kind === "redacted") return { type: "redacted_thinking", data: block.data }
  const input = parseObject(text === "" ? "{}" : text)
  if (!input) {
    throw new MalformedResponse(`its call of "${block.name}" has arguments that are not JSON`)
  }
  return { type: "tool_use", id: block.id, name: block.name, input }
}

const emptyBlock = (block: AnswerBlock): Fields =>
  block.kind === "tool"
    ? { type: "tool_use", id: block.id, name: block.name, input: {} }
    : toBlock({ block, text: "", signature: "" })

const toDelta = ({ kind }: AnswerBlock, text: string): Fields => {
  if (kind === "text") return { type: "text_delta", text }
  if (kind === "reasoning") return { type: "thinking_delta", thinking: text }
  return { type: "input_json_delta", partial_json: text }
}

/** Calls get the names of the client's tools, which chat models know by shorter ones. */
const createNameRestorer = ({ tools }: Fields): ((block: AnswerBlock) => AnswerBlock) => {
  const names = objectsIn(tools).map(({ name }) => textOf(name))
  const nameByShortName = new Map(names.map((name) => [shortenToolName(name), name]))
  return (block) =>
    block.kind === "tool"
      ? { ...block, name: nameByShortName.get(block.name) ?? block.name }
      : block
}

/** The body of an error response. */
export const encodeMessagesError = ({ message, code, status }: AnswerError): Fields => ({
  type: "error",
  error: { type: messagesErrorType(status, code), message },
})

/** A failure as the last event of a stream. */
export const formatMessagesError = (error: AnswerError): string =>
  formatTypedEvent(encodeMessagesError(error))

/**
 * Writes an answer as a message of Anthropic's API.
 * @see https://platform.claude.com/docs/en/api/messages
 * @see https://platform.claude.com/docs/en/build-with-claude/streaming
 */
export const createMessageEncoder = ({ request, sourceMembers }: EncoderContext): AnswerEncoder => {
  const restoreName = createNameRestorer(request)
  /** Number of the open block. */
  let index = -1
  let open: AnswerBlock = { kind: "text" }
  let isSigned = false

  const deltaEvent = (delta: Fields): string =>
    formatTypedEvent({ type: "content_block_delta", index, delta })

  return {
    encodeEvent: (event) => {
      switch (event.type) {
        case "start": {
          const message = startMessage(event, sourceMembers(null))
          return formatTypedEvent({ type: "message_start", message })
        }
        case "open": {
          index++
          open = restoreName(event.block)
          isSigned = false
          const started = { type: "content_block_start", index }
          return formatTypedEvent({ ...started, content_block: emptyBlock(open) })
        }
        case "append":
          return deltaEvent(toDelta(open, event.text))
        case "sign":
          isSigned = true
          return deltaEvent({ type: "signature_delta", signature: event.signature })
        case "close": {
          // The AI SDK does not return reasoning without a signature to the model.
          const isUnsigned = open.kind === "reasoning" && !isSigned
          const signed = isUnsigned ? deltaEvent({ type: "signature_delta", signature: "" }) : ""
          return signed + formatTypedEvent({ type: "content_block_stop", index })
        }
        case "finish": {
          const last = formatTypedEvent({
            type: "message_delta",
            delta: toStopFields(event),
            usage: toUsage(event.usage),
          })
          return last + formatTypedEvent({ type: "message_stop" })
        }
        case "error":
          return formatMessagesError(event.error)
      }
    },
    encodeAnswer: (answer) => ({
      ...startMessage(answer, sourceMembers(textOfAnswer(answer))),
      content: answer.blocks.map((complete) =>
        toBlock({ ...complete, block: restoreName(complete.block) }),
      ),
      ...toStopFields(answer),
      usage: toUsage(answer.usage),
    }),
    encodeError: encodeMessagesError,
  }
}
