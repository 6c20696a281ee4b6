import { Parser } from "htmlparser2"
import type { Place } from "../location.ts"
import { type Block, createHeadings, unreadable } from "./blocks.ts"

const silent = new Set([
  "script",
  "style",
  "noscript",
  "template",
  "svg",
  "math",
  "iframe",
  "object",
])
const breaks = new Set(
  `p div section article main header footer nav aside blockquote li dt dd ul ol dl figure figcaption
   form fieldset address hr br tr table thead tbody tfoot caption h1 h2 h3 h4 h5 h6 pre title body`.split(
    /\s+/,
  ),
)
const cells = new Set(["td", "th"])
const rows = new Set(["tr", "table"])
const heading = /^h([1-6])$/
const deepest = 3000

/** The text of a page's elements, without scripts and styles. */
export const readHtml = (source: string, place: Place = {}): Block[] => {
  const blocks: Block[] = []
  const headings = createHeadings()
  let held = ""
  /** Tracked separately, as inspecting a string that grows by concatenation is quadratic. */
  let isBlank = true
  let silence = 0
  let preformatted = 0
  let level = 0
  let inRow = false
  let depth = 0

  const here = (): Place => ({ ...place, ...headings.path() })
  const flush = (): void => {
    const text = preformatted > 0 ? held : held.replace(/\s+/g, " ").trim()
    held = ""
    isBlank = true
    if (text.replace(/[\s|]+/g, "") === "") return
    if (level > 0) {
      headings.enter(level, text)
      blocks.push({ text, kind: "heading", place: here() })
    } else if (preformatted > 0) blocks.push({ text, kind: "code", place: here() })
    else blocks.push({ text, kind: inRow ? "row" : "paragraph", place: here() })
  }

  const breakBefore = (name: string): void => {
    if (!breaks.has(name)) return
    if (inRow && !rows.has(name)) held += " "
    else flush()
  }
  const endHeading = (name: string): void => {
    if (heading.test(name)) level = 0
  }
  const levelOf = (name: string): number =>
    inRow ? level : Number(heading.exec(name)?.[1] ?? level)

  const open = (name: string): void => {
    if (silent.has(name)) silence++
    breakBefore(name)
    if (name === "pre") preformatted++
    if (name === "tr") inRow = true
    if (cells.has(name) && !isBlank) held += " | "
    level = levelOf(name)
  }
  const close = (name: string): void => {
    if (silent.has(name)) silence--
    if (inRow && !rows.has(name)) return
    if (breaks.has(name)) flush()
    if (name === "pre") preformatted--
    if (rows.has(name)) inRow = false
    endHeading(name)
  }

  const parser = new Parser(
    {
      onopentag: (name) => {
        if (++depth > deepest) unreadable("This page is nested too deeply.")
        open(name)
      },
      onclosetag: (name) => {
        depth--
        close(name)
      },
      ontext: (text) => {
        if (silence > 0) return
        held += text
        isBlank &&= text.trim() === ""
      },
    },
    { decodeEntities: true },
  )
  parser.end(source)
  flush()
  return blocks
}

/** The encoding that a page declares. */
export const charsetOf = (bytes: Buffer): string | undefined =>
  /(?:charset|encoding)\s*=\s*["']?([\w-]+)/i.exec(bytes.toString("latin1", 0, 2048))?.[1]
