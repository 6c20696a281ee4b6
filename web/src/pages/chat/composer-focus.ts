export const composerId = "composer"

export const isTouch = (): boolean => matchMedia("(pointer: coarse)").matches

/**
 * The composer, if it should take the focus after something closed. On touch screens this would
 * open the keyboard.
 */
export const findComposer = (): HTMLElement | null =>
  isTouch() ? null : document.getElementById(composerId)

export const focusComposer = (): void => findComposer()?.focus()
