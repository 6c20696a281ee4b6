import { type RefObject, useLayoutEffect } from "react"

const durationMs = 150

/**
 * Where the composer was when a chat's first message was sent. Outlives the start page, because
 * the page of the chat replaces it during the movement.
 */
let start = { top: 0, at: Number.NEGATIVE_INFINITY }

/** Call it before the composer moves from the middle of the start page to the bottom. */
export const rememberComposerPosition = (box: HTMLElement | null): void => {
  if (box) start = { top: box.getBoundingClientRect().top, at: performance.now() }
}

/** Moves the composer to the bottom rather than showing it there at once. */
export const useComposerSlide = (box: RefObject<HTMLElement | null>, hasStarted: boolean): void =>
  useLayoutEffect(() => {
    const elapsedMs = performance.now() - start.at
    const isReduced = matchMedia("(prefers-reduced-motion: reduce)").matches
    if (!(hasStarted && box.current) || elapsedMs >= durationMs || isReduced) return
    const distance = start.top - box.current.getBoundingClientRect().top
    const frames = [{ transform: `translateY(${distance}px)` }, { transform: "none" }]
    const animation = box.current.animate(frames, { duration: durationMs, easing: "ease-out" })
    animation.currentTime = elapsedMs
  }, [box, hasStarted])
