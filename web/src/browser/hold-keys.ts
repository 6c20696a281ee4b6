const popups =
  "[role=dialog], [role=alertdialog], [role=menu], [role=listbox], [data-takes-held-keys]"
/** Frames in which what was loaded must take the focus; then the keys are dropped. */
const maxFrames = 60

/** Frames that a list needs to filter what it holds, before a key acts on it. */
const settlingFrames = 5

const isText = (key: string): boolean => key.length === 1 || key === "Backspace"

const nextFrame = (): Promise<unknown> => new Promise(requestAnimationFrame)

const waitFrames = async (count: number): Promise<void> => {
  for (let frame = 0; frame < count; frame += 1) await nextFrame()
}

const isEditable = (element: Element): boolean =>
  element instanceof HTMLInputElement ||
  element instanceof HTMLTextAreaElement ||
  (element instanceof HTMLElement && element.isContentEditable)

/** What a browser does for Enter when a person presses it, unlike for a dispatched event. */
const pressEnter = (element: Element): void => {
  if (element instanceof HTMLInputElement) element.form?.requestSubmit()
  else if (element instanceof HTMLButtonElement || element instanceof HTMLAnchorElement) {
    element.click()
  }
}

const press = ({ key, code, shiftKey }: KeyboardEvent): void => {
  const element = document.activeElement ?? document.body
  const init = { key, code, shiftKey, bubbles: true, cancelable: true }
  if (!element.dispatchEvent(new KeyboardEvent("keydown", init))) return
  // The only command that tells React, and undo, about the text.
  if (key.length === 1 && isEditable(element)) document.execCommand("insertText", false, key)
  if (key === "Backspace" && isEditable(element)) document.execCommand("delete")
  if (key === "Enter") pressEnter(element)
}

const hasTakenFocus = (before: Element | null): boolean => {
  const { activeElement } = document
  return activeElement !== before && activeElement?.closest(popups) !== null
}

interface HoldOptions {
  /** Whether the focus stays in a text field, whose text need not wait. */
  inField: boolean
  /** Called when Escape is pressed, which also drops what was typed. */
  onEscape: () => void
  /** Whether a click anywhere does the same as Escape. */
  endsWithClick?: boolean
}

/**
 * Holds the keys that are typed while a menu or dialog loads.
 * @returns releases them to what has the focus then
 */
export const holdKeys = (options: HoldOptions): (() => Promise<void>) => {
  const { inField, onEscape, endsWithClick = false } = options
  const before = document.activeElement
  const held: KeyboardEvent[] = []
  const stop = (): void => {
    window.removeEventListener("keydown", hold, true)
    window.removeEventListener("pointerdown", drop, true)
  }
  const drop = (): void => {
    held.length = 0
    stop()
    onEscape()
  }
  const hold = (event: KeyboardEvent): void => {
    const { key, ctrlKey, metaKey, altKey, isComposing, repeat } = event
    if (!event.isTrusted || ctrlKey || metaKey || altKey || isComposing) return
    if (key === "Shift" || (inField && isText(key) && held.length === 0)) return
    event.preventDefault()
    event.stopImmediatePropagation()
    if (key === "Escape") drop()
    else if (!repeat || isText(key)) held.push(event)
  }
  window.addEventListener("keydown", hold, true)
  if (endsWithClick) window.addEventListener("pointerdown", drop, true)
  return async () => {
    let frames = 0
    while (!inField && !hasTakenFocus(before) && frames < maxFrames) {
      frames += 1
      await nextFrame()
    }
    // Each key sees what the one before has changed.
    while (held[0] && frames < maxFrames) {
      await waitFrames(isText(held[0].key) ? 1 : settlingFrames)
      const event = held.shift()
      if (event) press(event)
    }
    stop()
  }
}
