import { useQuery } from "@tanstack/react-query"
import { useEffect, useState } from "react"
import { t } from "../../i18n/translate.ts"
import { maxQuestionLength } from "../../lib/knowledge-search-params.ts"
import { modelsQuery } from "../../lib/queries.ts"
import { ComboboxField, toChoice } from "../../ui/combobox.tsx"
import { TextAreaField, TextField } from "../../ui/field.tsx"

export interface PlaygroundConversation {
  /** The preceding question; empty if there is none. */
  previous: string
  /** The answer to it. */
  answer: string
  /** The chat's model; empty for none. */
  model: string
}

interface ConversationProps {
  values: PlaygroundConversation
  onValues: (changes: Partial<PlaygroundConversation>) => void
}

const maxAnswerLength = 100_000

const ModelField = ({ values, onValues }: ConversationProps) => {
  const { data: models = [], isPending } = useQuery(modelsQuery)
  const choices = models.filter(({ capabilities }) => !capabilities.embedding).map(toChoice)
  const { model } = values
  const isOffered = model === "" || choices.some(({ value }) => value === model)
  return (
    <ComboboxField
      label={t("playground.model")}
      help={t("playground.modelHelp")}
      problem={isOffered || isPending ? undefined : t("playground.modelGone")}
      placeholder={t("playground.noModel")}
      choices={isOffered ? choices : [...choices, { value: model, label: model }]}
      value={model === "" ? null : model}
      onValue={(id) => onValues({ model: id ?? "" })}
    />
  )
}

/** The chat in which a question would be asked; collapsed while nothing is entered. */
export const ConversationFields = ({ values, onValues }: ConversationProps) => {
  const isFilled = Object.values(values).some((value) => value !== "")
  const [open, setOpen] = useState(isFilled)
  useEffect(() => {
    if (isFilled) setOpen(true)
  }, [isFilled])
  return (
    <details
      open={open}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
      className="basis-full text-sm"
    >
      <summary className="text-muted">{t("playground.conversation")}</summary>
      <div className="mt-3 grid gap-4 lg:grid-cols-2">
        <ModelField values={values} onValues={onValues} />
        <TextField
          label={t("playground.previousLabel")}
          value={values.previous}
          maxLength={maxQuestionLength}
          onValue={(previous) => onValues({ previous })}
        />
        <div className="lg:col-span-2">
          <TextAreaField
            label={t("playground.answer")}
            help={t("playground.answerHelp")}
            value={values.answer}
            maxLength={maxAnswerLength}
            inputClass="max-h-60"
            onValue={(answer) => onValues({ answer })}
          />
        </div>
      </div>
    </details>
  )
}
