import { ChevronLeft, ChevronRight } from "lucide-react"
import { t } from "../../i18n/translate.ts"
import type { Message } from "../../lib/chat-api.ts"
import type { Turn } from "../../lib/chat-tree.ts"
import { IconButton } from "../../ui/button.tsx"

interface AlternativeSwitcherProps {
  turn: Turn
  onSelect: (message: Message) => void
}

/** ‹ 2/3 ›: switches between the alternatives at this step. */
export const AlternativeSwitcher = ({ turn, onSelect }: AlternativeSwitcherProps) => {
  const { alternatives, alternativeIndex } = turn
  const before = alternatives[alternativeIndex - 1]
  const after = alternatives[alternativeIndex + 1]
  if (alternatives.length < 2) return null
  return (
    <span className="turn-ways flex items-center text-xs text-muted tabular">
      <IconButton
        icon={ChevronLeft}
        label={t("chat.previousWay")}
        disabled={!before}
        onClick={() => before && onSelect(before)}
      />
      <span title={t("chat.way", { way: alternativeIndex + 1, ways: alternatives.length })}>
        {alternativeIndex + 1}/{alternatives.length}
      </span>
      <IconButton
        icon={ChevronRight}
        label={t("chat.nextWay")}
        disabled={!after}
        onClick={() => after && onSelect(after)}
      />
    </span>
  )
}
