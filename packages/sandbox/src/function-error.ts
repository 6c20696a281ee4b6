import { findSourcePosition } from "./source-position.ts"
import { type EndReason, importsRejectedMessage, type ThrownError } from "./worker-protocol.ts"

/** An error of a function, as a value. */
export interface FunctionError {
  /**
   * `denied`: the function exceeded its permissions or limits, or rejected its task. `worker_lost`:
   * another function in the same worker had to be terminated.
   */
  outcome: Exclude<EndReason, "finished"> | "worker_lost"
  message: string
  line: number | null
  column: number | null
  /** True if the function rejected its task with `refuse`; the message is then for the caller. */
  refused: boolean
}

/**
 * Thrown by `RunListener.onHostCall` to return an error to the function: a `RequestError` with code and
 * status, or a `DeniedError` if the call is never allowed.
 */
export class HostCallError extends Error {
  override readonly name = "HostCallError"
  readonly code: string
  readonly status: number
  readonly denied: boolean

  constructor(message: string, { code = "denied", status = 403, denied = true } = {}) {
    super(message)
    this.code = code
    this.status = status
    this.denied = denied
  }
}

const outcomeOf = ({ name, message }: ThrownError): FunctionError["outcome"] => {
  if (name === "DeniedError" || name === "RefusedError" || message === importsRejectedMessage)
    return "denied"
  return name === "InternalError" && message === "out of memory" ? "out_of_memory" : "threw"
}

/** Converts an exception to an error message, with the exception's name if it is informative. */
export const toFunctionError = (fault: ThrownError): FunctionError => {
  const { name, message, stack } = fault
  const plain = ["Error", "DeniedError", "RefusedError", "RequestError"].includes(name)
  const text = plain ? message || name : `${name}: ${message}`
  const refused = name === "RefusedError"
  return { outcome: outcomeOf(fault), message: text, refused, ...findSourcePosition(stack) }
}

/** Creates an error without a position in the source. */
export const functionError = (
  outcome: FunctionError["outcome"],
  message: string,
): FunctionError => ({ outcome, message, line: null, column: null, refused: false })

/** What the isolate learns of a failed host call. */
export const describeCallError = (error: unknown) => {
  if (error instanceof HostCallError) {
    const { message, code, status, denied } = error
    return { message, code, status, denied }
  }
  const message = "An internal error occurred"
  return { message, code: "internal", status: 500, denied: false }
}
