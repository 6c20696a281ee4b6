import type { ReportDropped } from "./canonical-request.ts"
import type { Fields } from "./json-values.ts"

/** What is known about an answer before or besides it. */
export interface AnswerReports {
  /** Called with what the answer loses as it is converted, while headers may still name it. */
  dropped: ReportDropped
  /**
   * Called with the provider's own `usage`: the answer may break off before it contains one, and the
   * client's format may lack some of its counts.
   */
  usage: (usage: Fields) => void
}
