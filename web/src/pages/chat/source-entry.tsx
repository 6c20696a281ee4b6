import { type UseQueryResult, useQuery } from "@tanstack/react-query"
import { useEffect, useId, useRef } from "react"
import type { ChatPassage } from "../../../../server/src/conversations/answers/source-schema.ts"
import { t } from "../../i18n/translate.ts"
import type { Message } from "../../lib/chat-api.ts"
import { passagesQuery } from "../../lib/knowledge-api.ts"
import { formatLocation } from "../../lib/passage-location.ts"
import { formatOrigin } from "../../lib/passage-origin.ts"
import { classes } from "../../ui/classes.ts"
import { ErrorNote } from "../../ui/error-note.tsx"
import { Skeleton } from "../../ui/skeleton.tsx"
import { isPdf } from "../pdf/pdf-file.tsx"
import type { AnswerSource } from "./citations.ts"
import { composerId } from "./composer-focus.ts"
import { passageSnippet } from "./passage-text.ts"
import { SourcePassage } from "./source-passage.tsx"
import type { NumberedSource } from "./split-by-citation.ts"

/** A pane restored by a reload must not take the focus from the composer. */
const mayTakeFocus = (): boolean => {
  const { activeElement } = document
  return activeElement !== document.body && activeElement?.id !== composerId
}

/** "Start of a section · page 14"; passages found by the search need no reason. */
const describeLocation = (source: AnswerSource): string => {
  const { reason = "passage" } = source
  const why = reason === "passage" ? "" : t(`reason.${reason}`)
  return [why, formatLocation(source)].filter(Boolean).join(" · ")
}

/** The beginning of a passage. Takes two lines even before it is loaded, so that nothing shifts. */
const Snippet = ({ id, passage }: { id: string; passage: ChatPassage | null | undefined }) => (
  <p
    id={id}
    className="mx-4 mb-2.5 -mt-1.5 line-clamp-2 min-h-8 pl-6 text-xs break-words text-muted"
  >
    {passage && passageSnippet(passage.text, passage.name)}
  </p>
)

interface SourceNameProps {
  source: AnswerSource | null
  name: string | undefined
}

const SourceName = ({ source, name }: SourceNameProps) => {
  const lines = source ? [describeLocation(source), formatOrigin(source)].filter(Boolean) : []
  return (
    <>
      <span className="block break-words">{source ? name : t("sources.withheld")}</span>
      {lines.map((line) => (
        <span key={line} className="block text-xs font-normal break-words text-muted">
          {line}
        </span>
      ))}
    </>
  )
}

interface OpenPassageProps {
  source: AnswerSource | null
  passages: UseQueryResult
  /** Undefined until loaded; null if the reader has no access to the file. */
  passage: ChatPassage | null | undefined
}

/** A source's passage, below its name. */
const OpenPassage = ({ source, passages, passage }: OpenPassageProps) => (
  <div className={classes("px-4 pb-4", source && !isPdf(source.name) && "pl-10")}>
    {passages.error && <ErrorNote error={passages.error} retry={() => void passages.refetch()} />}
    {passages.isPending && <Skeleton rows={4} />}
    {passage && <SourcePassage passage={passage} />}
    {passage === null && <p className="text-sm text-muted">{t("sources.withheldHelp")}</p>}
  </div>
)

interface EntryProps {
  message: Message
  numbered: NumberedSource
  open: boolean
  name: string | undefined
  onNumber: (number: number) => void
}

/** A source with the beginning of its passage; expands to show all of it in its context. */
export const SourceEntry = ({ message, numbered, open, name, onNumber }: EntryProps) => {
  const { number, source } = numbered
  const passages = useQuery(passagesQuery(message.chat_id, message.id))
  const id = useId()
  const head = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (!open) return
    if (mayTakeFocus()) head.current?.focus({ preventScroll: true })
    head.current?.scrollIntoView({ block: "nearest" })
  }, [open])
  const passage = passages.data?.[number - 1]
  const hasSnippet = !open && source !== null
  return (
    <li className="relative border-b border-line">
      <h3>
        <button
          ref={head}
          type="button"
          aria-expanded={open}
          aria-describedby={hasSnippet ? id : undefined}
          onClick={() => onNumber(number)}
          className={classes(
            "flex w-full min-w-0 items-baseline gap-2 px-4 py-2.5 text-left text-sm -outline-offset-2 hover:bg-hover",
            open ? "font-medium" : "after:absolute after:inset-0",
          )}
        >
          <span className="min-w-4 font-semibold text-accent tabular">{number}</span>
          <span className="min-w-0 flex-1">
            <SourceName source={source} name={name} />
          </span>
        </button>
      </h3>
      {hasSnippet && <Snippet id={id} passage={passage} />}
      {open && <OpenPassage source={source} passages={passages} passage={passage} />}
    </li>
  )
}
