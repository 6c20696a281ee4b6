import type { SendListener } from "../connections/send.ts"
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
export interface Hearing extends SendListener {
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
  readonly #needs: Deps
  readonly #ask: ModelAsk
  readonly #hearing: Hearing
  readonly #gone = new AbortController()
  readonly #completion: Completion
  #run: Run | null = null
  #passed: Flow | null = null
  #begun = false
  #sent = false

  constructor(deps: Deps, ask: ModelAsk, hearing: Hearing) {
    this.#needs = deps
    this.#ask = ask
    this.#hearing = hearing
    this.#completion = createCompletion({ model: ask.model.id, prompt: ask.body.toString("utf8") })
  }

  resume(): void {
    this.#run?.room()
    this.#passed?.resume()
  }

  cancel(): void {
    this.#gone.abort()
    this.#passed?.cancel()
  }

  /** Reports errors to the consumer. @throws only if the consumer itself fails */
  async tell(): Promise<void> {
    try {
      await this.#attempt(true)
    } catch (error) {
      if (this.#gone.signal.aborted) return
      const failure =
        error instanceof Failure
          ? error
          : new Failure("internal", "An internal error occurred.", { cause: error })
      this.#hearing.stop("upstream_error", failure)
    }
  }

  async #attempt(mayRepeat: boolean): Promise<void> {
    const { model, body, ...asker } = this.#ask
    const { of: fn, own } = model
    const opened = await this.#needs.runner.open(
      { ...asker, fn, own, values: fn.values, task: model.id, out: (pieces) => this.#out(pieces) },
      this.#gone.signal,
    )
    if ("trouble" in opened) return this.#failed(opened.trouble)
    this.#run = opened
    const result = await opened.invoke("reply", { request: JSON.parse(body.toString("utf8")) })
    const lost = "trouble" in result && result.trouble.outcome === "worker_lost"
    const given = "trouble" in result ? null : givenBy(result.value)
    const why = "trouble" in result ? result.trouble : given === null ? noReply : null
    await opened.finish(why)
    if (this.#gone.signal.aborted) return
    // Retry once: another function took the worker down, and nothing was sent yet.
    if (lost && mayRepeat && !this.#sent) return this.#attempt(false)
    if (why) this.#failed(why)
    else if (given) this.#settle(given)
  }

  #out(pieces: string[]): boolean {
    if (this.#gone.signal.aborted) return true
    this.#sent = true
    const text = this.#completion.add(pieces.map((piece): unknown => JSON.parse(piece)))
    return this.#ask.streamed ? this.#send(text) : true
  }

  #begin(): void {
    if (this.#begun) return
    this.#begun = true
    const { streamed } = this.#ask
    this.#hearing.head(200, streamed ? streamHead : wholeHead)
  }

  #send(text: string): boolean {
    if (text === "") return true
    this.#begin()
    return this.#hearing.data(Buffer.from(text))
  }

  #settle(given: Given): void {
    if ("call" in given) this.#pass(given.call)
    else if ("text" in given) this.#finish(this.#completion.add([given.text]))
    else if ("whole" in given) this.#finish(this.#completion.addWhole(given.whole))
    else this.#finish("")
  }

  #finish(text: string): void {
    if (this.#completion.isEstimate()) this.#ask.estimated()
    this.#send(this.#ask.streamed ? text + this.#completion.ending() : this.#completion.whole())
    this.#hearing.end()
  }

  /** Forwards the response of the model that the function named, byte for byte. */
  #pass(fields: Fields): void {
    const { streamed, caller, requestId, above, model } = this.#ask
    const usage = streamed && { stream_options: { include_usage: true } }
    this.#passed = this.#needs.abilities.ask(
      { caller, requestId, above: [...above, model.of.id] },
      { operation: "chat/completions", fields: { ...fields, stream: streamed, ...usage } },
      {
        begins: (isStream) => this.#hearing.head(200, isStream ? streamHead : wholeHead),
        data: (chunk) => this.#hearing.data(chunk),
        end: () => this.#hearing.end(),
        failed: (failure) => this.#hearing.stop("upstream_error", failure),
      },
    )
  }

  #failed(why: Trouble): void {
    if (this.#gone.signal.aborted) return
    const outcome = why.refused ? "refused_request" : "upstream_error"
    this.#hearing.stop(outcome, failureFor(this.#ask.model.of.name, why))
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
