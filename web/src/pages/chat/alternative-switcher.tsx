import { ChevronLeft, ChevronRight } from "lucide-react"
import { useEffect, useRef } from "react"
import { t } from "../../i18n/translate.ts"
import type { Message } from "../../lib/chat-api.ts"
import type { Turn } from "../../lib/chat-tree.ts"
import { IconButton } from "../../ui/button.tsx"

interface AlternativeSwitcherProps {
  turn: Turn
  onSelect: (message: Message) => void
}

type Direction = "previous" | "next"

/** The last switch, and the message whose replies are the alternatives. */
let lastSwitch: { parentId: string | null; direction: Direction } | null = null

/** Each alternative has its own switcher, so the focus moves on to the same button of the next. */
const useFocusAfterSwitch = (parentId: string | null) => {
  const previous = useRef<HTMLButtonElement>(null)
  const next = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (!lastSwitch || lastSwitch.parentId !== parentId) return
    const button = lastSwitch.direction === "previous" ? previous : next
    lastSwitch = null
    button.current?.focus()
  }, [parentId])
  return { previous, next }
}

/** ‹ 2/3 ›: switches between the alternatives at this step. */
export const AlternativeSwitcher = ({ turn, onSelect }: AlternativeSwitcherProps) => {
  const { alternatives, alternativeIndex, chosen } = turn
  const { previous, next } = useFocusAfterSwitch(chosen.parent_id)
  const before = alternatives[alternativeIndex - 1]
  const after = alternatives[alternativeIndex + 1]
  if (alternatives.length < 2) return null
  const select = (message: Message | undefined, direction: Direction): void => {
    if (!message) return
    lastSwitch = { parentId: chosen.parent_id, direction }
    onSelect(message)
  }
  return (
    <span className="turn-ways flex items-center text-xs text-muted tabular">
      {/* Not disabled at the ends, which would lose the focus. */}
      <IconButton
        ref={previous}
        icon={ChevronLeft}
        label={t("chat.previousWay")}
        aria-disabled={!before}
        onClick={() => select(before, "previous")}
      />
      <span title={t("chat.way", { way: alternativeIndex + 1, ways: alternatives.length })}>
        {alternativeIndex + 1}/{alternatives.length}
      </span>
      <IconButton
        ref={next}
        icon={ChevronRight}
        label={t("chat.nextWay")}
        aria-disabled={!after}
        onClick={() => select(after, "next")}
      />
    </span>
  )
}
