import { expect } from "vitest"
import { createChatDecoder } from "../../src/completions/conversion/chat-decoder.ts"
import { ConvertingReceiver } from "../../src/completions/conversion/converting-receiver.ts"
import { chatEncoder } from "../../src/formats/chat-encoder.ts"
import { createCompletionEncoder } from "../../src/formats/completion-encoder.ts"
import { type Fields, isObject, textOf } from "../../src/formats/json-values.ts"
import { createMessageEncoder } from "../../src/formats/messages/encode-response.ts"
import {
  createFormatConverter,
  type ResponseConverter,
} from "../../src/formats/response-converter.ts"
import { anthropic } from "../../src/providers/anthropic.ts"

/** Of answers that keep no provider's state. */
export const plainReading = {
  origin: { key: null },
  acceptsText: () => false,
  reportDropped: () => {},
}

/** From chat completions to messages. */
export const createMessageConverter = (): ResponseConverter =>
  createFormatConverter(
    null,
    createCompletionEncoder(
      createMessageEncoder({ request: {}, sourceMembers: () => ({}) }),
      plainReading,
    ),
  )

/** From messages to chat completions. */
export const createCompletionConverter = (): ResponseConverter => {
  const { chatFormat } = anthropic
  if (!chatFormat) throw new Error("Chat completions for Anthropic are converted")
  const model = {
    ...{ name: "claude-fake", created: 0, owned_by: "anthropic", capabilities: {} },
    ...{ context_length: null, digest: null, listing: null },
  }
  const reports = { dropped: () => {}, usage: () => {} }
  return createFormatConverter(createChatDecoder(chatFormat, model, reports), chatEncoder)
}

/** Converts a stream that arrives in these chunks. */
export const convertStream = (
  createConverter: () => ResponseConverter,
  chunks: readonly Buffer[],
): string => {
  let text = ""
  const response = new ConvertingReceiver(
    {
      attach: () => {},
      onAttemptSelected: () => {},
      onListenerError: () => {},
      stop: () => {},
      onHead: () => {},
      onData: (chunk) => {
        text += chunk.toString()
        return true
      },
      onEnd: () => {},
      onError: (error) => {
        throw error
      },
    },
    createConverter(),
    { wait: (_cost, start) => start() },
  )
  response.onHead(200, ["content-type", "text/event-stream"])
  for (const chunk of chunks) response.onData(chunk)
  response.onEnd()
  return text
}

/** A stream in two chunks, for every place where it can be cut, and one with a chunk per byte. */
export const everyCut = (text: string): Buffer[][] => {
  const bytes = Buffer.from(text)
  const halves = Array.from({ length: bytes.length + 1 }, (_, at) => [
    bytes.subarray(0, at),
    bytes.subarray(at),
  ])
  return [...halves, [...bytes].map((byte) => Buffer.of(byte))]
}

/** The chunks of a completion with these deltas. */
export const chunksOf = (deltas: readonly object[], finish_reason = "stop"): object[] => {
  const choices = [
    ...deltas.map((delta) => ({ index: 0, delta, finish_reason: null })),
    { index: 0, delta: {}, finish_reason },
  ]
  return choices.map((choice) => ({ id: "c", model: "m", choices: [choice] }))
}

export const formatEvents = (chunks: readonly object[]): string =>
  `${chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join("")}data: [DONE]\n\n`

const toEvent = (text: string): Fields => {
  const [, name, data = ""] = /^event: (\w+)\ndata: (.*)$/.exec(text) ?? []
  const event = JSON.parse(data)
  expect(event.type).toBe(name)
  return event
}

const addDelta = (block: Fields, delta: unknown): void => {
  const { type, text, thinking, signature, partial_json } = isObject(delta) ? delta : {}
  const isOfBlock = {
    text_delta: block.type === "text",
    thinking_delta: block.type === "thinking",
    signature_delta: block.type === "thinking" && block.signature === "",
    input_json_delta: block.type === "tool_use",
  }[textOf(type)]
  expect(isOfBlock, `${type} in ${block.type}`).toBe(true)
  if (text !== undefined) block.text = textOf(block.text) + text
  if (thinking !== undefined) block.thinking = textOf(block.thinking) + thinking
  if (signature !== undefined) block.signature = signature
  if (partial_json !== undefined) block.json = textOf(block.json) + partial_json
}

/** A complete block; the arguments of a tool call must be JSON. */
const closeBlock = ({ json, ...block }: Fields): Fields =>
  block.type === "tool_use" ? { ...block, input: JSON.parse(textOf(json) || "{}") } : block

const addBlockEvent = (content: Fields[], event: Fields, open: Fields | null): Fields | null => {
  if (event.type === "content_block_start") {
    expect(open).toBeNull()
    expect(event.index).toBe(content.length)
    return { ...(isObject(event.content_block) && event.content_block) }
  }
  expect(event.index).toBe(content.length)
  if (!open) throw new Error(`${event.type} without an open block`)
  if (event.type === "content_block_delta") {
    addDelta(open, event.delta)
    return open
  }
  expect(event.type).toBe("content_block_stop")
  content.push(closeBlock(open))
  return null
}

/** Assembles the message of a stream, and checks that each event is allowed where it is. */
export const readMessageStream = (text: string): Fields => {
  expect(text.endsWith("\n\n")).toBe(true)
  const [start, ...rest] = text.slice(0, -2).split("\n\n").map(toEvent)
  expect(start?.type).toBe("message_start")
  expect(rest.pop()).toEqual({ type: "message_stop" })
  const last = rest.pop()
  expect(last?.type).toBe("message_delta")
  const content: Fields[] = []
  let open: Fields | null = null
  for (const event of rest) open = addBlockEvent(content, event, open)
  expect(open).toBeNull()
  const message = isObject(start?.message) ? start.message : {}
  expect(message.content).toEqual([])
  return {
    ...message,
    ...(isObject(last?.delta) && last.delta),
    content,
    usage: last?.usage,
  }
}
