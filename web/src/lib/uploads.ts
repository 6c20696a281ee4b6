import { useSyncExternalStore } from "react"
import type { FileRecord } from "../../../server/src/files/schema.ts"
import { type Chosen, sendFile } from "./uploading.ts"

/** One file on its way. What has arrived is no upload any more. */
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
  /** Set once its bytes have arrived, when only what follows has failed. */
  stored: FileRecord | null
  leaving: AbortController
}

const atOnce = 3
let lastKey = 0
const working = new Set<object>()

const warn = (event: BeforeUnloadEvent): void => event.preventDefault()

/** The browser asks before a page is closed over uploads. */
const keepPage = (entry: object, busy: boolean): void => {
  if (busy) working.add(entry)
  else working.delete(entry)
  if (working.size > 0) window.addEventListener("beforeunload", warn)
  else window.removeEventListener("beforeunload", warn)
}

type Arrived = (file: FileRecord) => Promise<unknown> | unknown

/** Sends files, a few at once; `arrived` does what is to be done with each when it is there. */
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
    /** Of the place's views the last one knows best what is to be done. */
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
    /** Ends what is under way, and forgets what has failed. */
    cancel: (key: string): void => {
      const entry = entries.find((one) => one.key === key)
      entry?.leaving.abort(new DOMException("cancelled", "AbortError"))
      if (entry?.state !== "sending") drop(key)
    },
  }
}

type Uploader = ReturnType<typeof createUploader>

/** They go on while one looks at other pages. */
const uploaders = new Map<string, Uploader>()

/** The uploads that go to one place, and how to add to them. */
export const useUploads = (place: string, arrived: Arrived) => {
  const known = uploaders.get(place)
  const uploader = known ?? createUploader(arrived)
  if (!known) uploaders.set(place, uploader)
  uploader.hear(arrived)
  const uploads = useSyncExternalStore(uploader.subscribe, uploader.uploads)
  return { uploads, add: uploader.add, retry: uploader.retry, cancel: uploader.cancel }
}
