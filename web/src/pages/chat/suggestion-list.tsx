import { Link } from "@tanstack/react-router"
import type { LucideIcon } from "lucide-react"
import { type RefObject, useEffect, useRef, useState } from "react"
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

/** What connects a list of suggestions with its text field. */
export interface SuggestionListControl {
  /** The listbox's ID, for the text field that controls it. */
  id: string
  /** The selection returns to the first suggestion when this changes. */
  query: string
  keys: RefObject<SuggestionKeyHandler | null>
  onActive: (optionId: string | undefined) => void
  onClose: () => void
}

interface SuggestionListProps<T extends Suggestion> extends SuggestionListControl {
  label: string
  suggestions: readonly T[]
  /** The suggestions still answer an earlier query, or none. */
  loading: boolean
  onPick: (one: T) => void
  /** Shown if there is none. */
  none: NoSuggestionsProps
}

interface NoSuggestionsProps {
  text: string
  /** Where to create what is missing. */
  to: "/knowledge/new" | "/prompts/new"
  action: string
}

/** Shown below an empty list. The text field keeps the focus. */
const NoSuggestions = ({ text, to, action }: NoSuggestionsProps) => (
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

/**
 * Enter waits for the suggestions that load, and then chooses the first, or is pressed again for the
 * text field if there is none.
 */
const useWaitingEnter = (loading: boolean, choose: (() => void) | undefined) => {
  const [isWaiting, setWaiting] = useState(false)
  useEffect(() => {
    if (!isWaiting || loading) return
    setWaiting(false)
    if (choose) choose()
    else {
      const init = { key: "Enter", bubbles: true, cancelable: true }
      document.activeElement?.dispatchEvent(new KeyboardEvent("keydown", init))
    }
  }, [isWaiting, loading, choose])
  /** @returns whether the key waits; any other key ends the waiting */
  return (key: string): boolean => {
    const waits = loading && key === "Enter"
    setWaiting(waits)
    return waits
  }
}

/** Suggestions above a text field, which keeps the focus and forwards its keys. */
export const SuggestionList = <T extends Suggestion>(props: SuggestionListProps<T>) => {
  const { id, label, suggestions, query, keys, onActive, onPick, onClose } = props
  const { loading, none } = props
  const [at, setAt] = useState(0)
  const list = useRef<HTMLDivElement>(null)
  const active = Math.min(at, suggestions.length - 1)
  const chosen = suggestions[active]
  const waitWith = useWaitingEnter(loading, chosen && (() => onPick(chosen)))
  const optionId = (index: number): string => `${id}-${index}`

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new query resets the selection
  useEffect(() => setAt(0), [query])
  useEffect(() => {
    onActive(active >= 0 ? optionId(active) : undefined)
    list.current?.children[active]?.scrollIntoView({ block: "nearest" })
  })
  useEffect(() => () => onActive(undefined), [onActive])

  const moveOrPick = (key: string, one: T): boolean => {
    const { length } = suggestions
    if (key === "ArrowDown") setAt((active + 1) % length)
    else if (key === "ArrowUp") setAt((active - 1 + length) % length)
    else if (key === "Enter" || key === "Tab") onPick(one)
    else return false
    return true
  }
  keys.current = {
    handleKey: (key) => {
      if (waitWith(key)) return true
      if (key !== "Escape") return chosen !== undefined && moveOrPick(key, chosen)
      onClose()
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
    <div
      className={classes(
        "absolute inset-x-0 bottom-full z-20 mb-1 overflow-hidden rounded-lg border border-line bg-raised shadow-float",
        suggestions.length === 0 && loading && "hidden",
      )}
    >
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
      {suggestions.length === 0 && !loading && <NoSuggestions {...none} />}
    </div>
  )
}
