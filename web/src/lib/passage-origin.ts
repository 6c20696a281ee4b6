import { t } from "../i18n/translate.ts"
import type { Message } from "./chat-api.ts"
import { formatDate } from "./format.ts"

type AnswerSource = NonNullable<NonNullable<Message["sources"]>[number]>

type Origin = Pick<AnswerSource, "date" | "date_of" | "owner" | "version">

/** "Older version", or "Newest of 3 versions"; "" for a document with one version. */
const formatVersion = ({ version }: Pick<Origin, "version">): string => {
  if (!version) return ""
  const { position, total } = version
  return position > 1 ? t("sources.older") : t("sources.newest", { total })
}

const formatOriginDate = ({ date, date_of }: Origin): string => {
  if (date == null) return ""
  return t(date_of === "upload" ? "sources.uploaded" : "sources.dated", { date: formatDate(date) })
}

/** "Older version · Document of May 3, 2025 · Owner: Ada"; "" for answers that lack it. */
export const formatOrigin = (origin: Origin): string =>
  [
    formatVersion(origin),
    formatOriginDate(origin),
    origin.owner && t("sources.owner", { name: origin.owner }),
  ]
    .filter(Boolean)
    .join(" · ")
