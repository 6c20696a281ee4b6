import {
  cloneElement,
  type FocusEvent,
  type PointerEvent,
  type ReactElement,
  useEffect,
  useRef,
  useState,
} from "react"
import { createPortal } from "react-dom"
import { KeyCombination } from "./key-combination.tsx"

const delayMs = 400
const gap = 6
const margin = 4

interface TriggerHandlers {
  onPointerEnter?: (event: PointerEvent<HTMLElement>) => void
  onPointerLeave?: (event: PointerEvent<HTMLElement>) => void
  onPointerDown?: (event: PointerEvent<HTMLElement>) => void
  onFocus?: (event: FocusEvent<HTMLElement>) => void
  onBlur?: (event: FocusEvent<HTMLElement>) => void
}

interface TooltipProps {
  label: string
  /** A combination such as `mod+k`. */
  keys?: string
  children: ReactElement<TriggerHandlers>
}

/**
 * A tooltip shown on hover and keyboard focus. Not announced to screen readers, because the
 * trigger's accessible name is the same text.
 */
export const Tooltip = ({ label, keys, children }: TooltipProps) => {
  const [anchor, setAnchor] = useState<HTMLElement | null>(null)
  const timer = useRef<number | undefined>(undefined)
  const hide = (): void => {
    window.clearTimeout(timer.current)
    setAnchor(null)
  }
  const show = (element: HTMLElement, after: number): void => {
    window.clearTimeout(timer.current)
    timer.current = window.setTimeout(() => setAnchor(element), after)
  }
  useEffect(() => () => window.clearTimeout(timer.current), [])

  const { props } = children
  return (
    <>
      {cloneElement(children, {
        onPointerEnter: (event) => {
          props.onPointerEnter?.(event)
          if (event.pointerType === "mouse") show(event.currentTarget, delayMs)
        },
        onPointerLeave: (event) => {
          props.onPointerLeave?.(event)
          hide()
        },
        onPointerDown: (event) => {
          props.onPointerDown?.(event)
          hide()
        },
        onFocus: (event) => {
          props.onFocus?.(event)
          if (event.currentTarget.matches(":focus-visible")) show(event.currentTarget, 0)
        },
        onBlur: (event) => {
          props.onBlur?.(event)
          hide()
        },
      })}
      {anchor &&
        createPortal(
          <TooltipBubble anchor={anchor} label={label} keys={keys} hide={hide} />,
          document.body,
        )}
    </>
  )
}

interface TooltipBubbleProps {
  anchor: HTMLElement
  label: string
  keys: string | undefined
  hide: () => void
}

/** Positions the tooltip below its anchor, or above if space is short, within the window. */
const positionBubble = (bubble: HTMLElement | null, anchor: HTMLElement): void => {
  if (!bubble) return
  const at = anchor.getBoundingClientRect()
  const { width, height } = bubble.getBoundingClientRect()
  const centre = at.left + at.width / 2 - width / 2
  const left = Math.max(margin, Math.min(centre, window.innerWidth - width - margin))
  const below = at.bottom + gap
  const top = below + height + margin > window.innerHeight ? at.top - gap - height : below
  bubble.style.translate = `${Math.round(left)}px ${Math.round(top)}px`
}

const TooltipBubble = ({ anchor, label, keys, hide }: TooltipBubbleProps) => {
  const latest = useRef(hide)
  latest.current = hide
  useEffect(() => {
    const end = (event: Event): void => {
      if (event instanceof KeyboardEvent && event.key !== "Escape") return
      latest.current()
    }
    const events = ["keydown", "scroll", "resize"] as const
    for (const name of events) window.addEventListener(name, end, true)
    return () => {
      for (const name of events) window.removeEventListener(name, end, true)
    }
  }, [])
  return (
    <div
      role="tooltip"
      ref={(bubble) => positionBubble(bubble, anchor)}
      className="pointer-events-none fixed top-0 left-0 z-50 flex max-w-72 items-center gap-2 rounded-md border border-line bg-raised px-2 py-1 text-xs text-text shadow-float"
    >
      {label}
      {keys && <KeyCombination of={keys} />}
    </div>
  )
}
