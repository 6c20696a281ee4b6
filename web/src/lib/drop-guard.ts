const isTextField = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  target.closest("input, textarea, [contenteditable=true]") !== null

/** Whether files are dragged, and not text. */
export const isFileDrag = ({ dataTransfer }: DragEvent): boolean =>
  dataTransfer?.types.includes("Files") ?? false

const refuseDrop = (event: DragEvent): void => {
  // A drop zone has accepted it, or text is moved into a field.
  if (event.defaultPrevented || (isTextField(event.target) && !isFileDrag(event))) return
  event.preventDefault()
  if (event.dataTransfer) event.dataTransfer.dropEffect = "none"
}

/** Keeps the browser from opening files and links that are dropped beside a drop zone. */
export const preventDropNavigation = (): void => {
  window.addEventListener("dragover", refuseDrop)
  window.addEventListener("drop", refuseDrop)
}
