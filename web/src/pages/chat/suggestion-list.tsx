import { Link } from "@tanstack/react-router"
import type { LucideIcon } from "lucide-react"
import { type ReactNode, type RefObject, useEffect, useRef, useState } from "react"
import { classes } from "../../ui/classes.ts"

export interface SuggestionKeyHandler {
  /** @returns whether the list handled the key */
  handleKey: (key: string) => boolean
}

interface Suggestion {
  key: string
  icon: LucideIcon
  label: string
  note: string
}

interface SuggestionListProps<T extends Suggestion> {
  /** The listbox's ID, for the text field that controls it. */
  id: string
  label: string
  suggestions: readonly T[]
  /** The selection returns to the first suggestion when this changes. */
  query: string
  keys: RefObject<SuggestionKeyHandler | null>
  onActive: (optionId: string | undefined) => void
  onPick: (one: T) => void
  onClose: () => void
  /** Shown below the list. */
  children?: ReactNode
}

interface NoSuggestionsProps {
  text: string
  /** Where to create what is missing. */
  to: "/knowledge/new" | "/prompts/new"
  action: string
}

/** Shown below an empty list. The text field keeps the focus. */
export const NoSuggestions = ({ text, to, action }: NoSuggestionsProps) => (
  <p className="flex justify-between gap-3 px-3 pb-2.5 text-sm text-muted">
    {text}
    <Link
      to={to}
      onPointerDown={(event) => event.preventDefault()}
      className="shrink-0 text-accent hover:underline"
    >
      {action}
    </Link>
  </p>
)

/** Suggestions above a text field, which keeps the focus and forwards its keys. */
export const SuggestionList = <T extends Suggestion>(props: SuggestionListProps<T>) => {
  const { id, label, suggestions, query, keys, onActive, onPick, onClose, children } = props
  const [at, setAt] = useState(0)
  const list = useRef<HTMLDivElement>(null)
  const active = Math.min(at, suggestions.length - 1)
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
      const chosen = suggestions[active]
      const { length } = suggestions
      if (key === "Escape") onClose()
      else if (!chosen) return false
      else if (key === "ArrowDown") setAt((active + 1) % length)
      else if (key === "ArrowUp") setAt((active - 1 + length) % length)
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
        aria-label={label}
        className="max-h-[min(18rem,32vh)] overflow-y-auto p-1"
      >
        {suggestions.map((one, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the focus and handles the keys
          // biome-ignore lint/a11y/useFocusableInteractive: the field references it with aria-activedescendant
          <div
            key={one.key}
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
            <one.icon aria-hidden className="size-4 shrink-0 text-muted" />
            <span className="min-w-0 flex-1 truncate">{one.label}</span>
            <span className="max-w-1/2 shrink-0 truncate text-xs text-muted">{one.note}</span>
          </div>
        ))}
      </div>
      {children}
    </div>
  )
}
