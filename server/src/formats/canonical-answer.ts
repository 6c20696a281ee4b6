/** What an answer consists of. `redacted`: reasoning that only its provider can read. */
export type AnswerBlock =
  | { kind: "text" }
  | { kind: "refusal" }
  | { kind: "reasoning" }
  | { kind: "redacted"; data: string }
  | { kind: "tool"; id: string; name: string }
