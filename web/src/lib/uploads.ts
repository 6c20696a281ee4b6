import { useSyncExternalStore } from "react"
import type { FileRecord } from "../../../server/src/files/schema.ts"
import { type Chosen, sendFile } from "./uploading.ts"

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

interface Entry extends Upload {
  chosen: Chosen
  /** Set once the bytes have arrived, so that a retry only repeats the step after the upload. */
  stored: FileRecord | null
  leaving: AbortController
}

const atOnce = 3
let lastKey = 0
const working = new Set<object>()

const warn = (event: BeforeUnloadEvent): void => event.preventDefault()

/** Makes the browser confirm before the page closes during an upload. */
const keepPage = (entry: object, busy: boolean): void => {
  if (busy) working.add(entry)
  else working.delete(entry)
  if (working.size > 0) window.addEventListener("beforeunload", warn)
  else window.removeEventListener("beforeunload", warn)
}

type Arrived = (file: FileRecord) => Promise<unknown> | unknown

/** Uploads files, a few in parallel; calls `onUploaded` with each stored file. */
const createUploader = (first: Arrived) => {
  let arrived = first
  let entries: readonly Entry[] = []
  const listeners = new Set<() => void>()

  const tell = (): void => {
    for (const listener of listeners) listener()
  }
  const change = (key: string, changes: Partial<Entry>): void => {
    entries = entries.map((entry) => (entry.key === key ? { ...entry, ...changes } : entry))
    tell()
  }
  const drop = (key: string): void => {
    entries = entries.filter((entry) => entry.key !== key)
    tell()
  }

  const send = async (entry: Entry): Promise<void> => {
    const { key, chosen, leaving } = entry
    keepPage(leaving, true)
    try {
      const progress = (sent: number): void => change(key, { sent })
      const stored = entry.stored ?? (await sendFile(chosen, { progress, signal: leaving.signal }))
      change(key, { stored })
      await arrived(stored)
      drop(key)
    } catch (error) {
      if (leaving.signal.aborted) drop(key)
      else change(key, { state: "failed", error, sent: 0 })
    } finally {
      keepPage(leaving, false)
      next()
    }
  }

  const next = (): void => {
    const sending = entries.filter(({ state }) => state === "sending").length
    const due = entries.filter(({ state }) => state === "waiting").slice(0, atOnce - sending)
    for (const { key } of due) {
      change(key, { state: "sending" })
      const entry = entries.find((one) => one.key === key)
      if (entry) void send(entry)
    }
  }

  return {
    /** Called on every render, so that the latest callback is used. */
    hear: (next: Arrived): void => {
      arrived = next
    },
    subscribe: (listener: () => void): (() => void) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    uploads: (): readonly Upload[] => entries,
    add: (all: readonly Chosen[]): void => {
      const fresh = all.map((chosen): Entry => {
        lastKey++
        const { name, size } = chosen.file
        const begun = { sent: 0, state: "waiting", error: null, stored: null } as const
        return {
          key: String(lastKey),
          name,
          size,
          chosen,
          leaving: new AbortController(),
          ...begun,
        }
      })
      entries = [...entries, ...fresh]
      tell()
      next()
    },
    retry: (key: string): void => {
      change(key, { state: "waiting", error: null, leaving: new AbortController() })
      next()
    },
    /** Cancels an upload in progress or dismisses a failed one. */
    cancel: (key: string): void => {
      const entry = entries.find((one) => one.key === key)
      entry?.leaving.abort(new DOMException("cancelled", "AbortError"))
      if (entry?.state !== "sending") drop(key)
    },
  }
}

type Uploader = ReturnType<typeof createUploader>

/** Uploads continue while the user visits other pages. */
const uploaders = new Map<string, Uploader>()

/** The uploads for one destination, and functions to add, retry, and cancel them. */
export const useUploads = (place: string, arrived: Arrived) => {
  const known = uploaders.get(place)
  const uploader = known ?? createUploader(arrived)
  if (!known) uploaders.set(place, uploader)
  uploader.hear(arrived)
  const uploads = useSyncExternalStore(uploader.subscribe, uploader.uploads)
  return { uploads, add: uploader.add, retry: uploader.retry, cancel: uploader.cancel }
}
