import type { FileRecord } from "../../../server/src/files/schema.ts"
import { createValueStore } from "../browser/value-store.ts"
import { type SelectedFile, uploadFile } from "./upload-file.ts"

/** A file being uploaded. Removed from the list once complete. */
export interface Upload {
  key: string
  name: string
  /** Bytes. */
  size: number
  sent: number
  state: "waiting" | "sending" | "failed"
  error: unknown
}

interface UploadEntry extends Upload {
  selected: SelectedFile
  /** Set once the bytes have arrived, so that a retry only repeats the step after the upload. */
  stored: FileRecord | null
  controller: AbortController
}

const maxParallel = 3
let lastKey = 0
const activeUploads = new Set<object>()

const warn = (event: BeforeUnloadEvent): void => event.preventDefault()

/** Makes the browser confirm before the page closes during an upload. */
const warnBeforeUnload = (entry: object, busy: boolean): void => {
  if (busy) activeUploads.add(entry)
  else activeUploads.delete(entry)
  if (activeUploads.size > 0) window.addEventListener("beforeunload", warn)
  else window.removeEventListener("beforeunload", warn)
}

type UploadedCallback = (file: FileRecord) => Promise<unknown> | unknown

/** Uploads files, a few in parallel; calls `onUploaded` with each stored file. */
const createUploader = (initialCallback: UploadedCallback, collectionId: string | undefined) => {
  let onUploaded = initialCallback
  const entries = createValueStore<readonly UploadEntry[]>([])

  const change = (key: string, changes: Partial<UploadEntry>): void => {
    entries.set(
      entries.get().map((entry) => (entry.key === key ? { ...entry, ...changes } : entry)),
    )
  }
  const drop = (key: string): void => {
    entries.set(entries.get().filter((entry) => entry.key !== key))
  }

  const send = async (entry: UploadEntry): Promise<void> => {
    const { key, selected, controller } = entry
    warnBeforeUnload(controller, true)
    try {
      const onProgress = (sent: number): void => change(key, { sent })
      const { signal } = controller
      const stored =
        entry.stored ?? (await uploadFile(selected, { collectionId, onProgress, signal }))
      change(key, { stored })
      await onUploaded(stored)
      drop(key)
    } catch (error) {
      if (controller.signal.aborted) drop(key)
      else change(key, { state: "failed", error, sent: 0 })
    } finally {
      warnBeforeUnload(controller, false)
      next()
    }
  }

  const next = (): void => {
    const sending = entries.get().filter(({ state }) => state === "sending").length
    const due = entries
      .get()
      .filter(({ state }) => state === "waiting")
      .slice(0, maxParallel - sending)
    for (const entry of due) {
      change(entry.key, { state: "sending" })
      void send(entry)
    }
  }

  return {
    /** Called on every render, so that the latest callback is used. */
    setOnUploaded: (next: UploadedCallback): void => {
      onUploaded = next
    },
    useUploads: (): readonly Upload[] => entries.useValue(),
    add: (all: readonly SelectedFile[]): void => {
      const fresh = all.map((selected): UploadEntry => {
        lastKey++
        const { name, size } = selected.file
        const initial = { sent: 0, state: "waiting", error: null, stored: null } as const
        const controller = new AbortController()
        return { key: String(lastKey), name, size, selected, controller, ...initial }
      })
      entries.set([...entries.get(), ...fresh])
      next()
    },
    retry: (key: string): void => {
      change(key, { state: "waiting", error: null, controller: new AbortController() })
      next()
    },
    /** Cancels an upload in progress or dismisses a failed one. */
    cancel: (key: string): void => {
      const entry = entries.get().find((one) => one.key === key)
      entry?.controller.abort(new DOMException("cancelled", "AbortError"))
      if (entry?.state !== "sending") drop(key)
    },
  }
}

type Uploader = ReturnType<typeof createUploader>

/** Uploads continue while the user visits other pages. */
const uploaders = new Map<string, Uploader>()

/**
 * The uploads for one destination, and functions to add, retry, and cancel them.
 * @param collectionId the collection that the files are added to
 */
export const useUploads = (
  destination: string,
  onUploaded: UploadedCallback,
  collectionId?: string,
) => {
  const known = uploaders.get(destination)
  const uploader = known ?? createUploader(onUploaded, collectionId)
  if (!known) uploaders.set(destination, uploader)
  uploader.setOnUploaded(onUploaded)
  const uploads = uploader.useUploads()
  return { uploads, add: uploader.add, retry: uploader.retry, cancel: uploader.cancel }
}
