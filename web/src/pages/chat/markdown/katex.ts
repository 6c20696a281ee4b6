import katex from "katex"
import "katex/dist/katex.min.css"

/** Maximum size that a formula may request, in em. */
const maxEm = 20
const maxExpansions = 500

/**
 * Renders a formula as DOM nodes, without HTML strings.
 * @returns false if the source is not valid TeX
 */
export const drawFormula = (source: string, container: HTMLElement, display: boolean): boolean => {
  try {
    katex.render(source, container, {
      displayMode: display,
      throwOnError: true,
      trust: false,
      strict: "ignore",
      maxSize: maxEm,
      maxExpand: maxExpansions,
    })
    return true
  } catch {
    return false
  }
}
