import { randomUUID } from "node:crypto"
import { toBlockCitation } from "../annotations.ts"
import {
  type Answer,
  type AnswerBlock,
  type AnswerEvent,
  type CompleteBlock,
  refusalOf,
  textOfAnswer,
} from "../canonical-answer.ts"
import type { AnswerError } from "../error-body.ts"
import type { FinishReason, StopCause } from "../finish-reason.ts"
import type { AnswerEncoder, EncoderContext } from "../inbound-format.ts"
import { type Fields, numberOf, objectsIn, parseObject, textOf } from "../json-values.ts"
import { isProviderState } from "../provider-state.ts"
import { readTokenDetails } from "../read-token-details.ts"
import { formatTypedEvent } from "../sse-events.ts"
import { shortenToolName } from "../tool-names.ts"
import { messagesErrorType } from "./messages-error-type.ts"

const stopReasons: Record<FinishReason, string> = {
  stop: "end_turn",
  length: "max_tokens",
  tool_calls: "tool_use",
  content_filter: "refusal",
}

/** @param refusal the model's own words; empty if it did not refuse in words */
const toStopFields = ({ reason, stopSequence }: StopCause, refusal: string): Fields => {
  const isRefusal = refusal !== "" && (reason === "stop" || reason === "content_filter")
  const stop_reason = isRefusal ? "refusal" : stopReasons[reason]
  const explained = { type: "refusal", category: null, explanation: refusal }
  return {
    stop_reason: stopSequence === "" ? stop_reason : "stop_sequence",
    stop_sequence: stopSequence || null,
    ...(isRefusal && { stop_details: explained }),
  }
}

/** Unlike in a chat completion, input tokens read from or written to the cache are not included. */
const toUsage = (usage: Fields | null): Fields => {
  const { prompt_tokens, completion_tokens } = usage ?? {}
  const { cached, cacheWritten, reasoning } = readTokenDetails(usage ?? {})
  return {
    input_tokens: Math.max(0, numberOf(prompt_tokens) - cached - cacheWritten),
    cache_creation_input_tokens: cacheWritten,
    cache_read_input_tokens: cached,
    cache_creation: null,
    output_tokens: numberOf(completion_tokens),
    ...(reasoning !== null && { output_tokens_details: { thinking_tokens: reasoning } }),
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

const toBlock = ({ block, text, signature, annotations = [] }: CompleteBlock): Fields => {
  if (block.kind === "text" || block.kind === "refusal") {
    const citations = annotations.map(toBlockCitation).filter((one) => one !== null)
    return { type: "text", text, ...(citations.length > 0 && { citations }) }
  }
  if (block.kind === "reasoning") return { type: "thinking", thinking: text, signature }
  if (block.kind === "redacted") return { type: "redacted_thinking", data: block.data }
  // Only the last call of an answer that is too long may be no JSON.
  return { type: "tool_use", id: block.id, name: block.name, input: parseObject(text) ?? {} }
}

const emptyBlock = (block: AnswerBlock): Fields =>
  block.kind === "tool"
    ? { type: "tool_use", id: block.id, name: block.name, input: {} }
    : toBlock({ block, text: "", signature: "" })

const toDelta = ({ kind }: AnswerBlock, text: string): Fields => {
  if (kind === "text" || kind === "refusal") return { type: "text_delta", text }
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
  let refusal = ""
  /** The end of a text. What a provider needs back with it may still follow. */
  let textEnd = ""

  const deltaEvent = (delta: Fields): string =>
    formatTypedEvent({ type: "content_block_delta", index, delta })

  const annotate = (annotation: Fields): string => {
    const citation = toBlockCitation(annotation)
    return citation ? deltaEvent({ type: "citations_delta", citation }) : ""
  }

  const closeBlock = (): string => {
    const end = formatTypedEvent({ type: "content_block_stop", index })
    if (open.kind === "text") {
      textEnd = end
      return ""
    }
    // The AI SDK does not return reasoning without a signature to the model.
    const isUnsigned = open.kind === "reasoning" && !isSigned
    return (isUnsigned ? deltaEvent({ type: "signature_delta", signature: "" }) : "") + end
  }

  const takeTextEnd = (event: AnswerEvent): string => {
    const block = event.type === "open" ? event.block : open
    const isOfBlock = event.type === "open" || event.type === "close"
    // Claude Code takes the block that ends last for the answer.
    if (isOfBlock && block.kind === "redacted" && isProviderState(block.data)) return ""
    const end = textEnd
    textEnd = ""
    return end
  }

  const encodeEvent = (event: AnswerEvent): string => {
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
        if (open.kind === "refusal") refusal += event.text
        return deltaEvent(toDelta(open, event.text))
      case "annotate":
        return annotate(event.annotation)
      case "sign":
        isSigned = true
        return deltaEvent({ type: "signature_delta", signature: event.signature })
      case "close":
        return closeBlock()
      case "finish": {
        const last = formatTypedEvent({
          type: "message_delta",
          delta: toStopFields(event, refusal),
          usage: toUsage(event.usage),
        })
        return last + formatTypedEvent({ type: "message_stop" })
      }
      case "error":
        return formatMessagesError(event.error)
    }
  }

  return {
    encodeEvent: (event) => takeTextEnd(event) + encodeEvent(event),
    encodeAnswer: (answer) =>
      JSON.stringify({
        ...startMessage(answer, sourceMembers(textOfAnswer(answer))),
        content: answer.blocks.map((complete) =>
          toBlock({ ...complete, block: restoreName(complete.block) }),
        ),
        ...toStopFields(answer, refusalOf(answer)),
        usage: toUsage(answer.usage),
      }),
    encodeError: encodeMessagesError,
  }
}
