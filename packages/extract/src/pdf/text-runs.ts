import { joinIdeographs } from "./ideographs.ts"
import { type Matrix, multiply } from "./matrix.ts"
import type { PdfPage } from "./open-pdf.ts"

/**
 * A piece of text in one font. Positions are in points, in the direction in which it is read: text
 * of any rotation runs along the first axis, and the next line has a lower baseline.
 */
export interface TextRun {
  text: string
  start: number
  end: number
  baseline: number
  /** Of the font. */
  size: number
  /** In degrees, counterclockwise; vertical text counts as turned by -90. */
  angle: number
  /** White space was drawn before or after it. */
  startsSpaced: boolean
  endsSpaced: boolean
  isMonospace: boolean
  /** From the top of the page (0) to its bottom (1). */
  pagePosition: number
}

type TextContent = Awaited<ReturnType<PdfPage["getTextContent"]>>
/** Text as pdf.js gives it, in the page's own coordinates. */
export type TextItem = Extract<TextContent["items"][number], { str: string }>

const presentationForm = /[\uFB00-\uFB4F\uFB50-\uFDFF\uFE70-\uFEFC]/g
const directionMark = /[\u200E\u200F\u202A-\u202E\u2066-\u2069\uFEFF]/g

/** Lam and alef in one glyph, which pdf.js reverses, after an alef: no word has these letters. */
const reversedLamAlef = /\u0627([\u0622\u0623\u0625\u0627])\u0644/g

/** Letters as they are typed: without ligatures and the forms that letters take inside of words. */
const normalizeText = (text: string): string => {
  const normal = text
    .replace(presentationForm, (form) => form.normalize("NFKC").trimStart())
    .replace(directionMark, "")
    .replace(reversedLamAlef, "\u0627\u0644$1")
  return joinIdeographs(normal)
}

const numbersOf = (transform: readonly unknown[]): Matrix => {
  const at = (index: number): number => Number(transform[index] ?? 0)
  return [at(0), at(1), at(2), at(3), at(4), at(5)]
}

interface PageGeometry {
  /** From the page's own coordinates to those of the page as shown, downwards from its top. */
  transform: Matrix
  height: number
}

const placeRun = (
  item: TextItem,
  { transform, height }: PageGeometry,
  style: TextContent["styles"][string] | undefined,
): Omit<TextRun, "text" | "startsSpaced" | "endsSpaced"> => {
  const [a, b, c, d, x, downwards] = multiply(transform, numbersOf(item.transform))
  const isVertical = style?.vertical === true
  const turn = isVertical ? -90 : Math.round((Math.atan2(-b, a) * 180) / Math.PI)
  const radians = (turn * Math.PI) / 180
  const [cosine, sine] = [Math.cos(radians), Math.sin(radians)]
  const y = height - downwards
  const start = x * cosine + y * sine
  return {
    start,
    end: start + (isVertical ? item.height : item.width),
    baseline: y * cosine - x * sine,
    size: Math.max(Math.hypot(c, d), 0.1),
    angle: turn,
    isMonospace: style?.fontFamily === "monospace",
    pagePosition: downwards / height,
  }
}

/** The text of a page in the order in which the page draws it, and in which `arrange` puts it. */
export const readTextRuns = async (
  sheet: PdfPage,
  arrange: (items: TextItem[]) => TextItem[],
): Promise<TextRun[]> => {
  const { items, styles } = await sheet.getTextContent()
  const viewport = sheet.getViewport({ scale: 1 })
  const page = { transform: numbersOf(viewport.transform), height: viewport.height }
  const runs: TextRun[] = []
  let isSpaceBefore = false
  for (const item of arrange(items.flatMap((item) => ("str" in item ? [item] : [])))) {
    const text = normalizeText(item.str)
    const trimmed = text.trim()
    if (trimmed === "") {
      isSpaceBefore ||= text !== "" || item.hasEOL
      continue
    }
    runs.push({
      text: trimmed.replace(/\s+/g, " "),
      startsSpaced: isSpaceBefore || /^\s/.test(text),
      endsSpaced: item.hasEOL || /\s$/.test(text),
      ...placeRun(item, page, styles[item.fontName]),
    })
    isSpaceBefore = item.hasEOL
  }
  return runs
}
