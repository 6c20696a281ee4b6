import type { z } from "zod"
import type { AnswerError } from "../../formats/error-body.ts"
import type { InboundFormat } from "../../formats/inbound-format.ts"
import type { Fields } from "../../formats/json-values.ts"
import type { SentEvents } from "../../formats/responses/failure-event.ts"
import type { RequestContext } from "../../http/request-context.ts"
import type { ProviderOperation } from "../../providers/provider.ts"
import type { StreamEndMarkers } from "./stream-end-markers.ts"

/** How an operation streams its responses. */
export interface StreamFormat {
  endMarkers: StreamEndMarkers
  /**
   * The event that ends a stream early; possibly none if the stream has ended.
   * @param sent the first and the last chunk that were sent
   */
  formatFailure(error: AnswerError, sent: SentEvents): string
  /**
   * Whether events have numbers, which the event that reports a failure continues. They are sent as a
   * whole, so that it can follow them.
   */
  isNumbered: boolean
  /** Sent while a stream is silent; null if the API has nothing for this. */
  ping: string | null
}

/** What the gateway changes in requests that it passes to a provider in the client's format. */
export interface PassThrough {
  /** Whether a request may contain what the provider does not accept; does not parse large ones. */
  mayNeedChange(bytes: Buffer, fields: Fields): boolean
  /** @returns the same object if nothing has to change */
  change(fields: Fields): Fields
}

/**
 * One operation of an inbound API: everything in which it differs from the others. To add one, write
 * its file and list it in `registry.ts`.
 */
export interface ApiOperation extends ProviderOperation {
  /** One line for the API documentation. */
  summary: string
  /** Documents the members of a request that the gateway reads; the rest is forwarded. */
  body: z.ZodType
  /** Documents the successful response. */
  response: { schema: z.ZodType; description: string }
  /** Its name in metrics, from OpenTelemetry's conventions where they have one. */
  metricName: string
  /** Whether a request is recorded as usage of its model. */
  recordsUsage: boolean
  /** Members that a request must have, besides `model`. */
  requiredFields: readonly string[]
  /** Whether a stream reports its usage only if `stream_options` asks for it. */
  hasUsageOption: boolean
  /** The members that limit the tokens of an answer; none if its answers have no tokens. */
  outputFields: readonly string[]
  /** Whether its requests pass the filters of a model unchanged, because they have no prompt. */
  skipsFilters: boolean
  /**
   * Converts its requests to chat completions, and the answers back; null if they are sent as they
   * are, to providers that have the operation.
   */
  format: InboundFormat | null
  /** Null if requests are passed unchanged. */
  passThrough: PassThrough | null
  /** Whether endpoints that have the operation answer better than a conversion can. */
  prefersPassThrough: boolean
  /** The member whose parts may refer to the gateway's files by id; null if none may. */
  fileMember: "messages" | "input" | null
  /** Whether a request may refer to stored responses and their items. */
  refersToResponses: boolean
  /** Whether the response is stored, unless the request's `store` is false. */
  storesResponse: boolean
  stream: StreamFormat
  /** The body of an error that the gateway words; null if that of the OpenAI API is used. */
  encodeError: ((error: AnswerError) => Fields) | null
  /** Responds with an estimate if no provider counts tokens; null if a model has to answer. */
  sendTokenEstimate: ((context: RequestContext, tokens: number) => void) | null
}

/** How operations are that are relayed as they are, unless they say otherwise. */
export const relayedOperation = {
  isChatCompletion: false,
  isOptional: false,
  recordsUsage: true,
  hasUsageOption: false,
  outputFields: ["max_tokens"],
  skipsFilters: false,
  format: null,
  passThrough: null,
  prefersPassThrough: false,
  fileMember: null,
  refersToResponses: false,
  storesResponse: false,
  encodeError: null,
  sendTokenEstimate: null,
} as const
