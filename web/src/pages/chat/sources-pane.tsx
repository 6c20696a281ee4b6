import { X } from "lucide-react"
import { useEffect, useId, useState } from "react"
import { t } from "../../i18n/translate.ts"
import type { Message } from "../../lib/chat-api.ts"
import { useShortcut } from "../../lib/shortcuts.ts"
import { IconButton } from "../../ui/button.tsx"
import { classes } from "../../ui/classes.ts"
import { isPdf } from "../pdf/pdf-file.tsx"
import { fileNamesById } from "./citations.ts"
import { SourceEntry } from "./source-entry.tsx"
import { type NumberedSource, splitByCitation } from "./split-by-citation.ts"

interface SourcesPaneProps {
  message: Message
  number: number
  onNumber: (number: number) => void
  onClose: () => void
}

/** Returns the focus to the element that opened the pane. */
const useRestoreFocus = (): void => {
  const [before] = useState(() => document.activeElement)
  useEffect(
    () => () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus()
    },
    [before],
  )
}

type ListProps = Pick<SourcesPaneProps, "message" | "number" | "onNumber"> & {
  items: readonly NumberedSource[]
  /** ID of the list's heading, if it has one. */
  labelledBy?: string
}

const SourceList = ({ message, number: opened, onNumber, items, labelledBy }: ListProps) => {
  const names = fileNamesById(message.sources ?? [])
  return (
    <ol aria-labelledby={labelledBy}>
      {items.map(({ number, source }) => (
        <SourceEntry
          key={number}
          message={message}
          numbered={{ number, source }}
          open={number === opened}
          name={source ? names.get(source.file_id) : undefined}
          onNumber={onNumber}
        />
      ))}
    </ol>
  )
}

const heading = "px-4 pt-3 pb-1 text-xs font-semibold text-muted"

/** Opens when it contains the selected source; the reader may also open it. */
const OtherSources = (props: ListProps) => {
  const { items, number } = props
  const hasOpen = items.some((item) => item.number === number)
  const [unfolded, setUnfolded] = useState(hasOpen)
  useEffect(() => {
    if (hasOpen) setUnfolded(true)
  }, [hasOpen])
  return (
    <details open={unfolded} onToggle={({ currentTarget }) => setUnfolded(currentTarget.open)}>
      <summary className={`${heading} pb-3`}>
        {t("sources.alsoGiven", { count: items.length })}
      </summary>
      {unfolded && <SourceList {...props} />}
    </details>
  )
}

/** The sources of an answer: the cited ones, then the others. */
export const SourcesPane = ({ message, number, onNumber, onClose }: SourcesPaneProps) => {
  const { cited, others } = splitByCitation(message.sources ?? [])
  const list = { message, number, onNumber }
  const id = useId()
  // Pages need more room than text to be read.
  const hasPages = message.sources?.some((source) => source && isPdf(source.name))
  useRestoreFocus()
  useShortcut("escape", onClose)
  return (
    <aside
      aria-label={t("label.sources")}
      className={classes(
        "flex w-full shrink-0 flex-col overflow-y-auto border-l border-line bg-surface max-xl:absolute max-xl:inset-y-0 max-xl:right-0 max-xl:z-10 wide:max-xl:shadow-float",
        hasPages ? "wide:w-[min(36rem,42vw)]" : "wide:w-96",
      )}
    >
      <div className="sticky top-0 z-10 flex h-12 shrink-0 items-center justify-between gap-2 border-b border-line bg-surface pr-2 pl-4">
        <h2 className="text-sm font-semibold">{t("label.sources")}</h2>
        <IconButton icon={X} label={t("action.close")} onClick={onClose} />
      </div>
      {cited.length === 0 ? (
        <SourceList {...list} items={others} />
      ) : (
        <>
          <p id={id} className={heading}>
            {t("sources.cited")}
          </p>
          <SourceList {...list} items={cited} labelledBy={id} />
          {others.length > 0 && <OtherSources {...list} items={others} />}
        </>
      )}
    </aside>
  )
}
