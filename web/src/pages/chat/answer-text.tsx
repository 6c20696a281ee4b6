import { lazy, Suspense } from "react"

const load = () => import("./markdown/markdown.tsx")
const Markdown = lazy(async () => ({ default: (await load()).Markdown }))

/** To be called where an answer is about to be shown. */
export const preloadMarkdown = (): void => void load().catch(() => {})

interface AnswerTextProps {
  text: string
  growing: boolean
}

/** An answer's Markdown; as plain text for the moment until its parts are there. */
export const AnswerText = (props: AnswerTextProps) => (
  <Suspense fallback={<p className="break-words whitespace-pre-wrap">{props.text}</p>}>
    <Markdown {...props} />
  </Suspense>
)
