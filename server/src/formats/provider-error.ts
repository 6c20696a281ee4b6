import { type AnswerError, readReportedError, retrySecondsOf } from "./error-body.ts"
import type { Fields } from "./json-values.ts"

/** Throws an error that a body or event reports. @param toBody writes it in the converter's format */
export const throwReportedError = (body: Fields, toBody: (error: AnswerError) => Fields): void => {
  const error = readReportedError(body)
  if (error) throw new ProviderError(error, toBody(error), retrySecondsOf(body))
}

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

  constructor(
    { status, message }: Pick<AnswerError, "status" | "message">,
    body: Fields,
    retrySeconds: number,
  ) {
    super(message)
    this.status = status
    this.body = body
    this.retrySeconds = retrySeconds
  }

  /** The same error in another format. */
  withBody(body: Fields): ProviderError {
    return new ProviderError(this, body, this.retrySeconds)
  }
}
