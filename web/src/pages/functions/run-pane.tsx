import { Play, Square } from "lucide-react"
import { type FormEvent, useId, useState } from "react"
import type { FunctionRecord } from "../../../../server/src/functions/schema.ts"
import { t } from "../../i18n/translate.ts"
import { useShortcut } from "../../lib/shortcuts.ts"
import { Button } from "../../ui/button.tsx"
import { ErrorNote } from "../../ui/error-note.tsx"
import { Field, Select, TextArea } from "../../ui/field.tsx"
import { Keys } from "../../ui/keys.tsx"
import { kindOf } from "./functions-api.ts"
import { TrialView } from "./trial-view.tsx"
import { useRun } from "./use-run.ts"

interface RunPaneProps {
  one: FunctionRecord
  content: string
  onPlace: (line: number | null, column: number | null) => void
}

const asRequest = (message: string): string =>
  JSON.stringify({ messages: [{ role: "user", content: message }] }, null, 2)

const parsed = (text: string): { request?: object; wrong?: string } => {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      return { request: value }
    }
    return { wrong: "{…}" }
  } catch (error) {
    return { wrong: error instanceof Error ? error.message : "" }
  }
}

/** Runs the editor's content, saved or not, and shows its output, log, and resource use. */
export const RunPane = ({ one, content, onPlace }: RunPaneProps) => {
  const id = useId()
  const [message, setMessage] = useState("Hello")
  /** The whole request as JSON, if edited instead of only the message. */
  const [written, setWritten] = useState<string | null>(null)
  const [reply, setReply] = useState(t("run.replySample"))
  const [model, setModel] = useState("")
  const { trial, error, stopped, running, start, stop } = useRun(one.id)
  const { request, wrong } = parsed(written ?? asRequest(message))
  const isFilter = kindOf(one) === "filter"

  const run = (): void => {
    if (running || !request) return
    void start({ request, content, ...(model && { model }), ...(isFilter && { reply }) })
  }
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (running) stop()
    else run()
  }
  useShortcut("mod+enter", run)

  return (
    <aside
      aria-label={t("run.title")}
      className="flex min-w-0 flex-col gap-3 self-start rounded border border-line bg-surface p-4 xl:sticky xl:top-4"
    >
      <div>
        <h2 className="text-base font-semibold">{t("run.title")}</h2>
        <p className="text-xs text-muted">{t("run.lead")}</p>
      </div>
      <form onSubmit={submit} className="flex flex-col gap-3">
        {one.models.length > 1 && (
          <Field label={t("run.model")}>
            {(wired) => (
              <Select
                {...wired}
                value={model || (one.models[0]?.id ?? "")}
                onValue={setModel}
                options={one.models.map((offered) => ({ value: offered.id, label: offered.name }))}
              />
            )}
          </Field>
        )}
        <RequestField
          message={message}
          onMessage={setMessage}
          written={written}
          onWritten={setWritten}
          wrong={wrong}
        />
        {isFilter && (
          <Field label={t("run.reply")} help={t("run.replyHelp")}>
            {(wired) => (
              <TextArea
                {...wired}
                value={reply}
                onChange={({ target }) => setReply(target.value)}
                className="max-h-40"
              />
            )}
          </Field>
        )}
        <div className="flex items-center gap-2">
          <Button
            type="submit"
            look={running ? "secondary" : "primary"}
            icon={running ? Square : Play}
            disabled={!running && !request}
          >
            {running ? t("run.stop") : t("run.start")}
          </Button>
          <Keys of="mod+enter" />
        </div>
      </form>
      {error !== null && <ErrorNote error={error} />}
      {trial && (
        <TrialView
          id={id}
          trial={trial}
          state={running ? "running" : stopped ? "cancelled" : null}
          onPlace={onPlace}
        />
      )}
    </aside>
  )
}

interface RequestFieldProps {
  message: string
  onMessage: (message: string) => void
  written: string | null
  onWritten: (written: string | null) => void
  wrong: string | undefined
}

/** A text field for the message or for the whole request as JSON. */
const RequestField = (props: RequestFieldProps) => {
  const { message, onMessage, written, onWritten, wrong } = props
  const other = (
    <button
      type="button"
      onClick={() => onWritten(written === null ? asRequest(message) : null)}
      className="rounded-sm underline underline-offset-2 hover:text-text"
    >
      {t(written === null ? "run.whole" : "run.simple")}
    </button>
  )
  if (written === null) {
    return (
      <Field label={t("run.message")} aside={other}>
        {(wired) => (
          <TextArea
            {...wired}
            value={message}
            onChange={({ target }) => onMessage(target.value)}
            className="max-h-48"
          />
        )}
      </Field>
    )
  }
  const error = wrong === undefined ? undefined : t("run.badJson", { reason: wrong })
  return (
    <Field label={t("run.request")} help={t("run.requestHelp")} error={error} aside={other}>
      {(wired) => (
        <TextArea
          {...wired}
          spellCheck={false}
          value={written}
          onChange={({ target }) => onWritten(target.value)}
          className="max-h-72 font-mono text-xs!"
        />
      )}
    </Field>
  )
}
