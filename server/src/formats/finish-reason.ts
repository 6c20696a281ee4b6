export type FinishReason = "stop" | "length" | "tool_calls" | "content_filter"

/** Why an answer ended. */
export interface StopCause {
  reason: FinishReason
  /** Which of the request's stop sequences ended it; empty if none did or the provider does not say. */
  stopSequence: string
}

/** Words in the reasons of providers, which have many of their own; what is left is a normal end. */
const abnormalReasons: readonly (readonly [FinishReason | "error", RegExp])[] = [
  [
    "error",
    /error|fail|abort|cancel|interrupt|insufficient|malformed|unexpected|unavail|timeout|rate.?limit|quota|overload/,
  ],
  [
    "content_filter",
    /filter|safety|guardrail|block|prohibited|recitation|spii|sensitive|refus|moderat|policy|violat|censor|toxic|^language$/,
  ],
  ["length", /length|max|limit|window|truncat|pause|incomplete|repetition/],
]

/**
 * Reads the finish reason of a chat completion. Some servers finish with "stop" although they called
 * a tool, or with reasons of their own.
 * @returns "error" if the answer broke off
 */
export const toFinishReason = (reason: string, hasCalls: boolean): FinishReason | "error" => {
  const word = reason.toLowerCase()
  const abnormal = abnormalReasons.find(([, pattern]) => pattern.test(word))?.[0]
  return abnormal ?? (hasCalls ? "tool_calls" : "stop")
}
