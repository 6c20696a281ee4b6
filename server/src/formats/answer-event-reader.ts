import { annotationsIn } from "./annotations.ts"
import { AnswerMemory } from "./answer-memory.ts"
import type { AnswerOrigin } from "./answer-origin.ts"
import type { AnswerBlock, AnswerEvent } from "./canonical-answer.ts"
import type { ReportDropped } from "./canonical-request.ts"
import { type AnswerError, readReportedError } from "./error-body.ts"
import { toFinishReason } from "./finish-reason.ts"
import { splitText } from "./json-pieces.ts"
import { type Fields, isObject, objectsIn, textOf } from "./json-values.ts"
import { MalformedResponse } from "./malformed-response.ts"
import { StateCollector } from "./provider-state.ts"
import { ReceivedBlock } from "./received-block.ts"
import { ReceivedCalls } from "./received-calls.ts"
import { toPlainMessage } from "./to-plain-message.ts"
import { argumentsTextOf, createCallId, type ToolArguments } from "./tool-arguments.ts"
import { WaitingAnnotations } from "./waiting-annotations.ts"

/** The reasoning of a message or delta; servers use either name. */
export const reasoningOf = ({ reasoning_content, reasoning }: Fields): string =>
  textOf(reasoning_content) || textOf(reasoning)

/** How a chat completion is read for a client of another API. */
export interface AnswerReadingOptions {
  origin: AnswerOrigin
  /** Whether a tool takes any text instead of JSON. */
  acceptsText: (tool: string) => boolean
  /** Called with what the client's format has no place for, while headers may still name it. */
  reportDropped: ReportDropped
}

/**
 * Converts the chunks of a streamed chat completion to canonical events. Chunks may mix the pieces
 * of several blocks: a block that cannot be opened yet, as the arguments of a tool call before it are
 * incomplete, is held back.
 */
export class AnswerEventReader {
  readonly #reading: AnswerReadingOptions
  readonly #state = new StateCollector()
  #events: AnswerEvent[] = []
  #open: ReceivedBlock | null = null
  #waiting: ReceivedBlock[] = []
  /** Those before it have been opened: removing each from the array would copy it every time. */
  #nextWaiting = 0
  readonly #held = new AnswerMemory()
  readonly #calls = new ReceivedCalls()
  #hasBlocks = false
  #hasCalls = false
  readonly #annotations = new WaitingAnnotations(this.#held)
  #characters = 0
  #reason = ""
  #stopSequence = ""
  #usage: Fields | null = null
  #isOver = false
  hasStarted = false

  constructor(reading: AnswerReadingOptions) {
    this.#reading = reading
  }

  /** Whether the answer itself is complete; usage may follow. */
  get hasFinishReason(): boolean {
    return this.#reason !== ""
  }

  read(chunk: Fields): AnswerEvent[] {
    if (this.#isOver) return []
    this.#events = []
    const error = readReportedError(chunk)
    if (error) this.#fail(error)
    else this.#readChunk(chunk)
    return this.#events
  }

  /**
   * Called when the stream has ended. Some servers leave out the finish reason.
   * @throws {MalformedResponse} if there is no answer
   */
  end(): AnswerEvent[] {
    if (this.#isOver) return []
    this.#events = []
    if (!(this.hasFinishReason || this.#hasBlocks))
      throw new MalformedResponse("it has no answer and no finish reason")
    this.#start({})
    this.#addState()
    this.#closeAll()
    this.#isOver = true
    const reason = toFinishReason(this.#reason, this.#hasCalls)
    const stopSequence = this.#stopSequence
    if (reason !== "error")
      this.#events.push({ type: "finish", reason, stopSequence, usage: this.#usage })
    return this.#events
  }

  #readChunk(chunk: Fields): void {
    this.#start(chunk)
    if (isObject(chunk.usage)) this.#usage = chunk.usage
    this.#stopSequence = textOf(chunk.stop_sequence) || this.#stopSequence
    const choice = objectsIn(chunk.choices).find(({ index = 0 }) => index === 0)
    if (!choice) return
    const delta = isObject(choice.delta) ? toPlainMessage(choice.delta) : {}
    this.#readDelta(delta)
    this.#annotations.add(annotationsIn(delta, chunk))
    this.#annotate()
    if (textOf(choice.finish_reason) !== "") this.#readFinishReason(textOf(choice.finish_reason))
  }

  #readFinishReason(reason: string): void {
    this.#reason = reason
    if (toFinishReason(reason, this.#hasCalls) === "error") {
      const message = `The provider ended its answer early (finish reason "${reason.slice(0, 100)}").`
      this.#fail({ message, code: "", status: 502 })
    } else this.#closeAll()
  }

  #start({ id, model }: Fields): void {
    if (this.hasStarted) return
    this.hasStarted = true
    this.#events.push({ type: "start", id: textOf(id), model: textOf(model) })
  }

  #readDelta(delta: Fields): void {
    this.#append("reasoning", reasoningOf(delta))
    if (this.#reading.origin.key !== null) this.#state.addMessage(delta)
    else for (const detail of objectsIn(delta.reasoning_details)) this.#readDetail(detail)
    this.#append("text", textOf(delta.content))
    this.#append("refusal", textOf(delta.refusal))
    for (const call of objectsIn(delta.tool_calls)) this.#readCall(call)
  }

  #readDetail({ type, signature, data }: Fields): void {
    if (type === "reasoning.encrypted") this.#add({ kind: "redacted", data: textOf(data) })
    else if (textOf(signature) !== "") this.#sign(textOf(signature))
  }

  /** Gives the annotations so far to the text that they belong to, if it has begun. */
  #annotate(): void {
    const last = this.#annotations.isEmpty ? null : this.#last()
    if (last?.block.kind !== "text") return
    for (const annotation of this.#annotations.take(last.start)) {
      if (last === this.#open) this.#events.push({ type: "annotate", annotation })
      else last.annotations.push(annotation)
    }
  }

  /** Adds what the provider needs back, as far as it has arrived. */
  #addState(): void {
    const { key } = this.#reading.origin
    const data = key === null ? "" : this.#state.take(key)
    if (data !== "") this.#add({ kind: "redacted", data })
  }

  #readCall(call: Fields): void {
    const known = this.#calls.find(call)
    if (known?.block.kind === "tool") this.#collectState(known.block.id, call)
    const args = isObject(call.function) ? call.function.arguments : null
    this.#extendCall(call, known ?? this.#addCall(call), argumentsTextOf(args))
  }

  #collectState(id: string, call: Fields): void {
    if (this.#reading.origin.key !== null) this.#state.addCall(id, call)
  }

  #addCall(call: Fields): ReceivedBlock {
    const id = this.#calls.toUniqueId(call)
    const name = isObject(call.function) ? textOf(call.function.name) : ""
    this.#hasCalls = true
    this.#collectState(id, call)
    this.#addState()
    const received = this.#add({ kind: "tool", id, name })
    this.#calls.set(call, received)
    return received
  }

  #extendCall(call: Fields, received: ReceivedBlock, text: string): void {
    let { own, rest } = received.args.push(text)
    this.#extend(received, own)
    while (rest !== "" && received.block.kind === "tool") {
      const next = this.#add({ ...received.block, id: createCallId() })
      this.#calls.set(call, next)
      ;({ own, rest } = next.args.push(rest))
      this.#extend(next, own)
    }
  }

  #append(kind: "text" | "refusal" | "reasoning", text: string): void {
    if (text === "") return
    const last = this.#last()
    const continues = last?.block.kind === kind && !last.isSigned
    // Not after the answer's text, which clients expect at the end.
    if (!continues && kind === "text") this.#addState()
    this.#extend(continues ? last : this.#add({ kind }), text)
    if (kind === "text") this.#characters += text.length
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
    return this.#hasWaiting() ? (this.#waiting.at(-1) ?? null) : this.#open
  }

  #extend(received: ReceivedBlock, text: string): void {
    if (text === "" || received.isClosed) return
    if (received === this.#open) this.#pushText(text)
    else {
      this.#held.add(text)
      received.text += text
    }
    this.#openWaiting()
  }

  #pushText(text: string): void {
    for (const piece of splitText(text)) this.#events.push({ type: "append", text: piece })
  }

  #add(block: AnswerBlock): ReceivedBlock {
    const received = new ReceivedBlock(block, this.#characters)
    this.#hasBlocks = true
    this.#held.addBlock()
    this.#waiting.push(received)
    this.#openWaiting()
    return received
  }

  #openWaiting(): void {
    while (this.#hasWaiting() && this.#isOpenComplete()) this.#openNext()
  }

  #hasWaiting(): boolean {
    return this.#nextWaiting < this.#waiting.length
  }

  #takeWaiting(): ReceivedBlock | undefined {
    const next = this.#waiting[this.#nextWaiting++]
    if (this.#hasWaiting()) return next
    this.#waiting = []
    this.#nextWaiting = 0
    return next
  }

  #isOpenComplete(): boolean {
    return this.#open?.block.kind !== "tool" || this.#open.args.isComplete
  }

  #openNext(): void {
    this.#closeOpen()
    const next = this.#takeWaiting()
    if (!next) return
    this.#held.removeBlock(next.text)
    this.#open = next
    this.#events.push({ type: "open", block: next.block })
    if (next.text !== "") this.#pushText(next.text)
    for (const annotation of next.annotations) this.#events.push({ type: "annotate", annotation })
    if (next.signature !== "") this.#events.push({ type: "sign", signature: next.signature })
  }

  #closeOpen(): void {
    const open = this.#open
    if (!open) return
    open.isClosed = true
    this.#open = null
    this.#events.push({ type: "close" })
    if (open.block.kind === "tool") this.#checkArguments(open.block.name, open.args)
  }

  #closeAll(): void {
    while (this.#hasWaiting()) this.#openNext()
    this.#closeOpen()
  }

  /** The last call of an answer that is too long may be cut off. */
  #checkArguments(name: string, args: ToolArguments): void {
    const isCutOff = toFinishReason(this.#reason, true) !== "tool_calls" && !args.isComplete
    if (!(isCutOff || this.#reading.acceptsText(name))) args.check(name)
  }

  #fail(error: AnswerError): void {
    this.#start({})
    this.#isOver = true
    this.#events.push({ type: "error", error })
  }
}
