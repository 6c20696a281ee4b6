import type { AnswerError } from "../answer-events.ts"

const sequenceNumber = /"sequence_number": ?(\d+)/g
/** The number is near the beginning or the end of an event. */
const maxScannedBytes = 65_536

const lastNumberIn = (bytes: Buffer): number => {
  const text = bytes.subarray(-maxScannedBytes).toString("latin1")
  const found = [...text.matchAll(sequenceNumber)].at(-1)?.[1]
  return found === undefined ? -1 : Number(found)
}

/**
 * The event that ends a stream early.
 * @param lastChunk what was sent last, from which the numbering continues
 * @see https://platform.openai.com/docs/api-reference/responses-streaming/error
 */
export const formatResponsesFailure = (
  { message, code }: AnswerError,
  lastChunk: Buffer | null,
): string => {
  const sequence_number = (lastChunk ? lastNumberIn(lastChunk) : -1) + 1
  const event = { type: "error", sequence_number, code, message, param: null }
  return `event: error\ndata: ${JSON.stringify(event)}\n\n`
}
