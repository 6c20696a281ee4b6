import { TriangleAlert } from "lucide-react"
import { t, translateServerText } from "../../i18n/translate.ts"
import type { FileRecord } from "../../lib/knowledge-api.ts"

type FileWarning = FileRecord["data"]["warnings"][number]

const warningText = ({ message, reference }: FileWarning): string =>
  translateServerText(message, reference)

/** The first warning, and how many more there are; null if there are none. */
export const summarizeWarnings = (warnings: readonly FileWarning[]): string | null => {
  const [first] = warnings
  if (!first) return null
  const text = warningText(first)
  const more = warnings.length - 1
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
  const texts = new Set(warnings.map(warningText))
  return (
    <ul className="flex flex-col gap-1.5 rounded border border-warn/40 bg-warn-soft px-3 py-2.5 text-sm">
      {[...texts].map((text) => (
        <li key={text}>
          <WarningText text={text} />
        </li>
      ))}
    </ul>
  )
}
