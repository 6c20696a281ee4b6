export const composerId = "composer"

export const isTouchScreen = (): boolean => matchMedia("(pointer: coarse)").matches

/**
 * The composer, if it should take the focus after something closed. On touch screens this would
 * open the keyboard.
 */
export const findComposerToFocus = (): HTMLElement | null =>
  isTouchScreen() ? null : document.getElementById(composerId)

export const focusComposer = (): void => findComposerToFocus()?.focus()
