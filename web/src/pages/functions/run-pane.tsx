import { Play, Square } from "lucide-react"
import { type FormEvent, useId, useState } from "react"
import type { FunctionRecord } from "../../../../server/src/functions/schema.ts"
import { t } from "../../i18n/translate.ts"
import { useShortcut } from "../../lib/shortcuts.ts"
import { Button } from "../../ui/button.tsx"
import { ErrorNote } from "../../ui/error-note.tsx"
import { TextAreaField } from "../../ui/field.tsx"
import { KeyCombination } from "../../ui/key-combination.tsx"
import { SelectField } from "../../ui/select.tsx"
import { functionKind } from "./function-descriptions.ts"
import { TrialView } from "./trial-view.tsx"
import { useTrialRun } from "./use-trial-run.ts"

interface RunPaneProps {
  one: FunctionRecord
  content: string
  onLocation: (line: number | null, column: number | null) => void
}

const asRequest = (message: string): string =>
  JSON.stringify({ messages: [{ role: "user", content: message }] }, null, 2)

const parseRequest = (text: string): { request?: object; jsonError?: string } => {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      return { request: value }
    }
    return { jsonError: "{…}" }
  } catch (error) {
    return { jsonError: error instanceof Error ? error.message : "" }
  }
}

const clientStateOf = (isRunning: boolean, isStopped: boolean) => {
  if (isRunning) return "running"
  return isStopped ? "cancelled" : null
}

/** Runs the editor's content, saved or not, and shows its output, log, and resource use. */
export const RunPane = ({ one, content, onLocation }: RunPaneProps) => {
  const id = useId()
  const [message, setMessage] = useState("Hello")
  /** The whole request as JSON, if edited instead of only the message. */
  const [requestJson, setRequestJson] = useState<string | null>(null)
  const [reply, setReply] = useState(t("run.replySample"))
  const [model, setModel] = useState("")
  const { trial, error, isStopped, isRunning, start, stop } = useTrialRun(one.id)
  const { request, jsonError } = parseRequest(requestJson ?? asRequest(message))
  const isFilter = functionKind(one) === "filter"

  const run = (): void => {
    if (isRunning || !request) return
    void start({ request, content, ...(model && { model }), ...(isFilter && { reply }) })
  }
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (isRunning) stop()
    else run()
  }
  useShortcut("mod+enter", run)

  return (
    <aside
      aria-label={t("label.run")}
      className="flex min-w-0 flex-col gap-3 self-start rounded border border-line bg-surface p-4 xl:sticky xl:top-4"
    >
      <div>
        <h2 className="text-base font-semibold">{t("label.run")}</h2>
        <p className="text-xs text-muted">{t("run.lead")}</p>
      </div>
      <form onSubmit={submit} className="flex flex-col gap-3">
        {one.models.length > 1 && (
          <SelectField
            label={t("label.model")}
            value={model || (one.models[0]?.id ?? "")}
            onValue={setModel}
            options={one.models.map((offered) => ({ value: offered.id, label: offered.name }))}
          />
        )}
        <RequestField
          message={message}
          onMessage={setMessage}
          requestJson={requestJson}
          onRequestJson={setRequestJson}
          jsonError={jsonError}
        />
        {isFilter && (
          <TextAreaField
            label={t("run.reply")}
            value={reply}
            onValue={setReply}
            inputClass="max-h-40"
          />
        )}
        <div className="flex items-center gap-2">
          <Button
            type="submit"
            variant={isRunning ? "secondary" : "primary"}
            icon={isRunning ? Square : Play}
            disabled={!isRunning && !request}
          >
            {isRunning ? t("action.stop") : t("label.run")}
          </Button>
          <KeyCombination of="mod+enter" />
        </div>
      </form>
      {error !== null && <ErrorNote error={error} />}
      {trial && (
        <TrialView
          id={id}
          trial={trial}
          state={clientStateOf(isRunning, isStopped)}
          onLocation={onLocation}
        />
      )}
    </aside>
  )
}

interface RequestFieldProps {
  message: string
  onMessage: (message: string) => void
  requestJson: string | null
  onRequestJson: (requestJson: string | null) => void
  jsonError: string | undefined
}

/** A text field for the message or for the whole request as JSON. */
const RequestField = (props: RequestFieldProps) => {
  const { message, onMessage, requestJson, onRequestJson, jsonError } = props
  const other = (
    <button
      type="button"
      onClick={() => onRequestJson(requestJson === null ? asRequest(message) : null)}
      className="rounded-sm underline underline-offset-2 hover:text-text"
    >
      {t(requestJson === null ? "run.whole" : "run.simple")}
    </button>
  )
  if (requestJson === null) {
    return (
      <TextAreaField
        label={t("label.message")}
        labelAction={other}
        value={message}
        onValue={onMessage}
        inputClass="max-h-48"
      />
    )
  }
  const error = jsonError === undefined ? undefined : t("run.badJson", { reason: jsonError })
  return (
    <TextAreaField
      label={t("label.request")}
      error={error}
      labelAction={other}
      spellCheck={false}
      value={requestJson}
      onValue={onRequestJson}
      inputClass="max-h-72 font-mono text-xs!"
    />
  )
}
