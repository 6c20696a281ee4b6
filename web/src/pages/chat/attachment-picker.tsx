import { useQuery } from "@tanstack/react-query"
import { FileText, Library } from "lucide-react"
import { type RefObject, useEffect, useRef, useState } from "react"
import { t } from "../../i18n/translate.ts"
import { collectionsQuery, filesQuery } from "../../lib/knowledge-api.ts"
import { classes } from "../../ui/classes.ts"
import type { Attachment } from "./attachments.ts"

const maxSuggestions = 6

export interface PickerKeyHandler {
  /** @returns whether the picker handled the key */
  handleKey: (key: string) => boolean
}

interface PickerProps {
  /** The listbox's ID, for the text field that controls it. */
  id: string
  query: string
  keys: RefObject<PickerKeyHandler | null>
  onActive: (optionId: string | undefined) => void
  onPick: (one: Attachment) => void
  onClose: () => void
}

const useSuggestions = (query: string) => {
  const search = { query: query.trim(), page_size: maxSuggestions }
  const collections = useQuery(collectionsQuery(search))
  const files = useQuery(filesQuery({ ...search, order_by: "created_at", direction: "desc" }))
  const suggestions: (Attachment & { note: string })[] = [
    ...(collections.data?.items ?? []).map((one) => ({
      type: "collection" as const,
      id: one.id,
      name: one.name,
      note: t("knowledge.files", { count: one.file_counts.total }),
    })),
    ...(files.data?.items ?? []).map((one) => ({
      type: "file" as const,
      id: one.id,
      name: one.filename,
      note: t("knowledge.oneFile"),
    })),
  ]
  return { found: suggestions, isPending: collections.isPending || files.isPending }
}

/** Suggests collections and files by name; the text field keeps the focus and forwards its keys. */
export const AttachmentPicker = ({ id, query, keys, onActive, onPick, onClose }: PickerProps) => {
  const { found, isPending } = useSuggestions(query)
  const [at, setAt] = useState(0)
  const list = useRef<HTMLDivElement>(null)
  const active = Math.min(at, found.length - 1)
  const optionId = (index: number): string => `${id}-${index}`

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new query resets the selection
  useEffect(() => setAt(0), [query])
  useEffect(() => {
    onActive(active >= 0 ? optionId(active) : undefined)
    list.current?.children[active]?.scrollIntoView({ block: "nearest" })
  })
  useEffect(() => () => onActive(undefined), [onActive])

  keys.current = {
    handleKey: (key) => {
      const chosen = found[active]
      if (key === "Escape") onClose()
      else if (!chosen) return false
      else if (key === "ArrowDown") setAt((active + 1) % found.length)
      else if (key === "ArrowUp") setAt((active - 1 + found.length) % found.length)
      else if (key === "Enter" || key === "Tab") onPick(chosen)
      else return false
      return true
    },
  }
  useEffect(
    () => () => {
      keys.current = null
    },
    [keys],
  )

  return (
    <div className="absolute inset-x-0 bottom-full z-20 mb-1 overflow-hidden rounded-lg border border-line bg-raised shadow-float">
      <div
        ref={list}
        id={id}
        role="listbox"
        aria-label={t("attach.choose")}
        className="max-h-72 overflow-y-auto p-1"
      >
        {found.map(({ note, ...one }, index) => {
          const Icon = one.type === "file" ? FileText : Library
          return (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the focus and handles the keys
            // biome-ignore lint/a11y/useFocusableInteractive: the field references it with aria-activedescendant
            <div
              key={`${one.type} ${one.id}`}
              id={optionId(index)}
              role="option"
              aria-selected={index === active}
              onPointerDown={(event) => event.preventDefault()}
              onPointerMove={() => setAt(index)}
              onClick={() => onPick(one)}
              className={classes(
                "flex cursor-pointer items-center gap-2 rounded-md px-2 py-1.5 text-sm",
                index === active && "bg-hover",
              )}
            >
              <Icon aria-hidden className="size-4 shrink-0 text-muted" />
              <span className="min-w-0 flex-1 truncate">{one.name}</span>
              <span className="shrink-0 text-xs text-muted">{note}</span>
            </div>
          )
        })}
      </div>
      {found.length === 0 && !isPending && (
        <p className="px-3 pb-2.5 text-sm text-muted">{t("attach.none")}</p>
      )}
    </div>
  )
}
