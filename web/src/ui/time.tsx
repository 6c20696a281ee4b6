import { t } from "../i18n/translate.ts"
import { formatExactTime, formatRelativeTime } from "../lib/format.ts"

/** "3 minutes ago", with the exact time on hover; `at` is Unix time. */
export const Time = ({ at }: { at: number | null }) =>
  at === null ? (
    <span className="text-muted">{t("state.never")}</span>
  ) : (
    <time dateTime={new Date(at * 1000).toISOString()} title={formatExactTime(at)}>
      {formatRelativeTime(at)}
    </time>
  )
