import type { EditorView } from "@codemirror/view"
import { type RefObject, useEffect, useId, useRef, useState } from "react"
import type { SourceProblem } from "../../../../../server/src/functions/schema.ts"
import { holdKeys } from "../../../browser/hold-keys.ts"
import { t } from "../../../i18n/translate.ts"
import { classes } from "../../../ui/classes.ts"
import { ErrorNote } from "../../../ui/error-note.tsx"
import { KeyCombination } from "../../../ui/key-combination.tsx"
import { Skeleton } from "../../../ui/skeleton.tsx"

const load = async () => {
  const [{ createEditor, replaceContent, goTo }, { showProblems }] = await Promise.all([
    import("./editor.ts"),
    import("./linter.ts"),
  ])
  return { createEditor, replaceContent, goTo, mark: showProblems }
}

type EditorModules = Awaited<ReturnType<typeof load>>

/** What the page can do with its editor. */
export interface EditorHandle {
  replace: (content: string) => void
  goTo: (line: number, column: number) => void
  showProblems: (problems: readonly SourceProblem[]) => void
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

const handleOf = (view: EditorView, modules: EditorModules): EditorHandle => ({
  replace: (content) => modules.replaceContent(view, content),
  goTo: (line, column) => modules.goTo(view, line, column),
  showProblems: (problems) => modules.mark(view, problems),
})

/** A TypeScript editor with completion and error checking; loads CodeMirror on demand. */
export const CodeEditor = (props: CodeEditorProps) => {
  const { label, declarations, handle, className } = props
  const container = useRef<HTMLDivElement>(null)
  const latest = useRef(props)
  latest.current = props
  const release = useRef<(() => Promise<void>) | null>(null)
  const hint = useId()
  const [ready, setReady] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const [attempt, setAttempt] = useState(0)

  /** To what has the focus then. */
  const releaseKeys = (): void => {
    void release.current?.()
    release.current = null
  }
  /** What is typed after a click on the place of the editor waits for it. */
  const waitForEditor = (): void => {
    release.current ??= holdKeys({
      inField: false,
      endsWithClick: true,
      onEscape: () => {
        release.current = null
      },
    })
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new attempt loads the editor again
  useEffect(() => {
    setError(null)
    let view: EditorView | undefined
    let isUnmounted = false
    const open = async (): Promise<void> => {
      const modules = await load()
      if (isUnmounted || !container.current) return
      view = modules.createEditor({
        parent: container.current,
        content: latest.current.content,
        label,
        hint,
        declarations,
        check: (content) => latest.current.check(content),
        onContent: (content) => latest.current.onContent(content),
      })
      if (handle) handle.current = handleOf(view, modules)
      setReady(true)
      if (release.current) view.focus()
      releaseKeys()
    }
    open().catch((reason) => {
      releaseKeys()
      setError(reason)
    })
    return () => {
      isUnmounted = true
      releaseKeys()
      if (handle) handle.current = null
      view?.destroy()
    }
  }, [label, declarations, handle, hint, attempt])

  return (
    <div className="flex min-h-0 min-w-0 flex-col gap-1.5">
      <div className={classes("min-h-0 overflow-hidden rounded border border-field", className)}>
        {error !== null && <ErrorNote error={error} retry={() => setAttempt(attempt + 1)} />}
        {!ready && error === null && (
          // biome-ignore lint/a11y/useKeyWithClickEvents: there is nothing here for the keyboard yet
          // biome-ignore lint/a11y/noStaticElementInteractions: the editor takes its place
          <div onClick={waitForEditor}>
            <Skeleton rows={8} height={24} />
          </div>
        )}
        <div ref={container} data-takes-held-keys className="h-full" />
      </div>
      <p id={hint} className="text-xs text-muted">
        {t("functions.leaveEditor")} <KeyCombination of="escape" /> <KeyCombination of="tab" />
      </p>
    </div>
  )
}
