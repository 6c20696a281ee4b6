import katex from "katex"
import "katex/dist/katex.min.css"

/** The largest size that a formula may ask for, in em. */
const maxEm = 20
const maxExpansions = 500

/** Draws with DOM nodes of KaTeX's own making. @returns false when the source is no TeX */
export const drawFormula = (source: string, place: HTMLElement, display: boolean): boolean => {
  try {
    katex.render(source, place, {
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
