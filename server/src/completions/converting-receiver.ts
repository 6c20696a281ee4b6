import type { RequestHandle } from "@portico/http1"
import type { Upstream } from "../connections/connection.ts"
import { ConvertingHandler } from "../connections/converting-handler.ts"
import type { ResponseConverter } from "../formats/response-converter.ts"
import type { ResponseReceiver } from "../functions/function-model.ts"

/** Converts a response on its way to a receiver, such as one that a function or filter returns. */
export class ConvertingReceiver extends ConvertingHandler implements ResponseReceiver {
  readonly #receiver: ResponseReceiver

  constructor(receiver: ResponseReceiver, converter: ResponseConverter) {
    super(receiver, converter)
    this.#receiver = receiver
  }

  attach(handle: RequestHandle): void {
    this.#receiver.attach(handle)
  }

  onConnectionSelected(upstream: Upstream): void {
    this.#receiver.onConnectionSelected(upstream)
  }

  onListenerError(error: unknown): void {
    this.#receiver.onListenerError(error)
  }

  stop(...why: Parameters<ResponseReceiver["stop"]>): void {
    this.#receiver.stop(...why)
  }
}
