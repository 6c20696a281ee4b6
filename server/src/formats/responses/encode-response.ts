import { toTextAnnotation } from "../annotations.ts"
import type { AnswerEvent } from "../answer-events.ts"
import { type Answer, textOfAnswer } from "../completion-blocks.ts"
import type { AnswerError } from "../error-body.ts"
import { HeldAnswer } from "../held-answer.ts"
import type { AnswerEncoder, EncoderContext } from "../inbound-format.ts"
import type { Fields } from "../json-values.ts"
import { formatTypedEvent } from "../sse-events.ts"
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
} from "./items.ts"
import {
  type CreateResponseObject,
  createResponseObject,
  incompleteReasonOf,
  type ResponseObject,
  type ResponseText,
} from "./response-object.ts"
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

/** An event that contains the response as it is by then. */
export const formatResponseEvent = (
  event: { type: string; sequence_number: number },
  { json }: ResponseText,
): string =>
  `event: ${event.type}\ndata: ${JSON.stringify(event).slice(0, -1)},"response":${json}}\n\n`

interface EncoderParts {
  context: EncoderContext
  toolByName: ConvertedTools["toolByName"]
  createObject: CreateResponseObject
}

/** Writes the events of one response, in order and numbered. */
class ResponseStream {
  readonly #context: EncoderContext
  readonly #toolByName: ConvertedTools["toolByName"]
  #sequence = 0
  readonly #createObject: CreateResponseObject
  #response: ResponseObject
  readonly #output: Fields[] = []
  readonly #held = new HeldAnswer()
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

  write(event: AnswerEvent): string {
    switch (event.type) {
      case "start":
        return this.#start(event.model)
      case "open": {
        const done = this.#endItem("completed")
        this.#held.addBlock()
        this.#open = createItemState(event.block, this.#toolByName)
        return done + this.#startItem(this.#open)
      }
      case "append":
        return this.#open ? this.#append(this.#open, event.text) : ""
      case "annotate":
        return this.#open ? this.#annotate(this.#open, event.annotation) : ""
      case "sign":
        if (this.#open) this.#open.signature = event.signature
        return ""
      case "close":
        return this.#close()
      case "finish":
        return this.#finish(event)
      case "error": {
        const started = this.#sequence === 0 ? this.#start("") : this.#endItem("incomplete")
        const response = this.#response.failed(toResponseError(event.error), this.#output)
        return started + this.#responseEvent("response.failed", response)
      }
    }
  }

  #start(model: string): string {
    this.#response = this.#createResponse(model)
    const response = this.#response.inProgress(this.#context.sourceMembers(null))
    return (
      this.#responseEvent("response.created", response) +
      this.#responseEvent("response.in_progress", response)
    )
  }

  #createResponse(model: string): ResponseObject {
    return this.#createObject(createId("resp"), model || String(this.#context.request.model))
  }

  #responseEvent(type: string, response: ResponseText): string {
    return formatResponseEvent({ type, sequence_number: this.#sequence++ }, response)
  }

  #event(type: string, members: Fields): string {
    return formatTypedEvent({ type, sequence_number: this.#sequence++, ...members })
  }

  #itemEvent({ id }: ItemState, type: string, members: Fields): string {
    return this.#event(type, { item_id: id, output_index: this.#output.length, ...members })
  }

  #startItem(state: ItemState): string {
    const item = toStartedItem(state)
    const output_index = this.#output.length
    const added = this.#event("response.output_item.added", { output_index, item })
    if (!isMessage(state.block)) return added
    const part = { content_index: 0, part: contentPart(state) }
    return added + this.#itemEvent(state, "response.content_part.added", part)
  }

  #append(state: ItemState, text: string): string {
    const isFirst = state.text === ""
    this.#held.add(text)
    state.text += text
    if (state.block.kind === "text") {
      const delta = { content_index: 0, delta: text, logprobs: [] }
      return this.#itemEvent(state, "response.output_text.delta", delta)
    }
    if (state.block.kind === "refusal") {
      return this.#itemEvent(state, "response.refusal.delta", { content_index: 0, delta: text })
    }
    if (state.block.kind === "reasoning") return this.#appendReasoning(state, text, isFirst)
    // The input of other tools is known only when its JSON is complete.
    if (state.tool && state.tool.kind !== "function") return ""
    return this.#itemEvent(state, "response.function_call_arguments.delta", { delta: text })
  }

  #annotate(state: ItemState, found: Fields): string {
    const annotation = toTextAnnotation(found)
    if (!annotation) return ""
    const annotation_index = state.annotations.length
    state.annotations.push(annotation)
    const members = { content_index: 0, annotation_index, annotation }
    return this.#itemEvent(state, "response.output_text.annotation.added", members)
  }

  #appendReasoning(state: ItemState, delta: string, isFirst: boolean): string {
    const added = { summary_index: 0, part: summaryPart("") }
    const type = "response.reasoning_summary_part.added"
    const started = isFirst ? this.#itemEvent(state, type, added) : ""
    const members = { summary_index: 0, delta }
    return started + this.#itemEvent(state, "response.reasoning_summary_text.delta", members)
  }

  #finish({ reason, usage }: Extract<AnswerEvent, { type: "finish" }>): string {
    const done = this.#endItem(incompleteReasonOf(reason) ? "incomplete" : "completed")
    const response = this.#response.ended(
      { output: this.#output, reason, usage },
      this.#context.sourceMembers(this.#texts),
    )
    return done + this.#responseEvent(`response.${response.status}`, response)
  }

  #close(): string {
    const state = this.#open
    if (!state) return ""
    this.#open = null
    this.#closed = state
    return this.#closeContent(state)
  }

  /** Reports the closed item as done. */
  #endItem(status: string): string {
    const state = this.#closed
    if (!state) return ""
    this.#closed = null
    const item = toCompleteItem(state, status)
    const output_index = this.#output.length
    const done = this.#event("response.output_item.done", { output_index, item })
    this.#output.push(item)
    return done
  }

  #closeContent(state: ItemState): string {
    const { block, text, tool } = state
    if (isMessage(block)) return this.#closeMessage(state)
    if (block.kind === "tool") return this.#closeCall(state, tool?.kind)
    if (text === "") return ""
    const part = { summary_index: 0, part: summaryPart(text) }
    return (
      this.#itemEvent(state, "response.reasoning_summary_text.done", { summary_index: 0, text }) +
      this.#itemEvent(state, "response.reasoning_summary_part.done", part)
    )
  }

  #closeMessage(state: ItemState): string {
    const { block, text } = state
    this.#texts += text
    const part = { content_index: 0, part: contentPart(state) }
    const done =
      block.kind === "refusal"
        ? this.#itemEvent(state, "response.refusal.done", { content_index: 0, refusal: text })
        : this.#itemEvent(state, "response.output_text.done", {
            ...{ content_index: 0, text, logprobs: [] },
          })
    return done + this.#itemEvent(state, "response.content_part.done", part)
  }

  #closeCall(state: ItemState, kind: ClientTool["kind"] | undefined): string {
    if (kind === "tool_search") return ""
    if (kind === "custom") {
      const input = toCustomInput(state.text)
      return (
        this.#itemEvent(state, "response.custom_tool_call_input.delta", { delta: input }) +
        this.#itemEvent(state, "response.custom_tool_call_input.done", { input })
      )
    }
    const { name, arguments: args } = toCompleteItem(state, "completed")
    const done = { name, arguments: args }
    return this.#itemEvent(state, "response.function_call_arguments.done", done)
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
  return response.ended({ output, reason, usage }, sourceMembers(textOfAnswer(answer))).json
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
