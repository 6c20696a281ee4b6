import { AnswerMemory } from "../answer-memory.ts"
import { type AnswerEvent, textOfAnswer } from "../canonical-answer.ts"
import type { AnswerEncoder, EncoderContext, InboundFormat } from "../inbound-format.ts"
import type { Fields } from "../json-values.ts"
import { MalformedResponse } from "../malformed-response.ts"
import type { EventText } from "../sse-events.ts"
import { createCompaction } from "./compaction.ts"
import { decodeCompactionRequest } from "./decode-request.ts"
import { encodeResponsesError } from "./encode-response.ts"
import { toResponseError } from "./failure-event.ts"
import { createId } from "./output-items.ts"
import {
  type CreateResponseObject,
  createResponseObject,
  epochSeconds,
  type ResponseObject,
  type ResponseText,
  toJson,
  toResponseUsage,
} from "./response-object.ts"
import { formatInPieces, type StreamEvent } from "./stream-events.ts"

const missingSummary = {
  message: "The model did not write a summary.",
  ...{ code: "server_error", status: 502 },
}

/** @throws {MalformedResponse} */
const toItem = (summary: string): Fields => {
  if (summary.trim() === "") throw new MalformedResponse("it contains no summary")
  return createCompaction(createId("cmp"), summary)
}

/** Writes the events of a response whose only item is a compaction. */
class CompactionStream {
  readonly #request: Fields
  readonly #createObject: CreateResponseObject
  #response: ResponseObject
  readonly #held = new AnswerMemory()
  #sequence = 0
  #isText = false
  #summary = ""

  constructor(request: Fields, createObject: CreateResponseObject) {
    this.#request = request
    this.#createObject = createObject
    this.#response = this.#createResponse("")
  }

  write(event: AnswerEvent): EventText {
    return formatInPieces(this.#eventsOf(event))
  }

  #eventsOf(event: AnswerEvent): StreamEvent[] {
    switch (event.type) {
      case "start":
        return this.#start(event.model)
      case "open":
        this.#isText = event.block.kind === "text"
        return []
      case "append":
        if (this.#isText) this.#append(event.text)
        return []
      case "finish":
        return this.#finish(event)
      case "error":
        return [...(this.#sequence === 0 ? this.#start("") : []), this.#fail(event.error)]
      default:
        return []
    }
  }

  #append(text: string): void {
    this.#held.add(text)
    this.#summary += text
  }

  #createResponse(model: string): ResponseObject {
    return this.#createObject(createId("resp"), model || String(this.#request.model))
  }

  #itemEvent(type: string, item: Fields): StreamEvent {
    return { event: { type, sequence_number: this.#sequence++, output_index: 0, item } }
  }

  #responseEvent(type: string, response: ResponseText): StreamEvent {
    return { event: { type, sequence_number: this.#sequence++ }, response }
  }

  #start(model: string): StreamEvent[] {
    this.#response = this.#createResponse(model)
    const response = this.#response.inProgress({})
    return [
      this.#responseEvent("response.created", response),
      this.#responseEvent("response.in_progress", response),
    ]
  }

  #finish({ reason, usage }: Extract<AnswerEvent, { type: "finish" }>): StreamEvent[] {
    if (this.#summary.trim() === "") return [this.#fail(missingSummary)]
    const item = createCompaction(createId("cmp"), this.#summary)
    const response = this.#response.ended({ output: [item], reason, usage }, {})
    return [
      this.#itemEvent("response.output_item.added", item),
      this.#itemEvent("response.output_item.done", item),
      this.#responseEvent(`response.${response.status}`, response),
    ]
  }

  #fail(error: Parameters<typeof toResponseError>[0]): StreamEvent {
    const response = this.#response.failed(toResponseError(error), [])
    return this.#responseEvent("response.failed", response)
  }
}

/** Writes the answer to a request that contains a `compaction_trigger`. */
export const createCompactionEncoder = ({ request }: EncoderContext): AnswerEncoder => {
  const createObject = createResponseObject(request)
  const stream = new CompactionStream(request, createObject)
  return {
    encodeEvent: (event) => stream.write(event),
    encodeAnswer: (answer) => {
      const { reason, usage } = answer
      const output = [toItem(textOfAnswer(answer))]
      const response = createObject(createId("resp"), answer.model || String(request.model))
      return toJson(response.ended({ output, reason, usage }, {}))
    },
    encodeError: encodeResponsesError,
  }
}

/**
 * The compaction of a conversation, as a request of its own.
 * @see https://platform.openai.com/docs/api-reference/responses/compact
 */
export const compactionFormat: InboundFormat = {
  decodeRequest: decodeCompactionRequest,
  createEncoder: (context) => ({
    ...createCompactionEncoder(context),
    encodeAnswer: (answer) =>
      JSON.stringify({
        ...{ id: createId("resp"), object: "response.compaction", created_at: epochSeconds() },
        output: [toItem(textOfAnswer(answer))],
        usage: toResponseUsage(answer.usage),
      }),
  }),
}
