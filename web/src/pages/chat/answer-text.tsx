import { useEffect, useReducer } from "react"
import { later } from "../../lib/later.ts"
import { katexLater, mayHoldFormula } from "./markdown/katex-later.ts"

const markdownLater = later(() => import("./markdown/markdown.tsx"))

/** Call it when an answer is about to be shown. */
export const preloadMarkdown = (): void => void markdownLater.load().catch(() => {})

const needed = (texts: readonly string[]) => [
  ...(texts.some((text) => text !== "") ? [markdownLater] : []),
  ...(texts.some(mayHoldFormula) ? [katexLater] : []),
]

/** Whether the code for these texts is loaded, so that rendering them causes no layout shift. */
export const canDraw = (texts: readonly string[]): boolean =>
  needed(texts).every((part) => part.now() !== undefined)

/** Resolves when that code is loaded or failed to load. */
export const readyToDraw = async (texts: readonly string[]): Promise<void> => {
  await Promise.allSettled(needed(texts).map((part) => part.load()))
}

interface AnswerTextProps {
  text: string
  growing: boolean
}

/** An answer's Markdown; plain text until the renderer is loaded. */
export const AnswerText = (props: AnswerTextProps) => {
  const [, again] = useReducer((times: number) => times + 1, 0)
  const Markdown = markdownLater.now()?.Markdown
  useEffect(() => {
    if (!Markdown) markdownLater.load().then(again, () => {})
  }, [Markdown])
  if (Markdown) return <Markdown {...props} />
  return <p className="break-words whitespace-pre-wrap">{props.text}</p>
}
