import { createLazyModule } from "../../../lib/lazy-module.ts"

/** Fonts that almost every formula uses. */
const fonts = [
  "1em KaTeX_Main",
  "italic 1em KaTeX_Math",
  ...[1, 2, 3, 4].map((size) => `1em KaTeX_Size${size}`),
]

/** Loads KaTeX with its fonts; a late font would shift the layout. */
export const lazyKatex = createLazyModule(async () => {
  const { drawFormula } = await import("./katex.ts")
  await Promise.allSettled(fonts.map((font) => document.fonts.load(font)))
  return drawFormula
})

/** Whether a text may contain a formula. */
export const mayContainFormula = (text: string): boolean => /\$|\\[([]/.test(text)
