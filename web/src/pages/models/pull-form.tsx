import { Download, Square } from "lucide-react"
import { type FormEvent, useState } from "react"
import { t } from "../../i18n/translate.ts"
import { Button } from "../../ui/button.tsx"
import { Field } from "../../ui/field.tsx"
import { SuggestionInput } from "../../ui/suggestion-input.tsx"
import { PullProgress } from "./pull-progress.tsx"
import { usePull } from "./use-pull.ts"

const suggestions = ["llama3.2", "qwen3:4b", "gemma3:4b", "mistral", "nomic-embed-text"]

/** Pulls a model into the runtime and shows the progress. */
export const PullForm = () => {
  const [name, setName] = useState("")
  const { state, pull, cancel } = usePull()
  const running = state.at === "running"
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    const model = name.trim()
    if (model && !running && (await pull(model))) setName("")
  }
  return (
    <div className="flex flex-col gap-3">
      <form onSubmit={(event) => void submit(event)} className="flex flex-wrap items-end gap-2">
        <Field label={t("runtime.pullName")} className="min-w-56 flex-1 wide:max-w-96">
          {(controlProps) => (
            <SuggestionInput
              {...controlProps}
              text={name}
              onText={setName}
              onChoose={setName}
              suggestions={suggestions}
              placeholder="llama3.2"
            />
          )}
        </Field>
        <Button
          type="submit"
          variant="primary"
          icon={Download}
          busy={running}
          disabled={name.trim() === ""}
          className="h-8.5"
        >
          {t("runtime.pull")}
        </Button>
        {running && (
          <Button icon={Square} className="h-8.5" onClick={cancel}>
            {t("action.cancel")}
          </Button>
        )}
      </form>
      <PullProgress state={state} />
      <p role="status" className="text-sm text-ok empty:hidden">
        {state.at === "done" && t("runtime.pulled", { name: state.name })}
      </p>
    </div>
  )
}
