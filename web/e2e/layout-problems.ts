/**
 * Evaluated in the page. Finds elements that are wider than the window, cut off without an ellipsis
 * or scrolling, and controls that overlap.
 */
export const findLayoutProblems = `(() => {
  const seen = (element) => element.checkVisibility() && element.getClientRects().length > 0
  const named = (element) =>
    element.tagName.toLowerCase() + ":" + (element.getAttribute("aria-label") || element.textContent || element.id).trim().slice(0, 40)
  const hidden = (element) => element.closest(".sr-only, [hidden]") !== null
  const scrolls = (element) => {
    for (let up = element; up; up = up.parentElement) {
      if (/auto|scroll/.test(getComputedStyle(up).overflowX) && up.scrollWidth > up.clientWidth) return true
    }
    return false
  }
  const root = document.querySelector("main") ?? document.body
  const all = [...root.querySelectorAll("*")].filter((element) => seen(element) && !hidden(element))
  const wrong = []
  if (document.documentElement.scrollWidth > innerWidth) wrong.push("the page scrolls sideways")
  if (root.scrollWidth > root.clientWidth) wrong.push("its content scrolls sideways")
  for (const element of all) {
    const { right, left } = element.getBoundingClientRect()
    if ((right > innerWidth + 1 || left < -1) && !scrolls(element.parentElement)) wrong.push(named(element) + ": extends beyond the window")
    const { overflowX, textOverflow } = getComputedStyle(element)
    const words = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim())
    const cut = words && element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0
    if (cut && /hidden|clip/.test(overflowX) && textOverflow !== "ellipsis") wrong.push(named(element) + ": is cut off")
  }
  const floats = (element) => {
    for (let up = element; up; up = up.parentElement) {
      const { position } = getComputedStyle(up)
      // A pane is meant to cover the page.
      if (/sticky|fixed/.test(position) || (position === "absolute" && up.tagName === "ASIDE")) return true
    }
    return false
  }
  const controls = all.filter((element) => element.matches("a, button, input, select, textarea") && !floats(element))
  const boxes = controls.map((element) => [element, element.getBoundingClientRect()])
  for (const [one, a] of boxes) {
    for (const [two, b] of boxes) {
      if (one === two || one.contains(two) || two.contains(one)) continue
      if (one.compareDocumentPosition(two) !== Node.DOCUMENT_POSITION_FOLLOWING) continue
      const across = Math.min(a.right, b.right) - Math.max(a.left, b.left)
      const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top)
      const inField = one.matches("input") && one.parentElement === two.parentElement
      if (across > 2 && down > 2 && !inField) wrong.push(named(one) + " and " + named(two) + ": overlap")
    }
  }
  return [...new Set(wrong)]
})()`
