import { t } from "../i18n/translate.ts"
import { formatExactTime, formatRelativeTime } from "../lib/format.ts"

interface TimeProps {
  /** Unix time. */
  at: number | null
  /** The time follows other words, so it begins in lower case. */
  inSentence?: boolean
}

/** "Yesterday", "3 minutes ago", with the exact time on hover. */
export const Time = ({ at, inSentence = false }: TimeProps) => {
  if (at === null) return <span className="text-muted">{t("state.never")}</span>
  const text = formatRelativeTime(at)
  return (
    <time dateTime={new Date(at * 1000).toISOString()} title={formatExactTime(at)}>
      {inSentence ? text : text.charAt(0).toLocaleUpperCase() + text.slice(1)}
    </time>
  )
}
