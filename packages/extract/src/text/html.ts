import type { Block } from "../blocks.ts"
import { HeadingTracker } from "../heading-tracker.ts"
import { walkMarkup } from "../markup.ts"

const ignoredElements = new Set("script style noscript template svg math iframe object".split(" "))
const blockElements = new Set(
  `p div section article main header footer nav aside blockquote li dt dd ul ol dl figure figcaption
   form fieldset address hr br tr table thead tbody tfoot caption h1 h2 h3 h4 h5 h6 pre title body`.split(
    /\s+/,
  ),
)
const cellElements = new Set(["td", "th"])
const rowElements = new Set(["tr", "table"])
const headingName = /^h([1-6])$/

/** The text of a page's elements, without scripts and styles. */
export const readHtml = (source: string): Block[] => {
  const blocks: Block[] = []
  const headings = new HeadingTracker()
  let buffered = ""
  /** Tracked separately, as inspecting a string that grows by concatenation is quadratic. */
  let isBlank = true
  let ignoredDepth = 0
  let preformatted = 0
  let level = 0
  let inRow = false

  const currentKind = (): Block["kind"] => {
    if (level > 0) return "heading"
    if (preformatted > 0) return "code"
    return inRow ? "row" : "paragraph"
  }
  const flush = (): void => {
    const text = preformatted > 0 ? buffered : buffered.replace(/\s+/g, " ").trim()
    buffered = ""
    isBlank = true
    if (text.replace(/[\s|]+/g, "") === "") return
    if (level > 0) headings.enter(level, text)
    blocks.push({ text, kind: currentKind(), location: headings.path() })
  }

  const breakBefore = (name: string): void => {
    if (!blockElements.has(name)) return
    if (inRow && !rowElements.has(name)) buffered += " "
    else flush()
  }
  const endHeading = (name: string): void => {
    if (headingName.test(name)) level = 0
  }
  const levelOf = (name: string): number =>
    inRow ? level : Number(headingName.exec(name)?.[1] ?? level)

  const open = (name: string): void => {
    if (ignoredElements.has(name)) ignoredDepth++
    breakBefore(name)
    if (name === "pre") preformatted++
    if (name === "tr") inRow = true
    if (cellElements.has(name) && !isBlank) buffered += " | "
    level = levelOf(name)
  }
  const close = (name: string): void => {
    if (ignoredElements.has(name)) ignoredDepth--
    if (inRow && !rowElements.has(name)) return
    if (blockElements.has(name)) flush()
    if (name === "pre") preformatted--
    if (rowElements.has(name)) inRow = false
    endHeading(name)
  }

  const addText = (text: string): void => {
    if (ignoredDepth > 0) return
    buffered += text
    isBlank &&= text.trim() === ""
  }

  walkMarkup(source, { open, close, text: addText }, false)
  flush()
  return blocks
}
