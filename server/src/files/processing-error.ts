import type { UnreadableReason } from "@portico/extract"
import {
  type MessageOrText,
  type MessageReference,
  toReference,
  toText,
  withText,
} from "../i18n/message.ts"
import { PermanentJobError } from "../jobs/queue.ts"
import type { ProcessingErrorCode } from "./schema.ts"

/** A file that cannot be processed; retrying does not help. */
export class ProcessingError extends PermanentJobError {
  readonly code: ProcessingErrorCode

  readonly reference: MessageReference | null

  constructor(code: ProcessingErrorCode, message: MessageOrText) {
    super(toText(message))
    this.code = code
    this.reference = toReference(message)
  }
}

export const unreadableError = ({ code, detail }: UnreadableReason): ProcessingError =>
  new ProcessingError(code, withText({ values: {}, ...detail }))

/** The error that is shown to the uploader. */
export const toProcessingError = (error: Error): ProcessingError =>
  error instanceof ProcessingError
    ? error
    : new ProcessingError("internal", `Processing failed: ${error.message.slice(0, 300)}`)
