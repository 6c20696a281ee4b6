import type { ReportDropped } from "./canonical-request.ts"

/** What is known about an answer before or besides it. */
export interface AnswerReports {
  /** Called with what the answer loses as it is converted, while headers may still name it. */
  dropped: ReportDropped
  /** Called with the size of the prompt: the answer may break off before its `usage`. */
  promptTokens: (count: number) => void
}
