import { toTextAnnotation } from "../annotations.ts"
import { AnswerMemory } from "../answer-memory.ts"
import { type Answer, type AnswerEvent, textOfAnswer } from "../canonical-answer.ts"
import type { AnswerError } from "../error-body.ts"
import type { AnswerEncoder, EncoderContext } from "../inbound-format.ts"
import { splitText } from "../json-pieces.ts"
import type { Fields } from "../json-values.ts"
import type { EventText } from "../sse-events.ts"
import { toResponseError } from "./failure-event.ts"
import {
  contentPart,
  createId,
  createItemState,
  type ItemState,
  isMessage,
  summaryPart,
  toCompleteItem,
  toStartedItem,
} from "./output-items.ts"
import {
  type CreateResponseObject,
  createResponseObject,
  incompleteReasonOf,
  type ResponseObject,
  type ResponseText,
  toJson,
} from "./response-object.ts"
import { formatInPieces, formatStreamEvents, type StreamEvent } from "./stream-events.ts"
import { type ClientTool, type ConvertedTools, convertTools, toCustomInput } from "./tools.ts"

const errorTypeOf = (status: number): string => {
  if (status === 429) return "rate_limit_error"
  return status < 500 ? "invalid_request_error" : "server_error"
}

/** The body of an error response. */
export const encodeResponsesError = ({ message, code, status }: AnswerError): Fields => {
  const type = errorTypeOf(status)
  return { error: { message, type, param: null, code: code || null }, detail: message }
}

interface EncoderParts {
  context: EncoderContext
  toolByName: ConvertedTools["toolByName"]
  createObject: CreateResponseObject
}

/** Writes the events of one response, in order and numbered; large ones in pieces. */
class ResponseStream {
  readonly #context: EncoderContext
  readonly #toolByName: ConvertedTools["toolByName"]
  #sequence = 0
  /** What is to be written. */
  #events: StreamEvent[] = []
  readonly #createObject: CreateResponseObject
  #response: ResponseObject
  readonly #output: Fields[] = []
  readonly #held = new AnswerMemory()
  #texts = ""
  #open: ItemState | null = null
  /** Closed, but not reported as done: whether it is complete shows in what follows. */
  #closed: ItemState | null = null

  constructor({ context, toolByName, createObject }: EncoderParts) {
    this.#context = context
    this.#toolByName = toolByName
    this.#createObject = createObject
    this.#response = this.#createResponse("")
  }

  write(event: AnswerEvent): EventText {
    this.#events = []
    this.#write(event)
    const { isSmall } = this.#held
    return isSmall ? formatStreamEvents(this.#events) : formatInPieces(this.#events)
  }

  #write(event: AnswerEvent): void {
    switch (event.type) {
      case "start":
        this.#start(event.model)
        return
      case "open":
        this.#endItem("completed")
        this.#held.addBlock()
        this.#open = createItemState(event.block, this.#toolByName)
        this.#startItem(this.#open)
        return
      case "append":
        if (this.#open) this.#append(this.#open, event.text)
        return
      case "annotate":
        if (this.#open) this.#annotate(this.#open, event.annotation)
        return
      case "sign":
        if (this.#open) this.#open.signature = event.signature
        return
      case "close":
        this.#close()
        return
      case "finish":
        this.#finish(event)
        return
      case "error":
        this.#fail(event.error)
    }
  }

  #start(model: string): void {
    this.#response = this.#createResponse(model)
    const response = this.#response.inProgress(this.#context.sourceMembers(null))
    this.#responseEvent("response.created", response)
    this.#responseEvent("response.in_progress", response)
  }

  #createResponse(model: string): ResponseObject {
    return this.#createObject(createId("resp"), model || String(this.#context.request.model))
  }

  #responseEvent(type: string, response: ResponseText): void {
    this.#events.push({ event: { type, sequence_number: this.#sequence++ }, response })
  }

  #event(type: string, members: Fields): void {
    this.#events.push({ event: { type, sequence_number: this.#sequence++, ...members } })
  }

  #itemEvent({ id }: ItemState, type: string, members: Fields): void {
    this.#event(type, { item_id: id, output_index: this.#output.length, ...members })
  }

  #startItem(state: ItemState): void {
    const item = toStartedItem(state)
    const output_index = this.#output.length
    this.#event("response.output_item.added", { output_index, item })
    if (!isMessage(state.block)) return
    const part = { content_index: 0, part: contentPart(state) }
    this.#itemEvent(state, "response.content_part.added", part)
  }

  #append(state: ItemState, text: string): void {
    const isFirst = state.text === ""
    this.#held.add(text)
    state.text += text
    if (state.block.kind === "text") {
      const delta = { content_index: 0, delta: text, logprobs: [] }
      this.#itemEvent(state, "response.output_text.delta", delta)
    } else if (state.block.kind === "refusal") {
      this.#itemEvent(state, "response.refusal.delta", { content_index: 0, delta: text })
    } else if (state.block.kind === "reasoning") {
      this.#appendReasoning(state, text, isFirst)
    } else if (!state.tool || state.tool.kind === "function") {
      // The input of other tools is known only when its JSON is complete.
      this.#itemEvent(state, "response.function_call_arguments.delta", { delta: text })
    }
  }

  #annotate(state: ItemState, found: Fields): void {
    const annotation = toTextAnnotation(found)
    if (!annotation) return
    const annotation_index = state.annotations.length
    this.#held.addBlock()
    state.annotations.push(annotation)
    const members = { content_index: 0, annotation_index, annotation }
    this.#itemEvent(state, "response.output_text.annotation.added", members)
  }

  #appendReasoning(state: ItemState, delta: string, isFirst: boolean): void {
    if (isFirst) {
      const added = { summary_index: 0, part: summaryPart("") }
      this.#itemEvent(state, "response.reasoning_summary_part.added", added)
    }
    const members = { summary_index: 0, delta }
    this.#itemEvent(state, "response.reasoning_summary_text.delta", members)
  }

  #finish({ reason, usage }: Extract<AnswerEvent, { type: "finish" }>): void {
    this.#endItem(incompleteReasonOf(reason) ? "incomplete" : "completed")
    const response = this.#response.ended(
      { output: this.#output, reason, usage },
      this.#context.sourceMembers(this.#texts),
    )
    this.#responseEvent(`response.${response.status}`, response)
  }

  #fail(error: AnswerError): void {
    if (this.#sequence === 0) this.#start("")
    else this.#endItem("incomplete")
    const response = this.#response.failed(toResponseError(error), this.#output)
    this.#responseEvent("response.failed", response)
  }

  #close(): void {
    const state = this.#open
    if (!state) return
    this.#open = null
    this.#closed = state
    this.#closeContent(state)
  }

  /** Reports the closed item as done. */
  #endItem(status: string): void {
    const state = this.#closed
    if (!state) return
    this.#closed = null
    const item = toCompleteItem(state, status)
    const output_index = this.#output.length
    this.#event("response.output_item.done", { output_index, item })
    this.#output.push(item)
  }

  #closeContent(state: ItemState): void {
    const { block, text, tool } = state
    if (isMessage(block)) this.#closeMessage(state)
    else if (block.kind === "tool") this.#closeCall(state, tool?.kind)
    else if (text !== "") {
      const part = { summary_index: 0, part: summaryPart(text) }
      this.#itemEvent(state, "response.reasoning_summary_text.done", { summary_index: 0, text })
      this.#itemEvent(state, "response.reasoning_summary_part.done", part)
    }
  }

  #closeMessage(state: ItemState): void {
    const { block, text } = state
    this.#texts += text
    if (block.kind === "refusal") {
      this.#itemEvent(state, "response.refusal.done", { content_index: 0, refusal: text })
    } else {
      const done = { content_index: 0, text, logprobs: [] }
      this.#itemEvent(state, "response.output_text.done", done)
    }
    const part = { content_index: 0, part: contentPart(state) }
    this.#itemEvent(state, "response.content_part.done", part)
  }

  #closeCall(state: ItemState, kind: ClientTool["kind"] | undefined): void {
    if (kind === "tool_search") return
    if (kind === "custom") {
      const input = toCustomInput(state.text)
      for (const delta of splitText(input))
        this.#itemEvent(state, "response.custom_tool_call_input.delta", { delta })
      this.#itemEvent(state, "response.custom_tool_call_input.done", { input })
      return
    }
    const { name, arguments: args } = toCompleteItem(state, "completed")
    const done = { name, arguments: args }
    this.#itemEvent(state, "response.function_call_arguments.done", done)
  }
}

const encodeAnswer = (
  { context, toolByName, createObject }: EncoderParts,
  answer: Answer,
): string => {
  const { request, sourceMembers } = context
  const isCutOff = incompleteReasonOf(answer.reason) !== null
  const output = answer.blocks.map(({ block, text, signature, annotations: found = [] }, at) => {
    const annotations = found.map(toTextAnnotation).filter((one) => one !== null)
    const state = { ...createItemState(block, toolByName), text, signature, annotations }
    const isLast = at === answer.blocks.length - 1
    return toCompleteItem(state, isCutOff && isLast ? "incomplete" : "completed")
  })
  const response = createObject(createId("resp"), answer.model || String(request.model))
  const { reason, usage } = answer
  return toJson(response.ended({ output, reason, usage }, sourceMembers(textOfAnswer(answer))))
}

/**
 * Writes an answer as a response of OpenAI's Responses API.
 * @see https://platform.openai.com/docs/api-reference/responses/object
 * @see https://platform.openai.com/docs/api-reference/responses-streaming
 * @throws {Failure} `body_too_large` if a field that the response repeats is too large
 */
export const createResponseEncoder = (context: EncoderContext): AnswerEncoder => {
  const { toolByName } = convertTools(context.tools ?? context.request.tools)
  const parts = { context, toolByName, createObject: createResponseObject(context.request) }
  let stream: ResponseStream | null = null
  return {
    encodeEvent: (event) => {
      stream ??= new ResponseStream(parts)
      return stream.write(event)
    },
    encodeAnswer: (answer) => encodeAnswer(parts, answer),
    encodeError: encodeResponsesError,
    acceptsText: (tool) => toolByName.get(tool)?.kind === "custom",
  }
}
