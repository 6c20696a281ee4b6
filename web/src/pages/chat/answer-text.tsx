import { useEffect, useReducer } from "react"
import { createLazyModule } from "../../lib/lazy-module.ts"
import { PlainTextFallback } from "../../ui/plain-text-fallback.tsx"
import { lazyKatex, mayContainFormula } from "./markdown/lazy-katex.ts"
import type { MarkdownProps } from "./markdown/markdown.tsx"

const lazyMarkdown = createLazyModule(() => import("./markdown/markdown.tsx"))

/** Call it when an answer is about to be shown. */
export const preloadMarkdown = (): void => void lazyMarkdown.load().catch(() => {})

const requiredModules = (texts: readonly string[]) => [
  ...(texts.some((text) => text !== "") ? [lazyMarkdown] : []),
  ...(texts.some(mayContainFormula) ? [lazyKatex] : []),
]

/** Whether the code for these texts is loaded, so that rendering them causes no layout shift. */
export const areRenderersLoaded = (texts: readonly string[]): boolean =>
  requiredModules(texts).every((part) => part.loaded() !== undefined)

/** Resolves when that code is loaded or failed to load. */
export const loadRenderers = async (texts: readonly string[]): Promise<void> => {
  await Promise.allSettled(requiredModules(texts).map((part) => part.load()))
}

/** Characters, twice a very long answer; its blocks and words become elements of the page. */
const maxMarkdownLength = 1_000_000

/** An answer's Markdown; plain text if it is too long, or until the renderer is loaded. */
export const AnswerText = (props: MarkdownProps) => {
  const [, rerender] = useReducer((times: number) => times + 1, 0)
  const Markdown = lazyMarkdown.loaded()?.Markdown
  useEffect(() => {
    if (!Markdown) lazyMarkdown.load().then(rerender, () => {})
  }, [Markdown])
  if (!Markdown || props.text.length > maxMarkdownLength) {
    return <p className="break-words whitespace-pre-wrap">{props.text}</p>
  }
  return (
    <PlainTextFallback text={props.text}>
      <Markdown {...props} />
    </PlainTextFallback>
  )
}
