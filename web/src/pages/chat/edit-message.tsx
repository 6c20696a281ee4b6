import { useMutation } from "@tanstack/react-query"
import { type KeyboardEvent, useState } from "react"
import { t } from "../../i18n/translate.ts"
import { Button } from "../../ui/button.tsx"
import { ErrorNote } from "../../ui/error-note.tsx"
import { TextArea } from "../../ui/field.tsx"

interface EditProps {
  content: string
  label: string
  saveLabel: string
  /** Enter inserts a line break; Ctrl+Enter or ⌘+Enter saves. */
  multiline?: boolean
  onSave: (content: string) => Promise<void>
  /** Called once it is saved or cancelled. */
  onClose: () => void
}

/** Edits a message or an answer; the result becomes an alternative to the original. */
export const EditMessage = (props: EditProps) => {
  const { content, label, saveLabel, multiline = false, onSave, onClose } = props
  const [text, setText] = useState(content)
  const { isPending, error, mutate } = useMutation({
    mutationFn: () => onSave(text),
    onSuccess: onClose,
  })
  const save = (): void => {
    if (text.trim() !== "" && !isPending) mutate()
  }
  const onKey = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return
    const isSaveKey = multiline ? event.ctrlKey || event.metaKey : !event.shiftKey
    if (event.key === "Enter" && isSaveKey) {
      event.preventDefault()
      save()
    }
    if (event.key === "Escape") {
      event.preventDefault()
      onClose()
    }
  }
  return (
    <div className="flex flex-col gap-2">
      <TextArea
        autoFocus
        aria-label={label}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onFocus={(event) => event.target.setSelectionRange(content.length, content.length)}
        onKeyDown={onKey}
        className={multiline ? "field-sizing-content max-h-[70vh] text-base" : "text-base"}
      />
      {error && <ErrorNote error={error} />}
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>{t("action.cancel")}</Button>
        <Button variant="primary" busy={isPending} onClick={save}>
          {saveLabel}
        </Button>
      </div>
    </div>
  )
}
