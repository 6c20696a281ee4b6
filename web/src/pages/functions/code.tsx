import { useMutation } from "@tanstack/react-query"
import { useRef, useState } from "react"
import declarations from "../../../../server/src/functions/portico.d.ts?raw"
import type { SourceProblem } from "../../../../server/src/functions/schema.ts"
import { t } from "../../i18n/translate.ts"
import { ApiError, api } from "../../lib/api.ts"
import { Button } from "../../ui/button.tsx"
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx"
import { Form } from "../../ui/form.tsx"
import { CodeEditor, type EditorHandle } from "./editor/code-editor.tsx"
import { DifferenceView } from "./editor/difference-view.tsx"
import { checkSource, showSavedFunction } from "./function-queries.ts"
import { ProblemList } from "./problem-list.tsx"
import { RunPane } from "./run-pane.tsx"
import { useFunction } from "./use-function.ts"

/** The code editor and a pane to run its content. */
export const CodePart = () => {
  const one = useFunction()
  // Saves by other users must not replace what is being edited here.
  const [base, setBase] = useState({ content: one.content, version: one.version })
  const [content, setContent] = useState(base.content)
  const [problems, setProblems] = useState<readonly SourceProblem[]>([])
  const [reviewing, setReviewing] = useState(false)
  const editor = useRef<EditorHandle | null>(null)
  const isDirty = content !== base.content

  const checkContent = async (text: string): Promise<readonly SourceProblem[]> => {
    const found = await checkSource(text)
    setProblems(found)
    return found
  }
  const save = useMutation({
    mutationFn: () =>
      api.post("/api/v1/functions/id/:id/update", {
        params: { id: one.id },
        body: { content, version: base.version },
      }),
    onSuccess: async (saved) => {
      setBase({ content: saved.content, version: saved.version })
      await showSavedFunction(saved)
    },
    onError: (error) => editor.current?.showProblems(problemsOf(error)),
  })
  const show = (line: number | null, column: number | null): void =>
    editor.current?.goTo(line ?? 1, column ?? 1)

  return (
    <div className="grid grid-cols-1 gap-6 xl:grid-cols-[minmax(0,1fr)_24rem]">
      <Form
        form={{
          values: { content },
          isDirty,
          isSaving: save.isPending,
          isSaved: save.isSuccess && !isDirty,
          isNew: false,
          error: null,
          save: () => (reviewing ? undefined : setReviewing(true)),
        }}
        action={t("action.save")}
        extraActions={
          isDirty && (
            <Button variant="quiet" onClick={() => editor.current?.replace(base.content)}>
              {t("functions.revert")}
            </Button>
          )
        }
      >
        <div className="flex min-w-0 flex-col gap-2">
          <CodeEditor
            label={t("functions.editor", { name: one.name })}
            content={content}
            onContent={setContent}
            declarations={declarations}
            check={checkContent}
            handle={editor}
            className="h-[60vh] min-h-80"
          />
          <ProblemList problems={problems} onShow={show} />
        </div>
        <Declarations />
      </Form>
      <RunPane one={one} content={content} onLocation={show} />
      <ConfirmDialog
        open={reviewing}
        wide
        onClose={() => setReviewing(false)}
        title={t("functions.reviewTitle")}
        action={t("functions.saveNew", { version: base.version + 1 })}
        onConfirm={() => save.mutateAsync()}
      >
        <p className="mb-3">{t("functions.review")}</p>
        <DifferenceView before={base.content} after={content} label={t("functions.difference")} />
      </ConfirmDialog>
    </div>
  )
}

/** The positions in the gateway's validation errors. */
const problemsOf = (error: unknown): SourceProblem[] => {
  if (!(error instanceof ApiError)) return []
  return error.errors.map(({ message, line = 1, column = 1 }) => ({ message, line, column }))
}

const Declarations = () => (
  <details className="rounded border border-line">
    <summary className="px-4 py-3 text-sm font-medium">{t("functions.api")}</summary>
    <pre
      // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable areas must be reachable by keyboard
      tabIndex={0}
      className="max-h-96 overflow-auto border-t border-line p-4 text-xs leading-5 -outline-offset-2"
    >
      <code>{declarations}</code>
    </pre>
  </details>
)
