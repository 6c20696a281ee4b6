import type { Failure } from "../errors.ts"
import { type Fields, isObject, parseObject, textOf } from "../formats/json-values.ts"
import { formatResponsesFailure } from "../formats/responses/failure-event.ts"
import { toFailure } from "../http/errors.ts"
import type { RequestContext } from "../http/request-context.ts"
import { CompletionRelay, type RelayOptions } from "./relay.ts"
import type { FailurePoint, ResponseHead } from "./response-consumer.ts"

export interface ResponseStorage {
  /** Members of the response that depend on the gateway, such as `store`. */
  members: Fields
  /** Resolves when the response is stored durably. */
  save: (response: Fields) => Promise<void>
}

const frameEnd = Buffer.from("\n\n")
const responseMark = Buffer.from('"response":')
const lastTypes = new Set(["response.completed", "response.incomplete", "response.failed"])
const empty = Buffer.alloc(0)

const dataOf = (frame: string): string =>
  frame
    .split("\n")
    .filter((line) => line.startsWith("data:"))
    .map((line) => line.slice(5).trim())
    .join("\n")

/**
 * Relays a response of the Responses API and stores it: its end reaches the client when it is
 * stored, so that the client can refer to it.
 */
export class StoredResponseRelay extends CompletionRelay {
  override readonly passesLongBodies = false
  readonly #storage: ResponseStorage
  #pending: Buffer = empty
  #lastSent: Buffer | null = null
  #isEnding = false
  #isSaving = false
  /** What follows when the response is stored. */
  #held = ""

  constructor(exchange: RequestContext, options: RelayOptions, storage: ResponseStorage) {
    super(exchange, options)
    this.#storage = storage
  }

  override onChunk(bytes: Buffer): boolean {
    const all = this.#pending.length === 0 ? bytes : Buffer.concat([this.#pending, bytes])
    const end = all.lastIndexOf(frameEnd)
    if (end < 0) {
      this.#pending = all
      return true
    }
    this.#pending = all.subarray(end + frameEnd.length)
    return this.#relayFrames(all.subarray(0, end + frameEnd.length))
  }

  override onEnd(): void {
    this.#isEnding = true
    if (this.#pending.length > 0) this.#relayFrames(Buffer.concat([this.#pending, frameEnd]))
    if (!this.#isSaving) super.onEnd()
  }

  override onBody(body: Buffer, head: ResponseHead): void {
    const response = parseObject(body.toString("utf8"))
    if (typeof response?.id !== "string") {
      super.onBody(body, head)
      return
    }
    const changed = { ...response, ...this.#storage.members }
    const send = (): void => super.onBody(Buffer.from(JSON.stringify(changed)), head)
    this.#storage.save(changed).then(send, (error: unknown) => {
      super.onFailure(toFailure(error), { head: null, isFrameOpen: false })
    })
  }

  /** The beginning of an event that did not arrive completely is dropped. */
  override onFailure(failure: Failure, at: FailurePoint): void {
    // The response itself is complete.
    if (this.#isSaving) this.#isEnding = true
    else super.onFailure(failure, { ...at, isFrameOpen: false })
  }

  #relayFrames(frames: Buffer): boolean {
    if (!(this.#isSaving || frames.includes(responseMark))) return this.#pass(frames)
    let text = ""
    for (const frame of frames.toString("utf8").split("\n\n")) {
      if (frame === "") continue
      const rewritten = this.#rewriteFrame(frame)
      if (this.#isSaving) this.#held += rewritten
      else text += rewritten
    }
    return this.#pass(Buffer.from(text))
  }

  #pass(bytes: Buffer): boolean {
    if (bytes.length === 0) return true
    this.#lastSent = bytes
    return super.onChunk(bytes)
  }

  /** Changes an event that contains the response object, and starts saving at the last one. */
  #rewriteFrame(frame: string): string {
    const event = frame.includes('"response":') ? parseObject(dataOf(frame)) : null
    if (!(event && isObject(event.response))) return `${frame}\n\n`
    const response = { ...event.response, ...this.#storage.members }
    if (lastTypes.has(textOf(event.type))) this.#startSaving(response)
    return `event: ${textOf(event.type)}\ndata: ${JSON.stringify({ ...event, response })}\n\n`
  }

  #startSaving(response: Fields): void {
    if (this.#isSaving) return
    this.#isSaving = true
    this.#storage.save(response).then(
      () => this.#release(),
      (error: unknown) => this.#endUnsaved(error),
    )
  }

  #endUnsaved(error: unknown): void {
    const event = formatResponsesFailure(toFailure(error), this.#lastSent)
    super.onChunk(Buffer.from(event))
    super.onEnd()
  }

  #release(): void {
    this.#isSaving = false
    this.#pass(Buffer.from(this.#held))
    this.#held = ""
    if (this.#isEnding) super.onEnd()
  }
}
