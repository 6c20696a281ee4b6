import type { FailoverHandler } from "../connections/send.ts"
import { Failure } from "../errors.ts"
import { type Fields, isObject } from "../formats/json-values.ts"
import type { Flow } from "../outbound/client.ts"
import { type Completion, createCompletion } from "./completion-builder.ts"
import type { FunctionModel } from "./function-registry.ts"
import type { Abilities, Asker } from "./host-services.ts"
import type { Run, Runner } from "./runner.ts"
import { type Trouble, trouble } from "./sandbox/session.ts"

/**
 * Consumes a response, whether from a provider or a function, and can be stopped with a failure.
 */
export interface Hearing extends FailoverHandler {
  follow(flow: Flow): void
  stop(outcome: "upstream_error" | "refused_request", failure: Failure): void
}

export interface ModelAsk extends Asker {
  model: FunctionModel
  /** The body of the chat completion request. */
  body: Buffer
  streamed: boolean
  /** Called when the token counts are an estimate by the gateway. */
  estimated: () => void
  /** Called with errors that could not be reported to the consumer. */
  failed: (error: unknown) => void
}

/** Converts an error of a function to the failure returned to the caller. */
export const failureFor = (name: string, { message, line, refused, outcome }: Trouble): Failure => {
  if (refused) return new Failure("function_refused", message)
  if (outcome === "cancelled")
    return new Failure("function_failed", `The function "${name}" was cancelled.`)
  const where = line === null ? "" : ` (line ${line})`
  return new Failure("function_failed", `The function "${name}" failed: ${message}${where}`)
}

type Given = { streamed: true } | { text: string } | { whole: Fields } | { call: Fields }

export const noReply = trouble(
  "threw",
  '"reply" did not return text, a completion or a chat request',
)

/** Classifies the return value of `reply`; null if it is not a valid reply. */
export const givenBy = (result: unknown): Given | null => {
  if (!isObject(result)) return null
  const { value, streamed } = result
  if (streamed === true) return { streamed }
  if (typeof value === "string") return { text: value }
  if (!isObject(value)) return null
  if (Array.isArray(value.choices)) return { whole: value }
  return typeof value.model === "string" && Array.isArray(value.messages) ? { call: value } : null
}

const streamHead = ["content-type", "text/event-stream; charset=utf-8", "cache-control", "no-cache"]
const wholeHead = ["content-type", "application/json"]

interface Deps {
  runner: Runner
  abilities: Abilities
}

/** One response of a function, delivered to the consumer like a provider's. */
class ModelReply implements Flow {
  readonly #deps: Deps
  readonly #request: ModelAsk
  readonly #consumer: Hearing
  readonly #cancelled = new AbortController()
  readonly #builder: Completion
  #run: Run | null = null
  #forwarded: Flow | null = null
  #headSent = false
  #hasOutput = false

  constructor(deps: Deps, ask: ModelAsk, hearing: Hearing) {
    this.#deps = deps
    this.#request = ask
    this.#consumer = hearing
    this.#builder = createCompletion({ model: ask.model.id, prompt: ask.body.toString("utf8") })
  }

  resume(): void {
    this.#run?.room()
    this.#forwarded?.resume()
  }

  cancel(): void {
    this.#cancelled.abort()
    this.#forwarded?.cancel()
  }

  /** Reports errors to the consumer. @throws only if the consumer itself fails */
  async tell(): Promise<void> {
    try {
      await this.#attempt(true)
    } catch (error) {
      if (this.#cancelled.signal.aborted) return
      const failure =
        error instanceof Failure
          ? error
          : new Failure("internal", "An internal error occurred.", { cause: error })
      this.#consumer.stop("upstream_error", failure)
    }
  }

  async #attempt(mayRepeat: boolean): Promise<void> {
    const { model, body, ...asker } = this.#request
    const { of: fn, own } = model
    const opened = await this.#deps.runner.open(
      {
        ...asker,
        fn,
        own,
        values: fn.values,
        task: model.id,
        out: (pieces) => this.#handleOutput(pieces),
      },
      this.#cancelled.signal,
    )
    if ("error" in opened) return this.#reportError(opened.error)
    this.#run = opened
    const result = await opened.invoke("reply", { request: JSON.parse(body.toString("utf8")) })
    const lost = "error" in result && result.error.outcome === "worker_lost"
    const given = "error" in result ? null : givenBy(result.value)
    const why = "error" in result ? result.error : given === null ? noReply : null
    await opened.finish(why)
    if (this.#cancelled.signal.aborted) return
    // Retry once: another function took the worker down, and nothing was sent yet.
    if (lost && mayRepeat && !this.#hasOutput) return this.#attempt(false)
    if (why) this.#reportError(why)
    else if (given) this.#sendResult(given)
  }

  #handleOutput(pieces: string[]): boolean {
    if (this.#cancelled.signal.aborted) return true
    this.#hasOutput = true
    const text = this.#builder.add(pieces.map((piece): unknown => JSON.parse(piece)))
    return this.#request.streamed ? this.#send(text) : true
  }

  #sendHead(): void {
    if (this.#headSent) return
    this.#headSent = true
    const { streamed } = this.#request
    this.#consumer.head(200, streamed ? streamHead : wholeHead)
  }

  #send(text: string): boolean {
    if (text === "") return true
    this.#sendHead()
    return this.#consumer.data(Buffer.from(text))
  }

  #sendResult(given: Given): void {
    if ("call" in given) this.#forward(given.call)
    else if ("text" in given) this.#finish(this.#builder.add([given.text]))
    else if ("whole" in given) this.#finish(this.#builder.addWhole(given.whole))
    else this.#finish("")
  }

  #finish(text: string): void {
    if (this.#builder.isEstimate()) this.#request.estimated()
    this.#send(this.#request.streamed ? text + this.#builder.ending() : this.#builder.whole())
    this.#consumer.end()
  }

  /** Forwards the response of the model that the function named, byte for byte. */
  #forward(fields: Fields): void {
    const { streamed, caller, requestId, above, model } = this.#request
    const usage = streamed && { stream_options: { include_usage: true } }
    this.#forwarded = this.#deps.abilities.ask(
      { caller, requestId, above: [...above, model.of.id] },
      { operation: "chat/completions", fields: { ...fields, stream: streamed, ...usage } },
      {
        begins: (isStream) => this.#consumer.head(200, isStream ? streamHead : wholeHead),
        data: (chunk) => this.#consumer.data(chunk),
        end: () => this.#consumer.end(),
        failed: (failure) => this.#consumer.stop("upstream_error", failure),
      },
    )
  }

  #reportError(why: Trouble): void {
    if (this.#cancelled.signal.aborted) return
    const outcome = why.refused ? "refused_request" : "upstream_error"
    this.#consumer.stop(outcome, failureFor(this.#request.model.of.name, why))
  }
}

/** Creates the responder that answers a request with a function instead of a provider. */
export const createModelReplies =
  (deps: Deps) =>
  (ask: ModelAsk, hearing: Hearing): Flow => {
    const reply = new ModelReply(deps, ask, hearing)
    hearing.follow(reply)
    reply.tell().catch(ask.failed)
    return reply
  }
