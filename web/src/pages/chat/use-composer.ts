import { type RefObject, useEffect, useRef, useState } from "react"
import { t } from "../../i18n/translate.ts"
import { useDraftPart } from "../../lib/drafts.ts"
import type { SelectedFile } from "../../lib/upload-file.ts"
import { type Attachment, useAttachments } from "./attachments.ts"
import { type ChosenImage, isImageFile, maxImages, readImageFiles } from "./image-files.ts"
import type { OutgoingMessage } from "./use-stored-chat-backend.ts"

/** What the user has written but not sent; attachments belong to the draft as a whole. */
export interface WrittenMessage {
  text: string
  images: readonly ChosenImage[]
}

const emptyMessage: WrittenMessage = { text: "", images: [] }

const hasContent = ({ text, images }: WrittenMessage): boolean =>
  text.trim() !== "" || images.length > 0

const joinMessages = (first: WrittenMessage, second: WrittenMessage): WrittenMessage => ({
  text: [first.text, second.text].filter((text) => text.trim() !== "").join("\n\n"),
  images: [...first.images, ...second.images],
})

/** A written and a queued message, stored as one draft until they are sent; survives a reload. */
const useDraft = (draft: string | null) => {
  const { read, write } = useDraftPart(draft, "text")
  const [written, setWritten] = useState(() => ({ ...emptyMessage, text: read() ?? "" }))
  const [queued, setQueued] = useState<WrittenMessage | null>(null)
  const text = queued ? joinMessages(queued, written).text : written.text
  const latest = useRef(write)
  latest.current = write
  useEffect(() => latest.current(text === "" ? null : text), [text])
  return { written, setWritten, queued, setQueued }
}

/** Whether attachments prevent sending, and the hint to show. */
const attachmentStatus = (
  { attached, uploads, isCarriedOver }: ReturnType<typeof useAttachments>,
  isWaiting: boolean,
): { blocker: "uploads" | "failed" | null; note: string | null } => {
  const failed = (state: string): boolean => state === "failed"
  const uploading = uploads.uploads.filter(({ state }) => !failed(state)).length
  if (uploading > 0) {
    return {
      blocker: "uploads",
      note: t(isWaiting ? "attach.later" : "state.uploading", { count: uploading }),
    }
  }
  const hasFailed = [...attached, ...uploads.uploads].some(({ state }) => failed(state))
  if (hasFailed) return { blocker: "failed", note: t("attach.failed") }
  const reading = attached.some(({ state }) => state === "reading")
  if (reading) return { blocker: null, note: t("attach.willWait") }
  return { blocker: null, note: isCarriedOver ? t("attach.carriedOver") : null }
}

export interface ComposerDeps {
  /** Name of the draft in storage; null if it must not be stored. */
  draft: string | null
  running: boolean
  /** Whether the last answer is complete: neither stopped nor failed. */
  isAnswered: boolean
  /** Whether something other than the message itself prevents sending. */
  isBlocked: boolean
  /** Why images cannot be sent to the chosen models; null if they can. */
  imageWarning: string | null
  /** Attachments of the previous message. */
  previousFiles: readonly Attachment[]
  /** Resolves when the server has accepted the message; on rejection the draft is restored. */
  onSend: (message: OutgoingMessage) => Promise<void>
  area: RefObject<HTMLTextAreaElement | null>
}

/** The message being written, its attachments, and when it is sent. */
export const useComposer = (deps: ComposerDeps) => {
  const { draft, running, isAnswered, isBlocked, imageWarning, previousFiles, onSend, area } = deps
  const { written, setWritten, queued, setQueued } = useDraft(draft)
  const [problem, setProblem] = useState<string | null>(null)
  const [sending, setSending] = useState(false)
  /** Enter was pressed before everything was ready; the message is sent as soon as it is. */
  const [isWaiting, setWaiting] = useState(false)
  const files = useAttachments(draft, previousFiles)
  const { blocker, note } = attachmentStatus(files, isWaiting)

  const warningFor = ({ images }: WrittenMessage): string | null =>
    images.length > 0 ? imageWarning : null
  const isComplete = hasContent(written) && !sending && warningFor(written) === null
  const isReady = !isBlocked && blocker === null

  const deliver = async (message: WrittenMessage): Promise<void> => {
    const included = files.attached.filter(({ state }) => state !== "gone")
    setSending(true)
    setProblem(null)
    try {
      await onSend({
        content: message.text,
        images: message.images.map(({ url }) => url),
        files: included.map(({ type, id, name }) => ({ type, id, name })),
      })
      files.reset()
    } catch {
      setWritten((since) => joinMessages(message, since))
    } finally {
      setSending(false)
    }
  }
  const send = async (): Promise<void> => {
    if (!isComplete) return setWaiting(false)
    if (running) {
      setQueued(queued ? joinMessages(queued, written) : written)
      setWritten(emptyMessage)
      return
    }
    if (!isReady) return setWaiting(isBlocked || blocker === "uploads")
    setWritten(emptyMessage)
    await deliver(written)
    area.current?.focus()
  }
  const returnQueued = (): void => {
    if (queued) setWritten(joinMessages(queued, written))
    setQueued(null)
  }

  useEffect(() => {
    if (!(isWaiting && isComplete && isReady && !running)) return
    setWaiting(false)
    void send()
  })
  useEffect(() => {
    if (!queued || running || sending) return
    if (!isAnswered || warningFor(queued) !== null) {
      returnQueued()
      setProblem(isAnswered ? null : t("composer.notSent"))
    } else if (isReady) {
      setQueued(null)
      void deliver(queued)
    }
  })

  return {
    ...written,
    setText: (text: string): void => {
      setWaiting(false)
      setWritten((known) => ({ ...known, text }))
    },
    removeImage: (removedId: string): void =>
      setWritten((known) => ({
        ...known,
        images: known.images.filter(({ id }) => id !== removedId),
      })),
    add: async (all: readonly SelectedFile[]): Promise<void> => {
      files.uploads.add(all.filter(({ file }) => !isImageFile(file)))
      const pictures = all.map(({ file }) => file).filter(isImageFile)
      const free = maxImages - written.images.length - (queued?.images.length ?? 0)
      const read = await readImageFiles(pictures, free)
      setWritten((known) => ({ ...known, images: [...known.images, ...read.images] }))
      setProblem(read.problem)
    },
    files,
    queued,
    /** Makes the queued message part of the one being written. */
    editQueued: (): void => {
      returnQueued()
      area.current?.focus()
    },
    removeQueued: (): void => {
      setQueued(null)
      area.current?.focus()
    },
    send,
    canSend: isComplete && (running || isReady || blocker === "uploads"),
    warning: warningFor(written) ?? problem,
    note,
  }
}
