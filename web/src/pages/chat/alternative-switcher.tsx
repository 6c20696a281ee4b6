import { ChevronLeft, ChevronRight } from "lucide-react"
import { useLayoutEffect, useRef } from "react"
import { t } from "../../i18n/translate.ts"
import type { Message } from "../../lib/chat-api.ts"
import { IconButton } from "../../ui/button.tsx"
import type { TurnProps } from "./turn-props.ts"

type Direction = "previous" | "next"

/** The button that was removed while it had the focus, until something else receives it. */
let removedFocus: { parentId: string | null; direction: Direction } | null = null

const forgetRemovedFocus = (): void => {
  removedFocus = null
}

interface SwitchButtonProps extends Pick<TurnProps, "actions"> {
  direction: Direction
  /** The message whose replies are the alternatives. */
  parentId: string | null
  /** Undefined at the end of the alternatives. */
  target: Message | undefined
}

/**
 * Each alternative has its own switcher, and a running answer has none, so the focus of a removed
 * button moves to the same button of the next switcher.
 */
const SwitchButton = ({ direction, parentId, target, actions }: SwitchButtonProps) => {
  const button = useRef<HTMLButtonElement>(null)
  useLayoutEffect(() => {
    const element = button.current
    if (removedFocus?.parentId === parentId && removedFocus.direction === direction) {
      element?.focus()
    }
    return () => {
      if (document.activeElement !== element) return
      removedFocus = { parentId, direction }
      document.addEventListener("focusin", forgetRemovedFocus, { once: true })
    }
  }, [parentId, direction])
  return (
    <IconButton
      ref={button}
      icon={direction === "previous" ? ChevronLeft : ChevronRight}
      label={t(direction === "previous" ? "chat.previousWay" : "chat.nextWay")}
      // Not disabled at the ends, which would lose the focus.
      aria-disabled={!target}
      onClick={() => {
        if (target) actions.report(actions.showBranch(target))
      }}
    />
  )
}

/** ‹ 2/3 ›: switches between the alternatives at this step. */
export const AlternativeSwitcher = ({ turn, actions }: Pick<TurnProps, "turn" | "actions">) => {
  const { alternatives, alternativeIndex: index, chosen } = turn
  if (alternatives.length < 2) return null
  const button = { parentId: chosen.parent_id, actions }
  return (
    <span className="turn-ways flex items-center text-xs text-muted tabular">
      <SwitchButton {...button} direction="previous" target={alternatives[index - 1]} />
      <span title={t("chat.way", { way: index + 1, ways: alternatives.length })}>
        {index + 1}/{alternatives.length}
      </span>
      <SwitchButton {...button} direction="next" target={alternatives[index + 1]} />
    </span>
  )
}
