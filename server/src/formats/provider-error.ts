import type { AnswerError } from "./error-body.ts"
import type { Fields } from "./json-values.ts"

/**
 * Thrown by a converter for an error that a provider reports with a status that means success,
 * before anything of an answer. It reaches the client like any other error of the provider.
 */
export class ProviderError extends Error {
  override readonly name = "ProviderError"
  readonly status: number
  /** In the converter's format. */
  readonly body: Fields
  /** In how many seconds the request may be repeated; 0 if the provider does not say. */
  readonly retrySeconds: number

  constructor({ status, message }: AnswerError, body: Fields, retrySeconds: number) {
    super(message)
    this.status = status
    this.body = body
    this.retrySeconds = retrySeconds
  }

  /** The same error in another format. */
  withBody(body: Fields): ProviderError {
    const { status, message, retrySeconds } = this
    return new ProviderError({ status, message, code: "" }, body, retrySeconds)
  }
}
