import { useEffect, useReducer } from "react"
import { later } from "../../lib/later.ts"
import { katexLater, mayHoldFormula } from "./markdown/katex-later.ts"

const markdownLater = later(() => import("./markdown/markdown.tsx"))

/** To be called where an answer is about to be shown. */
export const preloadMarkdown = (): void => void markdownLater.load().catch(() => {})

const needed = (texts: readonly string[]) => [
  ...(texts.some((text) => text !== "") ? [markdownLater] : []),
  ...(texts.some(mayHoldFormula) ? [katexLater] : []),
]

/** Whether these can be drawn as they will stand, so that nothing moves afterwards. */
export const canDraw = (texts: readonly string[]): boolean =>
  needed(texts).every((part) => part.now() !== undefined)

/** Resolves when they can, or when what they need cannot be had. */
export const readyToDraw = async (texts: readonly string[]): Promise<void> => {
  await Promise.allSettled(needed(texts).map((part) => part.load()))
}

interface AnswerTextProps {
  text: string
  growing: boolean
}

/** An answer's Markdown; as plain text for the moment until its parts are there. */
export const AnswerText = (props: AnswerTextProps) => {
  const [, again] = useReducer((times: number) => times + 1, 0)
  const Markdown = markdownLater.now()?.Markdown
  useEffect(() => {
    if (!Markdown) markdownLater.load().then(again, () => {})
  }, [Markdown])
  if (Markdown) return <Markdown {...props} />
  return <p className="break-words whitespace-pre-wrap">{props.text}</p>
}
