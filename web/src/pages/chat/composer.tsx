import {
  type ClipboardEvent,
  type KeyboardEvent,
  lazy,
  type ReactNode,
  Suspense,
  useEffect,
  useRef,
  useState,
} from "react"
import { t } from "../../i18n/translate.ts"
import { readDroppedFiles, readSelectedFiles } from "../../lib/file-selection.ts"
import { readLocalStorage, writeLocalStorage } from "../../lib/local-storage.ts"
import type { SelectedFile } from "../../lib/upload-file.ts"
import { classes } from "../../ui/classes.ts"
import { AttachmentChips } from "./attachment-chips.tsx"
import { type Attachment, useAttachments } from "./attachments.ts"
import { ComposerBar } from "./composer-bar.tsx"
import { ComposerImages } from "./composer-images.tsx"
import { type ChosenImage, isImage, maxImages, readImages } from "./images.ts"
import { useMention } from "./use-mention.ts"
import type { OutgoingMessage } from "./use-send-message.ts"

const AttachmentPicker = lazy(async () => ({
  default: (await import("./attachment-picker.tsx")).AttachmentPicker,
}))

const isTouch = (): boolean => matchMedia("(pointer: coarse)").matches

/**
 * Characters. Chromium takes seconds to paste a longer text into the field, so it is inserted
 * directly.
 */
const directInsertLength = 4000

/** A draft stored in the browser until it is sent; survives a reload. */
const useDraft = (name: string) => {
  const key = `draft.${name}`
  const [text, setText] = useState(() => readLocalStorage(key) ?? "")
  return {
    text,
    setText: (next: string): void => {
      setText(next)
      writeLocalStorage(key, next === "" ? null : next)
    },
  }
}

interface ComposerProps {
  /** Storage key of the draft. */
  draft: string
  running: boolean
  /** Why sending is not possible, if so. */
  blocked: ReactNode
  /** Why images cannot be sent to the chosen models; null if they can. */
  imageWarning: string | null
  /** Attachments of the previous message. */
  previousFiles: readonly Attachment[]
  /** Resolves when the server has accepted the message; on rejection the draft is restored. */
  onSend: (said: OutgoingMessage) => Promise<void>
  onStop: () => void
  onEditLast: () => void
}

/** Whether attachments prevent sending, and the hint to show. */
const attachmentStatus = (
  { attached, uploads }: ReturnType<typeof useAttachments>,
  isQueued: boolean,
): { blocker: "uploads" | "failed" | null; note: string | null } => {
  const failed = (state: string): boolean => state === "failed"
  const uploading = uploads.uploads.filter(({ state }) => !failed(state)).length
  if (uploading > 0) {
    return {
      blocker: "uploads",
      note: t(isQueued ? "attach.later" : "attach.going", { count: uploading }),
    }
  }
  const hasFailed = [...attached, ...uploads.uploads].some(({ state }) => failed(state))
  if (hasFailed) return { blocker: "failed", note: t("attach.failed") }
  const reading = attached.some(({ state }) => state === "reading")
  return { blocker: null, note: reading ? t("attach.willWait") : null }
}

const hasContent = (text: string, images: readonly ChosenImage[]): boolean =>
  text.trim() !== "" || images.length > 0

const Notice = ({ children }: { children: string | null }) =>
  children && (
    <p role="alert" className="px-3.5 pt-2 text-sm text-danger">
      {children}
    </p>
  )

/** The message input. It grows with the text; Enter sends, except on touch screens. */
export const Composer = (props: ComposerProps) => {
  const { draft, running, blocked, imageWarning, previousFiles, onSend, onStop, onEditLast } = props
  const { text, setText } = useDraft(draft)
  const [images, setImages] = useState<ChosenImage[]>([])
  const [problem, setProblem] = useState<string | null>(null)
  const [sending, setSending] = useState(false)
  const [dragging, setDragging] = useState(false)
  /** Enter was pressed before everything was ready; the message is sent as soon as it is. */
  const [isQueued, setQueued] = useState(false)
  const area = useRef<HTMLTextAreaElement>(null)
  const files = useAttachments(draft, previousFiles)
  const picker = useMention({ area, text, setText })
  const { blocker, note } = attachmentStatus(files, isQueued)
  const activeImageWarning = images.length > 0 ? imageWarning : null
  const isComplete = hasContent(text, images) && !running && !sending && activeImageWarning === null
  const isReady = isComplete && !blocked && blocker === null

  useEffect(() => {
    if (!isTouch()) area.current?.focus()
  }, [])

  const add = async (all: readonly SelectedFile[]): Promise<void> => {
    files.uploads.add(all.filter(({ file }) => !isImage(file)))
    const pictures = all.map(({ file }) => file).filter(isImage)
    const read = await readImages(pictures, maxImages - images.length)
    setImages((known) => [...known, ...read.images])
    setProblem(read.problem)
  }
  const send = async (): Promise<void> => {
    if (!isReady) {
      setQueued(isComplete && (Boolean(blocked) || blocker === "uploads"))
      return
    }
    const sent = { text, images }
    const included = files.attached.filter(({ state }) => state !== "gone")
    setSending(true)
    setText("")
    setImages([])
    setProblem(null)
    try {
      await onSend({
        content: sent.text,
        images: sent.images.map(({ url }) => url),
        files: included.map(({ type, id, name }) => ({ type, id, name })),
      })
      files.reset()
    } catch {
      setText(sent.text)
      setImages(sent.images)
    } finally {
      setSending(false)
      area.current?.focus()
    }
  }
  useEffect(() => {
    if (!(isQueued && isReady)) return
    setQueued(false)
    void send()
  })
  const onPaste = (event: ClipboardEvent<HTMLTextAreaElement>): void => {
    const pastedFiles = [...event.clipboardData.files]
    const pasted = event.clipboardData.getData("text/plain")
    if (pastedFiles.length === 0 && pasted.length < directInsertLength) return
    event.preventDefault()
    if (pastedFiles.length > 0) void add(readSelectedFiles(pastedFiles))
    else insert(event.currentTarget, pasted)
  }
  const insert = (into: HTMLTextAreaElement, pasted: string): void => {
    into.setRangeText(pasted, into.selectionStart, into.selectionEnd, "end")
    setText(into.value)
  }
  const onKey = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing || picker.handleKey(event)) return
    if (event.key === "Enter" && !event.shiftKey && !isTouch()) {
      event.preventDefault()
      void send()
    }
    if (event.key === "ArrowUp" && text === "") {
      event.preventDefault()
      onEditLast()
    }
  }
  const hasChips = files.attached.length + files.uploads.uploads.length > 0

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the "Add files" button is the accessible alternative
    <div
      className={classes(
        "relative rounded-lg border bg-bg focus-within:border-accent",
        dragging ? "border-accent bg-accent-soft" : "border-line-strong",
      )}
      onDragOver={(event) => {
        event.preventDefault()
        setDragging(true)
      }}
      onDragLeave={() => setDragging(false)}
      onDrop={(event) => {
        event.preventDefault()
        setDragging(false)
        void readDroppedFiles(event.dataTransfer).then(add)
      }}
    >
      {picker.mention && (
        <Suspense>
          <AttachmentPicker
            id={picker.id}
            query={picker.mention.query}
            keys={picker.keys}
            onActive={picker.setActive}
            onClose={picker.dismiss}
            onPick={({ type, id, name }) => {
              files.attach({ type, id, name })
              picker.removeMention()
            }}
          />
        </Suspense>
      )}
      {images.length > 0 && (
        <ComposerImages
          images={images}
          onRemove={(removedId) => setImages(images.filter(({ id }) => id !== removedId))}
        />
      )}
      {hasChips && (
        <AttachmentChips
          attached={files.attached}
          uploads={files.uploads.uploads}
          onRemove={files.remove}
          onRetry={files.uploads.retry}
          onCancel={files.uploads.cancel}
        />
      )}
      <Notice>{activeImageWarning ?? problem}</Notice>
      <textarea
        ref={area}
        id="composer"
        rows={1}
        value={text}
        aria-label={t("chat.composer")}
        aria-haspopup="listbox"
        aria-autocomplete="list"
        {...picker.controlProps}
        placeholder={t("chat.placeholder")}
        onChange={(event) => {
          setQueued(false)
          setText(event.target.value)
          picker.updateCaret()
        }}
        onSelect={picker.updateCaret}
        onBlur={picker.onBlur}
        onKeyDown={onKey}
        onPaste={onPaste}
        className="field-sizing-content max-h-[40vh] min-h-11 w-full resize-none bg-transparent px-3.5 pt-3 pb-1 text-base outline-none"
      />
      <ComposerBar
        running={running}
        canSend={isReady || (isComplete && blocker === "uploads")}
        note={blocked ?? note}
        onFiles={(all) => void add(all)}
        onKnowledge={picker.insertMention}
        onSend={() => void send()}
        onStop={onStop}
      />
    </div>
  )
}
