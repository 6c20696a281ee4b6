import { t } from "../i18n/translate.ts"
import type { Message } from "./chat-api.ts"

type AnswerSource = NonNullable<NonNullable<Message["sources"]>[number]>

type Location = Pick<AnswerSource, "page" | "slide" | "sheet" | "row" | "heading">

/** "page 14 · Safety › At sea" */
export const formatLocation = ({ page, slide, sheet, row, heading }: Location): string =>
  [
    page !== undefined && t("place.page", { page }),
    slide !== undefined && t("place.slide", { slide }),
    sheet !== undefined && t("place.sheet", { sheet }),
    row !== undefined && t("place.row", { row }),
    heading?.join(" › "),
  ]
    .filter(Boolean)
    .join(" · ")

/** Like `formatLocation`, with only the innermost heading, for narrow places. */
export const formatShortLocation = ({ heading, ...placed }: Location): string =>
  formatLocation({ ...placed, heading: heading?.slice(-1) })
