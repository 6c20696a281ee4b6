import type { AnswerOrigin } from "./answer-origin.ts"
import type { ReportDropped } from "./canonical-request.ts"

/** How a chat completion is read for a client of another API. */
export interface AnswerReading {
  origin: AnswerOrigin
  /** Whether a tool takes any text instead of JSON. */
  acceptsText: (tool: string) => boolean
  /** Called with what the client's format has no place for, while headers may still name it. */
  reportDropped: ReportDropped
}
