import { Failure } from "../../errors.ts"
import type { Caller } from "../../http/caller.ts"
import type { InFlightRequests } from "../../http/in-flight-requests.ts"
import { translatable } from "../../i18n/message.ts"
import type { AdmittedRequest } from "../../limits/admission/admitted-request.ts"
import { outcomeOfFailure } from "../../limits/admission/limit-failure.ts"
import type { ModelCatalogue } from "../../models/catalogue.ts"
import type {
  ResponseConsumer,
  ResponseResult,
  StreamScanner,
} from "../response/response-consumer.ts"
import { ResponseReader } from "../response/response-reader.ts"

interface Deps {
  inFlight: InFlightRequests
  catalogue: Pick<ModelCatalogue, "isAccessRevoked">
}

export interface ResponseRequest {
  caller: Caller
  consumer: ResponseConsumer
  scanner: StreamScanner
  /** The model that the caller must keep access to. */
  model?: string | undefined
  /**
   * Records the request's usage and reserves it from limits, before the request is sent; `unmetered`
   * for requests that use no model.
   */
  admit: (() => AdmittedRequest | Promise<AdmittedRequest>) | "unmetered"
  /** Ends the response, like a disconnect of its client. */
  signal?: AbortSignal | undefined
}

/** A response that is still to come. */
export interface PendingResponse {
  reader: ResponseReader
  /** Null if no usage is recorded. */
  admitted: AdmittedRequest | null
  /** What the tracker returns. */
  ended: Promise<ResponseResult>
  /** Ends the response: reports a `Failure` to the consumer, and other errors to the caller. */
  fail: (error: unknown) => void
}

export const revokedFailure = (): Failure =>
  new Failure("unauthorized", translatable("credential_revoked"))

const accessRevokedFailure = (id: string): Failure =>
  new Failure("forbidden", translatable("model_access_revoked", { id: id.slice(0, 200) }))

export const shutdownFailure = (): Failure =>
  new Failure("shutting_down", translatable("shutting_down"))

/**
 * Reads a response as a request in progress: revocation and shutdown end it, and it has one usage
 * record from before it is sent until its end.
 * @param send sends the request, now or later, once limits have admitted it; throws a `Failure` to
 *   refuse it
 * @returns resolves when the response has ended, however it ended; rejects with an exception that
 *   was not reported to its consumer
 * @throws {Failure} `rate_limited`
 */
export type TrackResponse = (
  request: ResponseRequest,
  send: (pending: PendingResponse) => void,
) => Promise<ResponseResult>

export const createResponseTracker =
  ({ inFlight, catalogue }: Deps): TrackResponse =>
  ({ caller, consumer, scanner, model, admit, signal }, send) => {
    const { promise: ended, resolve, reject } = Promise.withResolvers<ResponseResult>()
    // `track` may throw. It calls none of these callbacks before the current tick ends.
    const unregister = inFlight.track(caller, {
      revoke: () => runGuarded(() => reader.stop("revoked", revokedFailure())),
      shutDown: () => runGuarded(() => reader.stop("shut_down", shutdownFailure())),
      ...(model !== undefined && {
        accessRevocation: {
          isDue: (present: Caller) => catalogue.isAccessRevoked(present, model),
          end: () => runGuarded(() => reader.stop("revoked", accessRevokedFailure(model))),
        },
      }),
    })
    const failUnexpectedly = (error: unknown): void => {
      reader.abandon()
      unregister()
      reject(error)
    }
    const reader = new ResponseReader({
      consumer,
      scanner,
      onDone: (result) => {
        unregister()
        resolve(result)
      },
      onUnexpectedError: failUnexpectedly,
    })
    const runGuarded = (work: () => void): void => {
      try {
        work()
      } catch (error) {
        failUnexpectedly(error)
      }
    }
    const cancel = (): void => runGuarded(() => reader.stop("client_cancelled"))
    if (signal?.aborted) cancel()
    else signal?.addEventListener("abort", cancel)
    const fail = (error: unknown): void => {
      if (error instanceof Failure) {
        runGuarded(() => reader.stop(outcomeOfFailure(error), error))
      } else failUnexpectedly(error)
    }
    const begin = (admitted: AdmittedRequest | null): void => {
      if (!reader.begin(admitted)) return
      try {
        send({ reader, admitted, ended, fail })
      } catch (error) {
        fail(error)
      }
    }
    try {
      const admitting = admit === "unmetered" ? null : admit()
      if (admitting instanceof Promise) admitting.then(begin).catch(fail)
      else begin(admitting)
    } catch (error) {
      fail(error)
    }
    return ended
  }
