import type { EditorView } from "@codemirror/view"
import { type RefObject, useEffect, useId, useRef, useState } from "react"
import type { SourceProblem } from "../../../../../server/src/functions/schema.ts"
import { t } from "../../../i18n/translate.ts"
import { classes } from "../../../ui/classes.ts"
import { ErrorNote } from "../../../ui/error-note.tsx"
import { Keys } from "../../../ui/keys.tsx"
import { Skeleton } from "../../../ui/skeleton.tsx"

const load = async () => {
  const [{ createEditor, replaceContent, goTo }, { mark }] = await Promise.all([
    import("./editor.ts"),
    import("./problems.ts"),
  ])
  return { createEditor, replaceContent, goTo, mark }
}

type Parts = Awaited<ReturnType<typeof load>>

/** What the page can do with its editor. */
export interface EditorHandle {
  replace: (content: string) => void
  goTo: (line: number, column: number) => void
  mark: (problems: readonly SourceProblem[]) => void
}

interface CodeEditorProps {
  content: string
  onContent: (content: string) => void
  label: string
  declarations: string
  check: (content: string) => Promise<readonly SourceProblem[]>
  handle?: RefObject<EditorHandle | null>
  className?: string
}

const handleOf = (view: EditorView, parts: Parts): EditorHandle => ({
  replace: (content) => parts.replaceContent(view, content),
  goTo: (line, column) => parts.goTo(view, line, column),
  mark: (problems) => parts.mark(view, problems),
})

/** A TypeScript editor with completion and error checking; loads CodeMirror on demand. */
export const CodeEditor = (props: CodeEditorProps) => {
  const { label, declarations, handle, className } = props
  const place = useRef<HTMLDivElement>(null)
  const latest = useRef(props)
  latest.current = props
  const hint = useId()
  const [ready, setReady] = useState(false)
  const [error, setError] = useState<unknown>(null)

  useEffect(() => {
    let view: EditorView | undefined
    let gone = false
    const open = async (): Promise<void> => {
      const parts = await load()
      if (gone || !place.current) return
      view = parts.createEditor({
        parent: place.current,
        content: latest.current.content,
        label,
        hint,
        declarations,
        words: {
          unknownMember: (name, type) => t("functions.unknownMember", { name, type }),
          syntax: t("functions.syntax"),
        },
        check: (content) => latest.current.check(content),
        onContent: (content) => latest.current.onContent(content),
      })
      if (handle) handle.current = handleOf(view, parts)
      setReady(true)
    }
    open().catch(setError)
    return () => {
      gone = true
      if (handle) handle.current = null
      view?.destroy()
    }
  }, [label, declarations, handle, hint])

  return (
    <div className="flex min-h-0 min-w-0 flex-col gap-1.5">
      <div
        className={classes("min-h-0 overflow-hidden rounded border border-line-strong", className)}
      >
        {error !== null && <ErrorNote error={error} />}
        {!ready && error === null && <Skeleton rows={8} height={24} />}
        <div ref={place} className="h-full" />
      </div>
      <p id={hint} className="text-xs text-muted">
        {t("functions.leaveEditor")} <Keys of="escape" /> <Keys of="tab" />
      </p>
    </div>
  )
}
