import { FileText } from "lucide-react"
import { t } from "../../i18n/translate.ts"
import type { Message } from "../../lib/chat-api.ts"
import { citedIn, namesOf, placeOf } from "./citations.ts"

interface SourcesProps {
  message: Message
  onOpen: (number: number) => void
}

const chip =
  "flex max-w-full min-w-0 items-center gap-1.5 rounded border border-line px-2 py-1 text-xs hover:border-line-strong hover:bg-surface"

const Cited = ({ message, onOpen }: SourcesProps) => {
  const sources = message.sources ?? []
  const names = namesOf(sources)
  const numbers = citedIn(message.content, sources.length)
  return (
    <ul aria-label={t("sources.title")} className="flex flex-wrap gap-1.5">
      {numbers.map((number) => {
        const source = sources[number - 1]
        const place = source && placeOf(source)
        return (
          <li key={number} className="max-w-full min-w-0">
            <button type="button" onClick={() => onOpen(number)} className={chip}>
              <span className="font-semibold text-accent tabular">{number}</span>
              <span className="truncate">
                {source ? names.get(source.file_id) : t("sources.withheld")}
              </span>
              {place && <span className="truncate text-muted max-wide:hidden">{place}</span>}
            </button>
          </li>
        )
      })}
      <li>
        <button type="button" onClick={() => onOpen(numbers[0] ?? 1)} className={chip}>
          <FileText aria-hidden className="size-3.5 text-muted" />
          {t(numbers.length > 0 ? "sources.all" : "sources.uncited", { count: sources.length })}
        </button>
      </li>
    </ul>
  )
}

const Skipped = ({ skipped }: { skipped: Message["sources_skipped"] }) => (
  <details className="text-xs text-muted">
    <summary>{t("sources.skipped", { count: skipped.length })}</summary>
    <ul className="mt-1 flex flex-col gap-0.5 pl-4">
      {skipped.map(({ id, name, reason }) => (
        <li key={id} className="break-words">
          <span className="text-text">{name}</span>: {reason}
        </li>
      ))}
    </ul>
  </details>
)

/** What an answer rests on, and what it could not. */
export const AnswerSources = ({ message, onOpen }: SourcesProps) => {
  const { sources, sources_skipped: skipped, state } = message
  if (sources === null || state === "running") return null
  return (
    <div className="mt-3 flex flex-col gap-1.5">
      {sources.length > 0 && <Cited message={message} onOpen={onOpen} />}
      {sources.length === 0 && <p className="text-xs text-muted">{t("sources.nothing")}</p>}
      {skipped.length > 0 && <Skipped skipped={skipped} />}
    </div>
  )
}
