import type { RequestHandle } from "@portico/http1"
import type { Connection } from "../../connections/connection.ts"
import { createPacing } from "../../connections/pacing.ts"
import type { CompletionReceiver, ResponseReceiver } from "../../connections/response-receiver.ts"
import type { ResponseConverter } from "../../formats/response-converter.ts"
import type { EventLoopShare } from "../../limits/fair-event-loop.ts"
import { ConvertingHandler } from "./converting-handler.ts"

/** Converts what a function or filter returns to the client's format. */
export class ConvertingReceiver extends ConvertingHandler implements CompletionReceiver {
  readonly #receiver: ResponseReceiver
  readonly #source: { handle: RequestHandle | null }

  constructor(receiver: ResponseReceiver, converter: ResponseConverter, share: EventLoopShare) {
    const source: { handle: RequestHandle | null } = { handle: null }
    const request = {
      resume: () => source.handle?.resume(),
      cancel: () => source.handle?.cancel(),
    }
    super(
      receiver,
      converter,
      createPacing(share, request, (error) => receiver.onListenerError(error)),
    )
    this.#receiver = receiver
    this.#source = source
  }

  attach(handle: RequestHandle): void {
    this.#source.handle = handle
    this.#receiver.attach(handle)
  }

  onConnectionSelected(connection: Connection): void {
    this.#receiver.onConnectionSelected(connection)
  }

  onListenerError(error: unknown): void {
    this.#receiver.onListenerError(error)
  }

  stop(...why: Parameters<ResponseReceiver["stop"]>): void {
    this.#receiver.stop(...why)
  }
}
