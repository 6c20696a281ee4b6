import { useQueryClient } from "@tanstack/react-query"
import { Download, Square } from "lucide-react"
import { type FormEvent, useEffect, useRef, useState } from "react"
import { t } from "../../i18n/translate.ts"
import { callRaw } from "../../lib/api.ts"
import { formatBytes } from "../../lib/format.ts"
import { readJsonLines } from "../../lib/stream.ts"
import { Button } from "../../ui/button.tsx"
import { ErrorNote } from "../../ui/error-note.tsx"
import { Field, Input } from "../../ui/field.tsx"
import { runtimePath } from "./runtime-queries.ts"

interface Step {
  status?: string
  error?: string
  total?: number
  completed?: number
}

type State =
  | { at: "idle" }
  | { at: "running"; name: string; step: Step }
  | { at: "done"; name: string }
  | { at: "failed"; error: unknown }

const suggestions = ["llama3.2", "qwen3:4b", "gemma3:4b", "mistral", "nomic-embed-text"]

/** Fetches a model into the runtime, with how far it is. */
export const Pull = () => {
  const client = useQueryClient()
  const [name, setName] = useState("")
  const [state, setState] = useState<State>({ at: "idle" })
  const control = useRef<AbortController | null>(null)
  useEffect(() => () => control.current?.abort(), [])

  const pull = async (model: string): Promise<void> => {
    const abort = new AbortController()
    control.current = abort
    setState({ at: "running", name: model, step: {} })
    try {
      const path = await runtimePath("pull")
      const body = { model, stream: true }
      const response = await callRaw("POST", path, { body, signal: abort.signal })
      for await (const step of readJsonLines<Step>(response)) {
        if (step.error) throw new Error(step.error)
        setState({ at: "running", name: model, step })
      }
      setState({ at: "done", name: model })
      setName("")
    } catch (error) {
      setState(abort.signal.aborted ? { at: "idle" } : { at: "failed", error })
    }
    await client.invalidateQueries({ queryKey: ["runtime"] })
    await client.invalidateQueries({ queryKey: ["models"] })
  }
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    const model = name.trim()
    if (model && state.at !== "running") void pull(model)
  }
  return (
    <div className="flex flex-col gap-3">
      <form onSubmit={submit} className="flex flex-wrap items-end gap-2">
        <Field label={t("runtime.pullName")} className="min-w-56 flex-1 wide:max-w-96">
          {(wired) => (
            <>
              <Input
                {...wired}
                value={name}
                list={`${wired.id}-list`}
                placeholder="llama3.2"
                spellCheck={false}
                autoComplete="off"
                onChange={({ target }) => setName(target.value)}
              />
              <datalist id={`${wired.id}-list`}>
                {suggestions.map((value) => (
                  <option key={value} value={value} />
                ))}
              </datalist>
            </>
          )}
        </Field>
        <Button
          type="submit"
          look="primary"
          icon={Download}
          busy={state.at === "running"}
          disabled={name.trim() === ""}
          className="h-8.5"
        >
          {t("runtime.pull")}
        </Button>
        {state.at === "running" && (
          <Button icon={Square} className="h-8.5" onClick={() => control.current?.abort()}>
            {t("action.cancel")}
          </Button>
        )}
      </form>
      {state.at === "running" && <Progress name={state.name} step={state.step} />}
      {state.at === "failed" && <ErrorNote error={state.error} />}
      <p role="status" className="text-sm text-ok empty:hidden">
        {state.at === "done" && t("runtime.pulled", { name: state.name })}
      </p>
    </div>
  )
}

const Progress = ({ name, step }: { name: string; step: Step }) => {
  const { status = "", total, completed = 0 } = step
  const share = total ? Math.min(1, completed / total) : undefined
  return (
    <div className="flex flex-col gap-1.5">
      <progress
        aria-label={t("runtime.pulling", { name })}
        value={share}
        max={1}
        className="h-1.5 w-full overflow-hidden rounded-full accent-accent"
      />
      <p className="flex justify-between gap-4 text-xs text-muted tabular">
        <span className="truncate">{status || t("runtime.pulling", { name })}</span>
        {total !== undefined && (
          <span className="shrink-0">
            {formatBytes(completed)} / {formatBytes(total)} · {Math.floor((share ?? 0) * 100)} %
          </span>
        )}
      </p>
    </div>
  )
}
