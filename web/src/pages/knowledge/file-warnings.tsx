import { TriangleAlert } from "lucide-react"
import { t, translateServerText } from "../../i18n/translate.ts"
import type { FileRecord } from "../../lib/knowledge-api.ts"

type FileWarning = FileRecord["data"]["warnings"][number]

const warningText = ({ message, reference }: FileWarning): string =>
  translateServerText(message, reference)

/** Of several equal warnings, such as of attachments with the same name, one is shown. */
const distinctTexts = (warnings: readonly FileWarning[]): string[] => [
  ...new Set(warnings.map(warningText)),
]

/** The first warning, and how many more there are; null if there are none. */
export const summarizeWarnings = (warnings: readonly FileWarning[]): string | null => {
  const [text, ...others] = distinctTexts(warnings)
  if (text === undefined) return null
  const more = others.length
  return more === 0 ? text : `${text} ${t("files.moreWarnings", { count: more })}`
}

interface WarningTextProps {
  text: string
  className?: string
}

/** What was not read of a file, with a sign. */
export const WarningText = ({ text, className = "" }: WarningTextProps) => (
  <span className={`flex gap-1.5 break-words ${className}`}>
    <TriangleAlert aria-hidden className="mt-px size-3.5 shrink-0 text-warn" />
    <span className="min-w-0">
      <span className="sr-only">{t("files.warning")} </span>
      {text}
    </span>
  </span>
)

/** All warnings of a file. */
export const FileWarnings = ({ warnings }: { warnings: readonly FileWarning[] }) => {
  if (warnings.length === 0) return null
  return (
    <ul className="flex flex-col gap-1.5 rounded border border-warn/40 bg-warn-soft px-3 py-2.5 text-sm">
      {distinctTexts(warnings).map((text) => (
        <li key={text}>
          <WarningText text={text} />
        </li>
      ))}
    </ul>
  )
}
