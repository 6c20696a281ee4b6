import type { RequestHandle } from "@portico/http1"
import { type FunctionError, functionError } from "@portico/sandbox"
import type { CompletionReceiver } from "../connections/response-receiver.ts"
import { Failure } from "../errors.ts"
import { type Fields, isObject } from "../formats/json-values.ts"
import type { Chunk } from "../formats/response-converter.ts"
import { translatable } from "../i18n/message.ts"
import { answerHeaders } from "./answer-headers.ts"
import { type CompletionBuilder, createCompletionBuilder } from "./completion-builder.ts"
import type { FunctionModel } from "./function-registry.ts"
import type { HostServices, RequestOrigin } from "./host-services.ts"
import type { Run, Runner } from "./runner.ts"

export interface FunctionModelRequest extends RequestOrigin {
  model: FunctionModel
  /** The body of the chat completion request. */
  body: Buffer
  streamed: boolean
  /** Called when the token counts are an estimate by the gateway. */
  estimated: () => void
}

/** Converts an error of a function to the failure returned to the caller. */
export const toFunctionFailure = (
  name: string,
  { message, line, refused, outcome }: FunctionError,
): Failure => {
  if (refused) return new Failure("function_refused", message)
  if (outcome === "cancelled")
    return new Failure("function_failed", translatable("function_cancelled", { name }))
  const where = line === null ? "" : ` (line ${line})`
  const reason = `${message}${where}`
  return new Failure("function_failed", translatable("function_failed", { name, reason }))
}

type ReplyResult = { streamed: true } | { text: string } | { whole: Fields } | { call: Fields }

export const invalidReplyError = functionError(
  "threw",
  '"reply" did not return text, a completion or a chat request',
)

/** Classifies the return value of `reply`; null if it is not a valid reply. */
export const parseReplyResult = (result: unknown): ReplyResult | null => {
  if (!isObject(result)) return null
  const { value, streamed } = result
  if (streamed === true) return { streamed }
  if (typeof value === "string") return { text: value }
  if (!isObject(value)) return null
  if (Array.isArray(value.choices)) return { whole: value }
  return typeof value.model === "string" && Array.isArray(value.messages) ? { call: value } : null
}

interface Deps {
  runner: Runner
  hostServices: () => HostServices
}

/** One response of a function, delivered to the receiver like a provider's. */
class FunctionResponse implements RequestHandle {
  readonly #deps: Deps
  readonly #request: FunctionModelRequest
  readonly #receiver: CompletionReceiver
  readonly #cancelled = new AbortController()
  readonly #builder: CompletionBuilder
  #run: Run | null = null
  #forwarded: RequestHandle | null = null
  #headSent = false
  #hasOutput = false

  constructor(deps: Deps, request: FunctionModelRequest, receiver: CompletionReceiver) {
    this.#deps = deps
    this.#request = request
    this.#receiver = receiver
    this.#builder = createCompletionBuilder({
      model: request.model.id,
      prompt: request.body.toString("utf8"),
    })
  }

  resume(): void {
    this.#run?.resumeOutput()
    this.#forwarded?.resume()
  }

  cancel(): void {
    this.#cancelled.abort()
    this.#forwarded?.cancel()
  }

  /** Reports errors to the receiver. @throws only if the receiver itself fails */
  async run(): Promise<void> {
    try {
      await this.#attempt(true)
    } catch (error) {
      if (this.#cancelled.signal.aborted) return
      const failure =
        error instanceof Failure
          ? error
          : new Failure("internal", translatable("function_internal_error"), { cause: error })
      this.#receiver.stop("upstream_error", failure)
    }
  }

  async #attempt(mayRepeat: boolean): Promise<void> {
    const { model, body, ...asker } = this.#request
    const { fn, localId } = model
    const opened = await this.#deps.runner.open(
      {
        ...asker,
        fn,
        localModelId: localId,
        values: fn.values,
        task: model.id,
        onOutput: (pieces) => this.#handleOutput(pieces),
      },
      this.#cancelled.signal,
    )
    if ("error" in opened) return this.#reportError(opened.error)
    this.#run = opened
    const result = await opened.invoke("reply", { request: JSON.parse(body.toString("utf8")) })
    const isWorkerLost = "error" in result && result.error.outcome === "worker_lost"
    const reply = "error" in result ? null : parseReplyResult(result.value)
    const error = "error" in result ? result.error : reply === null ? invalidReplyError : null
    await opened.finish(error)
    if (this.#cancelled.signal.aborted) return
    // Retry once: another function took the worker down, and nothing was sent yet.
    if (isWorkerLost && mayRepeat && !this.#hasOutput) return this.#attempt(false)
    if (error) this.#reportError(error)
    else if (reply) this.#sendResult(reply)
  }

  #handleOutput(pieces: string[]): boolean {
    if (this.#cancelled.signal.aborted) return true
    this.#hasOutput = true
    const chunks = this.#builder.add(pieces.map((piece): unknown => JSON.parse(piece)))
    return this.#request.streamed ? this.#send(chunks) : true
  }

  #sendHead(): void {
    if (this.#headSent) return
    this.#headSent = true
    const { streamed } = this.#request
    this.#receiver.onHead(200, answerHeaders(streamed))
  }

  #send(chunks: readonly Chunk[]): boolean {
    if (chunks.length === 0) return true
    this.#sendHead()
    return this.#receiver.onChunks(chunks)
  }

  #sendResult(reply: ReplyResult): void {
    if ("call" in reply) this.#forward(reply.call)
    else if ("text" in reply) this.#finish(this.#builder.add([reply.text]))
    else if ("whole" in reply) this.#finish(this.#builder.addCompletion(reply.whole))
    else this.#finish([])
  }

  #finish(chunks: readonly Chunk[]): void {
    if (this.#builder.isEstimate()) this.#request.estimated()
    if (this.#request.streamed) this.#send([...chunks, ...this.#builder.finalChunks()])
    else {
      this.#sendHead()
      this.#receiver.onData(Buffer.from(this.#builder.completionJson()))
    }
    this.#receiver.onEnd()
  }

  /** Forwards the response of the model that the function named, byte for byte. */
  #forward(fields: Fields): void {
    const { streamed, caller, requestId, callingFunctions, reportCost, model } = this.#request
    const usage = streamed && { stream_options: { include_usage: true } }
    this.#forwarded = this.#deps.hostServices().requestModel(
      {
        ...{ caller, requestId, reportCost },
        callingFunctions: [...callingFunctions, model.fn.id],
      },
      { kind: "completion", fields: { ...fields, stream: streamed, ...usage } },
      this.#receiver,
    )
  }

  #reportError(error: FunctionError): void {
    if (this.#cancelled.signal.aborted) return
    const outcome = error.refused ? "refused_request" : "upstream_error"
    this.#receiver.stop(outcome, toFunctionFailure(this.#request.model.fn.name, error))
  }
}

/**
 * Creates the responder that answers a request with a function instead of a provider. What it returns
 * is to be attached to the receiver, which gets nothing before.
 */
export const createFunctionResponder =
  (deps: Deps) =>
  (request: FunctionModelRequest, receiver: CompletionReceiver): RequestHandle => {
    const response = new FunctionResponse(deps, request, receiver)
    response.run().catch((error: unknown) => receiver.onListenerError(error))
    return response
  }
