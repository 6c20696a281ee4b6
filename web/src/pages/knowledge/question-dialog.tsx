import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { t } from "../../i18n/translate.ts"
import { collectionFilesQuery } from "../../lib/knowledge-api.ts"
import { invalidateQueries } from "../../lib/query-client.ts"
import { ComboboxField } from "../../ui/combobox.tsx"
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx"
import { TextAreaField, TextField } from "../../ui/field.tsx"

/** As the API accepts them. */
const maxQuestionLength = 2000
export const maxQuotationLength = 5000
const maxNoteLength = 1000

export interface QuestionValues {
  question: string
  previous: string
  file: { id: string; filename: string } | null
  quotation: string
  note: string
}

export const emptyQuestion: QuestionValues = {
  question: "",
  previous: "",
  file: null,
  quotation: "",
  note: "",
}

interface FileFieldProps {
  collectionId: string
  file: QuestionValues["file"]
  onFile: (file: QuestionValues["file"]) => void
}

/** Searches the files of a collection by name. */
const FileField = ({ collectionId, file, onFile }: FileFieldProps) => {
  const [query, setQuery] = useState("")
  const sought = query === file?.filename ? "" : query.slice(0, 200)
  const result = useQuery(
    collectionFilesQuery(collectionId, { page_size: 20, ...(sought && { query: sought }) }),
  )
  const found = result.data?.items ?? []
  const offered = file && !found.some(({ id }) => id === file.id) ? [...found, file] : found
  return (
    <ComboboxField
      label={t("questions.file")}
      placeholder={t("questions.findFile")}
      choices={offered.map(({ id, filename }) => ({ value: id, label: filename }))}
      value={file?.id ?? null}
      onQuery={setQuery}
      loading={result.isPlaceholderData}
      onValue={(chosen) => onFile(offered.find(({ id }) => id === chosen) ?? null)}
    />
  )
}

interface QuestionDialogProps {
  collectionId: string
  title: string
  action: string
  initial: QuestionValues
  save: (values: Omit<QuestionValues, "file"> & { file_id: string }) => Promise<unknown>
  onClose: () => void
  onSaved?: () => void
}

/** Asks for a question, and for the file and the passage with its answer. */
export const QuestionDialog = (props: QuestionDialogProps) => {
  const { collectionId, title, action, initial, save, onClose, onSaved } = props
  const [values, setValues] = useState(initial)
  const set = (changes: Partial<QuestionValues>): void => setValues({ ...values, ...changes })
  const { file, ...texts } = values
  const confirm = async (): Promise<void> => {
    if (!file) return
    await save({ ...texts, file_id: file.id })
    await invalidateQueries([["collections"]])
    onSaved?.()
  }
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={title}
      action={action}
      ready={file !== null && texts.question.trim() !== ""}
      onConfirm={confirm}
    >
      <div className="flex flex-col gap-4 text-text">
        <TextAreaField
          label={t("questions.question")}
          value={texts.question}
          maxLength={maxQuestionLength}
          inputClass="min-h-10!"
          onValue={(question) => set({ question })}
        />
        <FileField {...{ collectionId, file }} onFile={(chosen) => set({ file: chosen })} />
        <TextAreaField
          label={t("questions.quotation")}
          help={t("questions.quotationHelp")}
          value={texts.quotation}
          maxLength={maxQuotationLength}
          inputClass="max-h-48"
          onValue={(quotation) => set({ quotation })}
        />
        <TextField
          label={t("questions.previous")}
          help={t("questions.previousHelp")}
          value={texts.previous}
          maxLength={maxQuestionLength}
          onValue={(previous) => set({ previous })}
        />
        <TextField
          label={t("questions.note")}
          value={texts.note}
          maxLength={maxNoteLength}
          onValue={(note) => set({ note })}
        />
      </div>
    </ConfirmDialog>
  )
}
