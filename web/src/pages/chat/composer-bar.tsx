import { ArrowUp, Hash, Mic, Plus, Square, TextQuote } from "lucide-react"
import { type ReactNode, useRef } from "react"
import { t } from "../../i18n/translate.ts"
import { readSelectedFiles } from "../../lib/file-selection.ts"
import type { SelectedFile } from "../../lib/upload-file.ts"
import { Button, IconButton } from "../../ui/button.tsx"
import { focusComposer } from "./composer-focus.ts"
import type { Dictation } from "./use-dictation.ts"

interface ComposerBarProps {
  running: boolean
  canSend: boolean
  /** Why the message cannot be sent, or a hint about sending it. */
  note: ReactNode
  onFiles: (files: SelectedFile[]) => void
  onKnowledge: () => void
  onPrompts: () => void
  dictation: Dictation
  onSend: () => void
  onStop: () => void
}

/** The buttons below the text field. */
export const ComposerBar = (props: ComposerBarProps) => {
  const { running, canSend, note, onFiles, onKnowledge, onPrompts, dictation } = props
  const { onSend, onStop } = props
  const chosen = useRef<HTMLInputElement>(null)
  return (
    <div className="flex items-center justify-between gap-2 p-1.5">
      <span className="flex">
        <IconButton icon={Plus} label={t("attach.add")} onClick={() => chosen.current?.click()} />
        <IconButton icon={Hash} label={t("attach.knowledge")} keys="#" onClick={onKnowledge} />
        <IconButton icon={TextQuote} label={t("prompts.add")} keys="/" onClick={onPrompts} />
        {dictation.isAvailable && (
          <IconButton
            icon={Mic}
            label={t("dictation.start")}
            aria-pressed={dictation.isListening}
            className={dictation.isListening ? "animate-pulse bg-accent-soft text-accent" : ""}
            onClick={dictation.toggle}
          />
        )}
      </span>
      <input
        ref={chosen}
        name="attachments"
        type="file"
        hidden
        multiple
        onChange={({ target }) => {
          onFiles(readSelectedFiles([...(target.files ?? [])]))
          target.value = ""
          focusComposer()
        }}
      />
      <span role="status" className="min-w-0 flex-1 text-xs text-muted">
        {dictation.isListening ? t("dictation.listening") : note}
      </span>
      {running && (
        <Button
          icon={Square}
          aria-label={t("chat.stop")}
          title={t("chat.stop")}
          onClick={onStop}
          variant="primary"
          className="[&_svg]:fill-current"
        >
          {t("action.stop")}
        </Button>
      )}
      {(!running || canSend) && (
        <IconButton
          icon={ArrowUp}
          label={t(running ? "composer.queue" : "chat.send")}
          keys="enter"
          disabled={!canSend}
          onClick={onSend}
          className="bg-accent text-on-accent hover:bg-accent-hover hover:text-on-accent disabled:bg-hover disabled:text-muted"
        />
      )}
    </div>
  )
}
