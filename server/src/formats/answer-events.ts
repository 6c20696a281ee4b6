import { randomUUID } from "node:crypto"
import { JsonCompleteness } from "./json-completeness.ts"
import { type Fields, isObject, objectsIn, textOf } from "./json-values.ts"

/** What an answer consists of. `redacted`: reasoning that only its provider can read. */
export type AnswerBlock =
  | { kind: "text" }
  | { kind: "reasoning" }
  | { kind: "redacted"; data: string }
  | { kind: "tool"; id: string; name: string }

/** An error in terms that every format has. */
export interface AnswerError {
  message: string
  /** The provider's own code or type; empty if it has none. */
  code: string
  /** The HTTP status that it corresponds to. */
  status: number
}

/**
 * The canonical events of a streamed answer: `start`, blocks one after the other, and `finish` or
 * `error`. Each block is opened, filled by any number of `append` and `sign`, and closed.
 */
export type AnswerEvent =
  | { type: "start"; id: string; model: string }
  | { type: "open"; block: AnswerBlock }
  /** Text, reasoning, or a piece of a tool's arguments. */
  | { type: "append"; text: string }
  /** The signature with which the provider recognizes its reasoning. */
  | { type: "sign"; signature: string }
  | { type: "close" }
  | ({ type: "finish"; usage: Fields | null } & StopCause)
  | { type: "error"; error: AnswerError }

export type FinishReason = "stop" | "length" | "tool_calls" | "content_filter"

/** Why an answer ended. */
export interface StopCause {
  reason: FinishReason
  /** Which of the request's stop sequences ended it; empty if none did or the provider does not say. */
  stopSequence: string
}

interface ReceivedBlock {
  block: AnswerBlock
  /** What arrived before the block could be opened. */
  text: string
  signature: string
  /** Whether later reasoning belongs to another block. */
  isSigned: boolean
  isClosed: boolean
}

const receiveBlock = (block: AnswerBlock): ReceivedBlock => ({
  block,
  text: "",
  signature: "",
  isSigned: false,
  isClosed: false,
})

const knownReasons = new Set<string>(["stop", "length", "tool_calls", "content_filter"])

const isFinishReason = (reason: string): reason is FinishReason => knownReasons.has(reason)

/** Some servers finish with "stop" although they called a tool, or with reasons of their own. */
export const toFinishReason = (reason: string, hasCalls: boolean): FinishReason => {
  if (hasCalls && reason !== "length" && reason !== "content_filter") return "tool_calls"
  return isFinishReason(reason) && reason !== "tool_calls" ? reason : "stop"
}

/** The reasoning of a message or delta; servers use either name. */
export const reasoningOf = ({ reasoning_content, reasoning }: Fields): string =>
  textOf(reasoning_content) || textOf(reasoning)

/** OpenRouter's codes are HTTP statuses. */
const toAnswerError = (reported: Fields | string): AnswerError => {
  if (!isObject(reported)) return { message: reported, code: "", status: 500 }
  const { message, code, type } = reported
  const status = typeof code === "number" && code >= 400 && code < 600 ? code : 500
  return { message: textOf(message), code: textOf(code) || textOf(type), status }
}

/**
 * Converts the chunks of a streamed chat completion to canonical events. Chunks may mix the pieces
 * of several blocks: a block that cannot be opened yet, as the arguments of a tool call before it are
 * incomplete, is held back.
 */
export class AnswerEventReader {
  #events: AnswerEvent[] = []
  #hasStarted = false
  #open: ReceivedBlock | null = null
  #openArguments = new JsonCompleteness()
  #waiting: ReceivedBlock[] = []
  readonly #callByIndex = new Map<unknown, { id: string; received: ReceivedBlock }>()
  #hasCalls = false
  #reason = ""
  #stopSequence = ""
  #usage: Fields | null = null
  #isOver = false

  /** Whether the answer itself is complete; usage may follow. */
  get hasFinishReason(): boolean {
    return this.#reason !== ""
  }

  read(chunk: Fields): AnswerEvent[] {
    if (this.#isOver) return []
    this.#events = []
    if (isObject(chunk.error) || typeof chunk.error === "string") this.#fail(chunk.error)
    else this.#readChunk(chunk)
    return this.#events
  }

  /** Called when the stream has ended, with or without a finish reason. */
  end(): AnswerEvent[] {
    if (this.#isOver) return []
    this.#events = []
    this.#start({})
    this.#closeAll()
    this.#isOver = true
    const reason = toFinishReason(this.#reason, this.#hasCalls)
    const stopSequence = this.#stopSequence
    this.#events.push({ type: "finish", reason, stopSequence, usage: this.#usage })
    return this.#events
  }

  #readChunk(chunk: Fields): void {
    this.#start(chunk)
    if (isObject(chunk.usage)) this.#usage = chunk.usage
    this.#stopSequence = textOf(chunk.stop_sequence) || this.#stopSequence
    const choice = objectsIn(chunk.choices).find(({ index = 0 }) => index === 0)
    if (!choice) return
    if (isObject(choice.delta)) this.#readDelta(choice.delta)
    if (textOf(choice.finish_reason) === "") return
    this.#reason = textOf(choice.finish_reason)
    this.#closeAll()
  }

  #start({ id, model }: Fields): void {
    if (this.#hasStarted) return
    this.#hasStarted = true
    this.#events.push({ type: "start", id: textOf(id), model: textOf(model) })
  }

  #readDelta(delta: Fields): void {
    this.#append("reasoning", reasoningOf(delta))
    for (const detail of objectsIn(delta.reasoning_details)) this.#readDetail(detail)
    this.#append("text", textOf(delta.content) || textOf(delta.refusal))
    for (const call of objectsIn(delta.tool_calls)) this.#readCall(call)
  }

  #readDetail({ type, signature, data }: Fields): void {
    if (type === "reasoning.encrypted") this.#add({ kind: "redacted", data: textOf(data) })
    else if (textOf(signature) !== "") this.#sign(textOf(signature))
  }

  #readCall({ index, id, function: called }: Fields): void {
    const { name, arguments: args } = isObject(called) ? called : {}
    const received = this.#findCall(index, textOf(id), textOf(name))
    this.#extend(received, isObject(args) ? JSON.stringify(args) : textOf(args))
  }

  /** A call with another id is another call, even if it has the same index or none. */
  #findCall(index: unknown, id: string, name: string): ReceivedBlock {
    const known = this.#callByIndex.get(index)
    if (known && (id === "" || id === known.id || name === "")) return known.received
    this.#hasCalls = true
    const block = { kind: "tool" as const, id: id || `call_${randomUUID()}`, name }
    const received = this.#add(block)
    this.#callByIndex.set(index, { id: block.id, received })
    return received
  }

  #append(kind: "text" | "reasoning", text: string): void {
    if (text === "") return
    const last = this.#last()
    const continues = last?.block.kind === kind && !last.isSigned
    this.#extend(continues ? last : this.#add({ kind }), text)
  }

  #sign(signature: string): void {
    const last = this.#last()
    const isUnsigned = last?.block.kind === "reasoning" && !last.isSigned
    const signed = isUnsigned ? last : this.#add({ kind: "reasoning" })
    signed.isSigned = true
    if (signed === this.#open) this.#events.push({ type: "sign", signature })
    else signed.signature = signature
  }

  #last(): ReceivedBlock | null {
    return this.#waiting.at(-1) ?? this.#open
  }

  #extend(received: ReceivedBlock, text: string): void {
    if (text === "" || received.isClosed) return
    if (received === this.#open) this.#appendToOpen(text)
    else received.text += text
    this.#openWaiting()
  }

  #appendToOpen(text: string): void {
    this.#events.push({ type: "append", text })
    if (this.#open?.block.kind === "tool") this.#openArguments.push(text)
  }

  #add(block: AnswerBlock): ReceivedBlock {
    const received = receiveBlock(block)
    this.#waiting.push(received)
    this.#openWaiting()
    return received
  }

  #openWaiting(): void {
    while (this.#waiting.length > 0 && this.#isOpenComplete()) this.#openNext()
  }

  #isOpenComplete(): boolean {
    return this.#open?.block.kind !== "tool" || this.#openArguments.isComplete
  }

  #openNext(): void {
    this.#closeOpen()
    const next = this.#waiting.shift()
    if (!next) return
    this.#open = next
    this.#openArguments = new JsonCompleteness()
    this.#events.push({ type: "open", block: next.block })
    if (next.text !== "") this.#appendToOpen(next.text)
    if (next.signature !== "") this.#events.push({ type: "sign", signature: next.signature })
  }

  #closeOpen(): void {
    if (!this.#open) return
    this.#open.isClosed = true
    this.#open = null
    this.#events.push({ type: "close" })
  }

  #closeAll(): void {
    while (this.#waiting.length > 0) this.#openNext()
    this.#closeOpen()
  }

  #fail(reported: Fields | string): void {
    this.#start({})
    this.#isOver = true
    this.#events.push({ type: "error", error: toAnswerError(reported) })
  }
}
