import { later } from "../../../lib/later.ts"

/** Those that nearly every formula is set in. */
const fonts = [
  "1em KaTeX_Main",
  "italic 1em KaTeX_Math",
  ...[1, 2, 3, 4].map((size) => `1em KaTeX_Size${size}`),
]

/** With its fonts: a formula that changes them moves. */
export const katexLater = later(async () => {
  const { drawFormula } = await import("./katex.ts")
  await Promise.allSettled(fonts.map((font) => document.fonts.load(font)))
  return drawFormula
})

/** Whether a text may hold a formula. */
export const mayHoldFormula = (text: string): boolean => /\$|\\[([]/.test(text)
