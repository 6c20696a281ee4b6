import { useQuery } from "@tanstack/react-query"
import { X } from "lucide-react"
import { useEffect, useRef, useState } from "react"
import { t } from "../../i18n/translate.ts"
import type { Message } from "../../lib/chat-api.ts"
import { passagesQuery } from "../../lib/library-api.ts"
import { useShortcut } from "../../lib/shortcuts.ts"
import { IconButton } from "../../ui/button.tsx"
import { classes } from "../../ui/classes.ts"
import { ErrorNote } from "../../ui/error-note.tsx"
import { Skeleton } from "../../ui/skeleton.tsx"
import { namesOf, placeOf } from "./citations.ts"
import { Excerpt } from "./excerpt.tsx"

interface PaneProps {
  message: Message
  number: number
  onNumber: (number: number) => void
  onClose: () => void
}

/** The focus goes back to where the pane was opened from. */
const useFocusBack = (): void => {
  const [before] = useState(() => document.activeElement)
  useEffect(
    () => () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus()
    },
    [before],
  )
}

/** A pane that a reload has brought back takes the focus from nobody. */
const mayTakeFocus = (): boolean => {
  const { activeElement } = document
  return activeElement !== document.body && activeElement?.id !== "composer"
}

interface EntryProps extends Pick<PaneProps, "message" | "onNumber"> {
  number: number
  open: boolean
  name: string | undefined
}

/** One source: what it is called, and once it is opened its passage. */
const Entry = ({ message, number, open, name, onNumber }: EntryProps) => {
  const source = message.sources?.[number - 1] ?? null
  const passages = useQuery({ ...passagesQuery(message.chat_id, message.id), enabled: open })
  const head = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (!open) return
    if (mayTakeFocus()) head.current?.focus({ preventScroll: true })
    head.current?.scrollIntoView({ block: "nearest" })
  }, [open])
  const passage = passages.data?.[number - 1]
  const place = source && placeOf(source)
  return (
    <li className="border-b border-line">
      <h3>
        <button
          ref={head}
          type="button"
          aria-expanded={open}
          onClick={() => onNumber(number)}
          className={classes(
            "flex w-full min-w-0 items-baseline gap-2 px-4 py-2.5 text-left text-sm -outline-offset-2 hover:bg-hover",
            open && "font-medium",
          )}
        >
          <span className="min-w-4 font-semibold text-accent tabular">{number}</span>
          <span className="min-w-0 flex-1">
            <span className="block break-words">{source ? name : t("sources.withheld")}</span>
            {place && <span className="block text-xs font-normal text-muted">{place}</span>}
          </span>
        </button>
      </h3>
      {open && (
        <div className="px-4 pb-4 pl-10">
          {passages.error && (
            <ErrorNote error={passages.error} retry={() => void passages.refetch()} />
          )}
          {passages.isPending && <Skeleton rows={4} />}
          {passage && <Excerpt passage={passage} />}
          {passage === null && <p className="text-sm text-muted">{t("sources.withheldHelp")}</p>}
        </div>
      )}
    </li>
  )
}

/** What an answer was given, each passage in its place. */
export const SourcesPane = ({ message, number, onNumber, onClose }: PaneProps) => {
  const sources = message.sources ?? []
  const names = namesOf(sources)
  useFocusBack()
  useShortcut("escape", onClose)
  return (
    <aside
      aria-label={t("sources.title")}
      className="flex w-full shrink-0 flex-col overflow-y-auto border-l border-line bg-surface max-xl:absolute max-xl:inset-y-0 max-xl:right-0 max-xl:z-10 wide:w-96 wide:max-xl:shadow-float"
    >
      <div className="sticky top-0 flex h-12 shrink-0 items-center justify-between gap-2 border-b border-line bg-surface pr-2 pl-4">
        <h2 className="text-sm font-semibold">{t("sources.title")}</h2>
        <IconButton icon={X} label={t("action.close")} onClick={onClose} />
      </div>
      <ol>
        {sources.map((source, index) => (
          <Entry
            // biome-ignore lint/suspicious/noArrayIndexKey: a source is its number
            key={index}
            message={message}
            number={index + 1}
            open={index + 1 === number}
            name={source ? names.get(source.file_id) : undefined}
            onNumber={onNumber}
          />
        ))}
      </ol>
    </aside>
  )
}
