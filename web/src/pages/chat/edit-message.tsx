import { type KeyboardEvent, useState } from "react"
import { t } from "../../i18n/translate.ts"
import { Button } from "../../ui/button.tsx"
import { ErrorNote } from "../../ui/error-note.tsx"
import { TextArea } from "../../ui/field.tsx"

interface EditProps {
  content: string
  onCancel: () => void
  onSend: (content: string) => Promise<void>
}

/** Edits a sent message; the result becomes an alternative to the original. */
export const EditMessage = ({ content, onCancel, onSend }: EditProps) => {
  const [text, setText] = useState(content)
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const send = async (): Promise<void> => {
    if (text.trim() === "" || busy) return
    setBusy(true)
    setError(null)
    try {
      await onSend(text)
    } catch (reason) {
      setError(reason)
      setBusy(false)
    }
  }
  const onKey = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault()
      void send()
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
        aria-label={t("chat.edit")}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onFocus={(event) => event.target.setSelectionRange(content.length, content.length)}
        onKeyDown={onKey}
        className="text-base"
      />
      {error !== null && <ErrorNote error={error} />}
      <div className="flex justify-end gap-2">
        <Button onClick={onCancel}>{t("action.cancel")}</Button>
        <Button variant="primary" busy={busy} onClick={() => void send()}>
          {t("chat.editSend")}
        </Button>
      </div>
    </div>
  )
}
