import {
  type ClipboardEvent,
  type KeyboardEvent,
  type ReactNode,
  type Ref,
  useEffect,
  useImperativeHandle,
  useRef,
} from "react"
import { t } from "../../i18n/translate.ts"
import { readSelectedFiles } from "../../lib/file-selection.ts"
import { AttachmentChips } from "./attachment-chips.tsx"
import { ComposerBar } from "./composer-bar.tsx"
import { composerId, focusComposer, isTouchScreen } from "./composer-focus.ts"
import { ComposerImages } from "./composer-images.tsx"
import { FileDropZone } from "./file-drop-zone.tsx"
import { QueuedMessage } from "./queued-message.tsx"
import { useAttachmentMenu } from "./use-attachment-menu.tsx"
import { type ComposerDeps, useComposer } from "./use-composer.ts"
import { useDictation } from "./use-dictation.ts"
import { usePromptMenu } from "./use-prompt-menu.tsx"

/**
 * Characters. Chromium takes seconds to paste a longer text into the field, so it is inserted
 * directly.
 */
const directInsertLength = 4000

export interface ComposerHandle {
  /** Replaces the text and lets the user finish it. */
  writeText: (text: string) => void
}

interface ComposerProps extends Omit<ComposerDeps, "isBlocked" | "area"> {
  ref?: Ref<ComposerHandle>
  /** Why sending is not possible, if so. */
  blocked: ReactNode
  onStop: () => void
  onEditLast: () => void
}

/** The message input. It grows with the text; Enter sends, except on touch screens. */
export const Composer = ({ ref, blocked, onStop, onEditLast, ...deps }: ComposerProps) => {
  const area = useRef<HTMLTextAreaElement>(null)
  const composer = useComposer({ ...deps, isBlocked: Boolean(blocked), area })
  const { text, setText, images, files, queued } = composer
  const attachments = useAttachmentMenu({ area, text, setText }, files.attach)
  const prompts = usePromptMenu({ area, text, setText })
  const menus = [attachments, prompts]

  useEffect(focusComposer, [])
  useImperativeHandle(ref, () => ({
    writeText: (next) => {
      const field = area.current
      if (!field) return
      field.value = next
      setText(next)
      field.focus()
      field.setSelectionRange(next.length, next.length)
    },
  }))

  const onPaste = (event: ClipboardEvent<HTMLTextAreaElement>): void => {
    const pastedFiles = [...event.clipboardData.files]
    const pasted = event.clipboardData.getData("text/plain")
    if (pastedFiles.length === 0 && pasted.length < directInsertLength) return
    event.preventDefault()
    if (pastedFiles.length > 0) void composer.add(readSelectedFiles(pastedFiles))
    else insert(event.currentTarget, pasted)
  }
  const insert = (into: HTMLTextAreaElement, pasted: string): void => {
    into.setRangeText(pasted, into.selectionStart, into.selectionEnd, "end")
    setText(into.value)
  }
  const insertPhrase = (phrase: string): void => {
    const field = area.current
    if (!field) return
    const before = field.value.slice(0, field.selectionStart)
    insert(field, before === "" || /\s$/.test(before) ? phrase : ` ${phrase}`)
  }
  const dictation = useDictation(insertPhrase)
  const notice = composer.warning ?? dictation.error
  const onKey = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing || menus.some((menu) => menu.handleKey(event))) return
    if (event.key === "Enter" && !event.shiftKey && !isTouchScreen()) {
      event.preventDefault()
      void composer.send()
    }
    if (event.key === "ArrowUp" && text === "") {
      event.preventDefault()
      onEditLast()
    }
  }
  const updateCaret = (): void => {
    for (const menu of menus) menu.updateCaret()
  }
  const hasChips = files.attached.length + files.uploads.uploads.length > 0

  return (
    <>
      <FileDropZone onFiles={(all) => void composer.add(all)} />
      {queued && (
        <QueuedMessage
          message={queued}
          onEdit={composer.editQueued}
          onRemove={composer.removeQueued}
        />
      )}
      <div className="relative rounded-lg border border-field bg-bg focus-within:border-accent">
        {attachments.menu}
        {prompts.menu}
        {images.length > 0 && <ComposerImages images={images} onRemove={composer.removeImage} />}
        {hasChips && (
          <AttachmentChips
            attached={files.attached}
            uploads={files.uploads}
            onRemove={files.remove}
          />
        )}
        {notice && (
          <p role="alert" className="px-3.5 pt-2 text-sm text-danger">
            {notice}
          </p>
        )}
        <textarea
          ref={area}
          id={composerId}
          rows={1}
          value={text}
          aria-label={t("label.message")}
          aria-haspopup="listbox"
          aria-autocomplete="list"
          {...attachments.controlProps}
          {...prompts.controlProps}
          placeholder={t("chat.placeholder")}
          onChange={(event) => {
            setText(event.target.value)
            dictation.dismissError()
            updateCaret()
          }}
          onSelect={updateCaret}
          onBlur={() => {
            for (const menu of menus) menu.hide()
          }}
          onKeyDown={onKey}
          onPaste={onPaste}
          className="field-sizing-content max-h-[40vh] min-h-11 w-full resize-none bg-transparent px-3.5 pt-3 pb-1 text-base outline-none"
        />
        <ComposerBar
          running={deps.running}
          canSend={composer.canSend}
          note={blocked ?? composer.note}
          onFiles={(all) => void composer.add(all)}
          onKnowledge={attachments.openMenu}
          onPrompts={prompts.openMenu}
          dictation={dictation}
          onSend={() => void composer.send()}
          onStop={onStop}
        />
      </div>
    </>
  )
}
