import { ArrowUp, Plus, Square, X } from "lucide-react"
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from "react"
import { t } from "../../i18n/translate.ts"
import { readStored, writeStored } from "../../lib/stored.ts"
import { IconButton } from "../../ui/button.tsx"
import { type ChosenImage, imageTypes, mostImages, readImages } from "./images.ts"

const isTouch = (): boolean => matchMedia("(pointer: coarse)").matches

/** Chromium takes seconds to insert a long text as if it were typed. In characters. */
const slowPaste = 4000

/** Kept in this browser until it is sent, whatever happens to the page. */
const useDraft = (name: string) => {
  const key = `draft.${name}`
  const [text, setText] = useState(() => readStored(key) ?? "")
  return {
    text,
    setText: (next: string): void => {
      setText(next)
      writeStored(key, next === "" ? null : next)
    },
  }
}

interface ComposerProps {
  /** What the draft is kept under. */
  draft: string
  running: boolean
  /** Why nothing can be sent now, if so. */
  blocked: ReactNode
  /** Says what is wrong with sending images; null when nothing is. */
  blind: string | null
  /** Resolves when it was taken; rejects when it was not, and the draft stays. */
  onSend: (content: string, images: string[]) => Promise<void>
  onStop: () => void
  onEditLast: () => void
}

/** Where one writes. Grows with the text; Enter sends, on touch screens it breaks the line. */
export const Composer = (props: ComposerProps) => {
  const { draft, running, blocked, blind, onSend, onStop, onEditLast } = props
  const { text, setText } = useDraft(draft)
  const [images, setImages] = useState<ChosenImage[]>([])
  const [problem, setProblem] = useState<string | null>(null)
  const [sending, setSending] = useState(false)
  /** Enter came before the page knew its models; what was written goes as soon as it does. */
  const [waiting, setWaiting] = useState(false)
  const area = useRef<HTMLTextAreaElement>(null)
  const picker = useRef<HTMLInputElement>(null)
  const notice = images.length > 0 ? (blind ?? problem) : problem
  const empty = text.trim() === "" && images.length === 0
  const ready = !empty && !blocked && !running && !sending && !(images.length > 0 && blind)

  useEffect(() => {
    if (!isTouch()) area.current?.focus()
  }, [])

  const add = async (files: readonly File[]): Promise<void> => {
    const read = await readImages(files, mostImages - images.length)
    setImages((before) => [...before, ...read.images])
    setProblem(read.problem)
  }
  const send = async (): Promise<void> => {
    if (!ready) {
      setWaiting(Boolean(blocked) && !empty)
      return
    }
    const before = { text, images }
    setSending(true)
    setText("")
    setImages([])
    setProblem(null)
    try {
      await onSend(
        before.text,
        before.images.map(({ url }) => url),
      )
    } catch {
      setText(before.text)
      setImages(before.images)
    } finally {
      setSending(false)
      area.current?.focus()
    }
  }
  useEffect(() => {
    if (!(waiting && ready)) return
    setWaiting(false)
    void send()
  })
  const insert = (into: HTMLTextAreaElement, pasted: string): void => {
    into.setRangeText(pasted, into.selectionStart, into.selectionEnd, "end")
    setText(into.value)
  }
  const onKey = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return
    if (event.key === "Enter" && !event.shiftKey && !isTouch()) {
      event.preventDefault()
      void send()
    }
    if (event.key === "ArrowUp" && text === "") {
      event.preventDefault()
      onEditLast()
    }
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping has the button "Add images" beside it
    <div
      className="rounded-lg border border-line-strong bg-bg focus-within:border-accent"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault()
        void add([...event.dataTransfer.files])
      }}
    >
      {images.length > 0 && (
        <ul className="flex flex-wrap gap-2 px-3 pt-3">
          {images.map(({ id, name, url }) => (
            <li key={id} className="relative">
              <img src={url} alt={name} className="size-16 rounded object-cover" />
              <button
                type="button"
                aria-label={t("chat.removeImage", { name })}
                onClick={() => setImages(images.filter((image) => image.id !== id))}
                className="absolute -top-1.5 -right-1.5 flex size-6 items-center justify-center rounded-full border border-line bg-raised"
              >
                <X aria-hidden className="size-3.5" />
              </button>
            </li>
          ))}
        </ul>
      )}
      {notice && (
        <p role="alert" className="px-3.5 pt-2 text-sm text-danger">
          {notice}
        </p>
      )}
      <textarea
        ref={area}
        id="composer"
        rows={1}
        value={text}
        aria-label={t("chat.composer")}
        placeholder={t("chat.placeholder")}
        onChange={(event) => {
          setWaiting(false)
          setText(event.target.value)
        }}
        onKeyDown={onKey}
        onPaste={(event) => {
          const files = [...event.clipboardData.files]
          const pasted = event.clipboardData.getData("text/plain")
          if (files.length === 0 && pasted.length < slowPaste) return
          event.preventDefault()
          if (files.length > 0) void add(files)
          else insert(event.currentTarget, pasted)
        }}
        className="field-sizing-content max-h-[40vh] min-h-11 w-full resize-none bg-transparent px-3.5 pt-3 pb-1 text-base outline-none"
      />
      <div className="flex items-center justify-between gap-2 p-1.5">
        <IconButton icon={Plus} label={t("chat.attach")} onClick={() => picker.current?.click()} />
        <input
          ref={picker}
          type="file"
          hidden
          multiple
          accept={imageTypes}
          onChange={(event) => {
            void add([...(event.target.files ?? [])])
            event.target.value = ""
          }}
        />
        <span className="min-w-0 flex-1 truncate text-xs text-muted">{blocked}</span>
        {running ? (
          <IconButton
            icon={Square}
            label={t("chat.stop")}
            keys="escape"
            onClick={onStop}
            className="bg-text text-bg hover:bg-text hover:text-bg [&_svg]:fill-current"
          />
        ) : (
          <IconButton
            icon={ArrowUp}
            label={t("chat.send")}
            keys="enter"
            disabled={!ready}
            onClick={() => void send()}
            className="bg-accent text-on-accent hover:bg-accent-hover hover:text-on-accent disabled:bg-hover disabled:text-muted"
          />
        )}
      </div>
    </div>
  )
}
