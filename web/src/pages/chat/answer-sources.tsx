import { Link } from "@tanstack/react-router"
import { FileText, Search } from "lucide-react"
import { t } from "../../i18n/translate.ts"
import type { Message } from "../../lib/chat-api.ts"
import { formatShortLocation } from "../../lib/passage-location.ts"
import { fileNamesById } from "./citations.ts"
import type { CollectionSearch } from "./collection-search.ts"
import { splitByCitation } from "./split-by-citation.ts"
import type { TurnActions } from "./turn-props.ts"

const chip =
  "flex max-w-full min-w-0 items-center gap-1.5 rounded border border-line px-2 py-1 text-xs hover:border-line-strong hover:bg-surface"

interface SourcesProps {
  message: Message
  actions: Pick<TurnActions, "openSource" | "searchOf">
}

const Chips = ({ message, actions }: SourcesProps) => {
  const sources = message.sources ?? []
  const open = (number: number): void => actions.openSource(message.id, number)
  const names = fileNamesById(sources)
  const { cited, others } = splitByCitation(sources)
  const [firstOther] = others
  return (
    <ul aria-label={t("label.sources")} className="flex flex-wrap gap-1.5">
      {cited.map(({ number, source }) => (
        <li key={number} className="max-w-full min-w-0">
          <button type="button" onClick={() => open(number)} className={chip}>
            <span className="font-semibold text-accent tabular">{number}</span>
            <span className="max-w-60 shrink-0 truncate">{names.get(source?.file_id ?? "")}</span>
            <span className="truncate text-muted empty:hidden max-wide:hidden">
              {source && formatShortLocation(source)}
            </span>
          </button>
        </li>
      ))}
      {firstOther && (
        <li>
          <button type="button" onClick={() => open(firstOther.number)} className={chip}>
            <FileText aria-hidden className="size-3.5 text-muted" />
            {t(cited.length > 0 ? "sources.alsoGiven" : "sources.given", {
              count: others.length,
            })}
          </button>
        </li>
      )}
    </ul>
  )
}

/** Why an answer cites no source; null if it cites one or the reader cannot know. */
const missingSourcesReason = ({ sources, state }: Message): string | null => {
  if (!sources) return null
  if (sources.length === 0) return t("sources.nothing")
  const isUncited = sources.every((source) => source?.cited === false)
  return isUncited && state === "completed" ? t("sources.uncited") : null
}

const MissingSourcesNote = ({
  text,
  search,
}: {
  text: string
  search: CollectionSearch | null
}) => (
  <p className="flex flex-wrap items-center gap-x-2 gap-y-1 text-xs text-muted">
    {text}
    {search && (
      <Link
        to="/knowledge/$collectionId/search"
        params={{ collectionId: search.collectionId }}
        search={search.search}
        // It is too long for a URL.
        state={{ previousAnswer: search.previousAnswer }}
        className="inline-flex items-center gap-1 rounded-sm text-accent hover:underline"
      >
        <Search aria-hidden className="size-3.5" />
        {t("playground.title")}
      </Link>
    )}
  </p>
)

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

/**
 * The sources cited in an answer, the others sent to the model, and the files that could not be
 * searched.
 */
export const AnswerSources = ({ message, actions }: SourcesProps) => {
  const { sources, sources_skipped: skipped, state } = message
  if (sources === null || state === "running") return null
  const missingReason = missingSourcesReason(message)
  return (
    <div className="mt-3 flex flex-col gap-1.5">
      {sources.length > 0 && <Chips message={message} actions={actions} />}
      {missingReason && (
        <MissingSourcesNote text={missingReason} search={actions.searchOf(message)} />
      )}
      {skipped.length > 0 && <Skipped skipped={skipped} />}
    </div>
  )
}
