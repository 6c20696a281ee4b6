import { Link } from "@tanstack/react-router"
import { SearchX } from "lucide-react"
import { type ReactNode, useLayoutEffect, useRef, useState } from "react"
import { t } from "../../i18n/translate.ts"
import type { CollectionSearchResult, FoundPassage } from "../../lib/knowledge-api.ts"
import { formatLocation } from "../../lib/passage-location.ts"
import { formatOrigin } from "../../lib/passage-origin.ts"
import { Badge } from "../../ui/badge.tsx"
import { Button } from "../../ui/button.tsx"
import { classes } from "../../ui/classes.ts"
import { EmptyState } from "../../ui/empty-state.tsx"
import { explainPresence, explainRanks, explainUse } from "./explain-passage.ts"
import { RewrittenQueries } from "./rewritten-queries.tsx"

/** A longer passage is cut to six lines until it is unfolded. */
const PassageText = ({ text }: { text: string }) => {
  const paragraph = useRef<HTMLParagraphElement>(null)
  const [isCut, setCut] = useState(false)
  const [isOpen, setOpen] = useState(false)
  useLayoutEffect(() => {
    const { scrollHeight = 0, clientHeight = 0 } = paragraph.current ?? {}
    setCut(scrollHeight > clientHeight)
  }, [])
  return (
    <>
      <p
        ref={paragraph}
        className={classes(
          "mt-2 max-w-[80ch] text-sm break-words whitespace-pre-wrap",
          !isOpen && "line-clamp-6",
        )}
      >
        {text}
      </p>
      {isCut && (
        <button
          type="button"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
          className="mt-1 rounded-sm text-xs text-accent hover:underline"
        >
          {t(isOpen ? "playground.less" : "playground.more")}
        </button>
      )}
    </>
  )
}

interface ResultProps {
  passage: FoundPassage
  number: number
  search: CollectionSearchResult["search"]
  action: ReactNode
}

const Result = ({ passage, number, search, action }: ResultProps) => {
  const { file_id, filename, text, start, used, reason } = passage
  const place = [formatLocation(passage), formatOrigin(passage)].filter(Boolean).join(" · ")
  const explanations = [...explainPresence(passage), ...explainRanks(passage, search)]
  return (
    <li className={classes("border-b border-line p-4 last:border-0", !used && "bg-surface")}>
      <div className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
        <span className="text-sm font-semibold tabular">{number}</span>
        <Link
          to="/knowledge/files/$fileId"
          params={{ fileId: file_id }}
          // An outline is generated, so it has no position in the file's text.
          search={reason === "outline" ? {} : { at: start }}
          className="min-w-0 text-sm font-medium break-words hover:underline"
        >
          {filename}
        </Link>
        {place && <span className="min-w-0 text-xs break-words text-muted">{place}</span>}
        <span className="ml-auto">
          <Badge tone={used ? "ok" : "plain"}>{explainUse(passage)}</Badge>
        </span>
      </div>
      {explanations.length > 0 && (
        <ul className="mt-1 flex flex-wrap gap-x-4 text-xs text-muted tabular">
          {explanations.map((explanation) => (
            <li key={explanation}>{explanation}</li>
          ))}
        </ul>
      )}
      <PassageText text={text} />
      {action}
    </li>
  )
}

/** How many passages the model would receive, how they were searched, and their token count. */
const Summary = ({ findings }: { findings: CollectionSearchResult }) => {
  const { budget, search, embedding_model: model } = findings
  return (
    <p role="status" className="text-sm text-muted tabular">
      {[
        t("playground.total", { count: budget.passages }),
        t("playground.budget", budget),
        t(`playground.by.${search}`, { model: model ?? "" }),
      ].join(" ")}
    </p>
  )
}

/** Offered if the model would receive more passages than are shown. */
const ShowAll = ({ findings, onShowAll }: Omit<PlaygroundResultsProps, "actionFor">) => {
  const { passages, budget } = findings
  const shown = passages.filter(({ used }) => used).length
  if (shown >= budget.passages) return null
  return (
    <Button className="self-start" onClick={onShowAll}>
      {t("playground.showAll", { count: budget.passages })}
    </Button>
  )
}

interface PlaygroundResultsProps {
  findings: CollectionSearchResult
  /** Requests every passage that the model would receive. */
  onShowAll: () => void
  /** Shown below a passage. */
  actionFor: (passage: FoundPassage) => ReactNode
}

/**
 * The passages found for a question, with the reasons for sending each to the model or leaving it
 * out.
 */
export const PlaygroundResults = ({ findings, onShowAll, actionFor }: PlaygroundResultsProps) => {
  const { passages, search, sources_skipped: skipped, partly_embedded: partlyEmbedded } = findings
  const { rewriting } = findings
  return (
    <>
      <Summary findings={findings} />
      {rewriting && <RewrittenQueries report={rewriting} />}
      {partlyEmbedded > 0 && (
        <p className="text-sm text-muted">
          {t("playground.partlyEmbedded", { count: partlyEmbedded })}
        </p>
      )}
      {skipped.length > 0 && (
        <p className="text-sm text-muted">
          {t("sources.skipped", { count: skipped.length })}:{" "}
          {skipped.map(({ name }) => name).join(", ")}
        </p>
      )}
      {passages.length === 0 ? (
        <EmptyState icon={SearchX} title={t("playground.nothing")}>
          {t("playground.nothingHelp")}
        </EmptyState>
      ) : (
        <ol className="rounded border border-line">
          {passages.map((passage, index) => (
            <Result
              // biome-ignore lint/suspicious/noArrayIndexKey: results have a fixed order
              key={index}
              passage={passage}
              number={index + 1}
              search={search}
              action={actionFor(passage)}
            />
          ))}
        </ol>
      )}
      <ShowAll findings={findings} onShowAll={onShowAll} />
    </>
  )
}
