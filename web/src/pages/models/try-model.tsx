import { Play, Square } from "lucide-react"
import { type FormEvent, useId, useState } from "react"
import { t } from "../../i18n/translate.ts"
import { streamCompletion } from "../../lib/completion-stream.ts"
import { collectionQuery } from "../../lib/knowledge-api.ts"
import { queryClient } from "../../lib/query-client.ts"
import { useStoppableTask } from "../../lib/use-stoppable-task.ts"
import { Button } from "../../ui/button.tsx"
import { ErrorNote } from "../../ui/error-note.tsx"
import { TextArea } from "../../ui/field.tsx"
import { type ModelValues, omitEmptyParams } from "./model-values.ts"

/** The collections that still exist and the user may read; a chat skips the others, too. */
const findReadableCollections = async (ids: readonly string[]) => {
  const results = await Promise.allSettled(
    ids.map((id) => queryClient.ensureQueryData(collectionQuery(id))),
  )
  return results.flatMap((result) =>
    result.status === "fulfilled" ? [{ type: "collection", id: result.value.id }] : [],
  )
}

const createRequest = async (values: ModelValues, question: string) => ({
  ...omitEmptyParams(values.params),
  model: values.base_model_id,
  messages: [
    ...(values.system ? [{ role: "system", content: values.system }] : []),
    { role: "user", content: question },
  ],
  files: await findReadableCollections(values.knowledge),
})

/** Sends a question to the model as configured in the form, saved or not. */
export const TryModel = ({ values }: { values: ModelValues }) => {
  const id = useId()
  const [question, setQuestion] = useState("")
  const [answer, setAnswer] = useState("")
  const { start, stop, isRunning, error } = useStoppableTask()

  const ask = (): Promise<void> =>
    start(async (signal) => {
      setAnswer("")
      const body = await createRequest(values, question)
      for await (const { content } of streamCompletion(body, signal)) {
        setAnswer((before) => before + content)
      }
    })
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (isRunning) stop()
    else void ask()
  }
  const ready = values.base_model_id !== "" && question.trim() !== ""
  return (
    <aside
      aria-label={t("try.title")}
      className="flex flex-col gap-3 self-start rounded border border-line bg-surface p-4 xl:sticky xl:top-4"
    >
      <div>
        <h2 className="text-base font-semibold">{t("try.title")}</h2>
        <p className="text-xs text-muted">{t("try.lead")}</p>
      </div>
      <form onSubmit={submit} className="flex flex-col gap-2">
        <label htmlFor={id} className="sr-only">
          {t("try.question")}
        </label>
        <TextArea
          id={id}
          value={question}
          placeholder={t("try.question")}
          onChange={({ target }) => setQuestion(target.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return
            event.preventDefault()
            if (ready && !isRunning) void ask()
          }}
        />
        <Button type="submit" icon={isRunning ? Square : Play} disabled={!isRunning && !ready}>
          {isRunning ? t("action.stop") : t("try.ask")}
        </Button>
      </form>
      {error !== null && <ErrorNote error={error} />}
      {(answer || isRunning) && (
        <div
          role="log"
          aria-label={t("try.answer")}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable areas must be reachable by keyboard
          tabIndex={0}
          className="max-h-96 overflow-y-auto text-base break-words whitespace-pre-wrap"
        >
          {answer || "…"}
        </div>
      )}
    </aside>
  )
}
