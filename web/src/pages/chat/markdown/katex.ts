import katex from "katex"
import "katex/dist/katex.min.css"

/** Maximum size that a formula may request, in em. */
const maxEm = 20
const maxExpansions = 500
/** Characters of a formula; KaTeX draws each as several elements. */
const maxCharacters = 5000
/** Groups inside each other; KaTeX calls itself for each. */
const maxDepth = 100

const depthOf = (source: string): number => {
  let depth = 0
  let deepest = 0
  for (const [mark] of source.matchAll(
    /\\(?:left|begin)(?![a-z])|\\(?:right|end)(?![a-z])|\\.|[{}]/gs,
  )) {
    if (mark === "{" || mark === "\\left" || mark === "\\begin") depth += 1
    else if (mark === "}" || mark === "\\right" || mark === "\\end") depth -= 1
    deepest = Math.max(deepest, depth)
  }
  return deepest
}

const isTooLarge = (source: string): boolean =>
  source.length > maxCharacters || depthOf(source) > maxDepth

/**
 * Renders a formula as DOM nodes, without HTML strings.
 * @returns false if the source is not valid TeX, or too long or deep
 */
export const drawFormula = (source: string, container: HTMLElement, display: boolean): boolean => {
  if (isTooLarge(source)) return false
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
