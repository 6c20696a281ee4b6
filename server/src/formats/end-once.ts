import type { AnswerEncoder } from "./inbound-format.ts"

/** Wraps an encoder so that an answer has exactly one last event. */
export const endOnce = (encoder: AnswerEncoder): AnswerEncoder => {
  let hasEnded = false
  return {
    ...encoder,
    encodeEvent: (event) => {
      if (hasEnded) return ""
      hasEnded = event.type === "finish" || event.type === "error"
      return encoder.encodeEvent(event)
    },
  }
}
