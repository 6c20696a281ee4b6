import { type KeyboardEvent, type PointerEvent, useState } from "react"

/** The position that a key moves to; undefined for keys that do something else. */
const positionAfter = (key: string, current: number, count: number): number | undefined => {
  if (key === "ArrowLeft" || key === "ArrowDown") return Math.max(0, current - 1)
  if (key === "ArrowRight" || key === "ArrowUp") return Math.min(count - 1, current + 1)
  if (key === "Home") return 0
  if (key === "End") return count - 1
  return undefined
}

/** Which bar of a chart the mouse, a finger, or the arrow keys select, if any. */
export const useBarSelection = (count: number) => {
  const [position, setPosition] = useState<number | null>(null)
  // The chart may have fewer bars than when one was selected.
  const selected = position !== null && position < count ? position : null

  const selectAt = ({ currentTarget, clientX }: PointerEvent<HTMLElement>): void => {
    const { left, width } = currentTarget.getBoundingClientRect()
    const index = Math.floor(((clientX - left) / width) * count)
    setPosition(Math.max(0, Math.min(count - 1, index)))
  }
  const clear = (): void => setPosition(null)

  return {
    selected,
    onPointerDown: selectAt,
    onPointerMove: selectAt,
    onPointerLeave: ({ pointerType }: PointerEvent<HTMLElement>): void => {
      // What a finger selected stays, so that the values can be read.
      if (pointerType === "mouse") clear()
    },
    onFocus: ({ currentTarget }: React.FocusEvent<HTMLElement>): void => {
      if (currentTarget.matches(":focus-visible")) setPosition(count - 1)
    },
    onBlur: clear,
    onKeyDown: (event: KeyboardEvent<HTMLElement>): void => {
      if (event.key === "Escape") clear()
      if (event.altKey || event.ctrlKey || event.metaKey) return
      const next = positionAfter(event.key, selected ?? count, count)
      if (next === undefined) return
      event.preventDefault()
      setPosition(next)
    },
  }
}
