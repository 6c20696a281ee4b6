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
  onCancel: () => void
  onSave: (content: string) => Promise<void>
}

/** Edits a message or an answer; the result becomes an alternative to the original. */
export const EditMessage = (props: EditProps) => {
  const { content, label, saveLabel, multiline = false, onCancel, onSave } = props
  const [text, setText] = useState(content)
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const save = async (): Promise<void> => {
    if (text.trim() === "" || busy) return
    setBusy(true)
    setError(null)
    try {
      await onSave(text)
    } catch (reason) {
      setError(reason)
      setBusy(false)
    }
  }
  const onKey = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return
    const isSaveKey = multiline ? event.ctrlKey || event.metaKey : !event.shiftKey
    if (event.key === "Enter" && isSaveKey) {
      event.preventDefault()
      void save()
    }
    if (event.key === "Escape") {
      event.preventDefault()
      onCancel()
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
      {error !== null && <ErrorNote error={error} />}
      <div className="flex justify-end gap-2">
        <Button onClick={onCancel}>{t("action.cancel")}</Button>
        <Button variant="primary" busy={busy} onClick={() => void save()}>
          {saveLabel}
        </Button>
      </div>
    </div>
  )
}
