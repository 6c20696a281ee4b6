import { useQueries } from "@tanstack/react-query"
import { t } from "../../i18n/translate.ts"
import { ApiError } from "../../lib/api.ts"
import type { Message } from "../../lib/chat-api.ts"
import { type FileRecord, fileQuery } from "../../lib/library-api.ts"
import { readStored, useStored, writeStored } from "../../lib/stored.ts"
import { useUploads } from "../../lib/uploads.ts"

/** A file or a collection that goes with a question. */
export type Attached = Message["files"][number]

/** How far an attached file is; `gone` where it was deleted or is not one's own any more. */
export type FileState = "reading" | "ready" | "failed" | "gone"

export interface AttachedFile extends Attached {
  state: FileState
  /** Why it failed, in a sentence. */
  error: string | null
}

const isAttached = (one: unknown): one is Attached =>
  typeof one === "object" && one !== null && "id" in one && "type" in one && "name" in one

const parse = (stored: string | null): Attached[] | null => {
  try {
    const all: unknown = JSON.parse(stored ?? "null")
    return Array.isArray(all) ? all.filter(isAttached) : null
  } catch {
    return null
  }
}

const stateOf = (
  file: FileRecord | undefined,
  error: unknown,
): Omit<AttachedFile, keyof Attached> => {
  if (error instanceof ApiError && error.status === 404) {
    return { state: "gone", error: t("attach.gone") }
  }
  if (!file) return { state: "reading", error: null }
  const { status, error: why, progress } = file.data
  if (status === "failed") return { state: "failed", error: why }
  if (status === "stored") return { state: "failed", error: t("attach.stored") }
  const readable = status === "completed" || progress.passages !== null
  return { state: readable ? "ready" : "reading", error: null }
}

/** States as the server tells them: its news has each asked for anew. */
const useStates = (attached: readonly Attached[]): AttachedFile[] => {
  const files = attached.filter(({ type }) => type === "file")
  const queries = useQueries({ queries: files.map(({ id }) => fileQuery(id)) })
  return attached.map((one) => {
    const query = queries[files.indexOf(one)]
    if (!query) return { ...one, state: "ready", error: null }
    return { ...one, ...stateOf(query.data, query.error) }
  })
}

/**
 * What is attached to the message that is being written: kept with its draft, and to begin with
 * what the message before was about.
 */
export const useAttached = (draft: string, before: readonly Attached[]) => {
  const key = `draft.${draft}.files`
  const stored = useStored(key)
  const attached = parse(stored) ?? before
  const set = (next: readonly Attached[]): void => writeStored(key, JSON.stringify(next))

  const attach = (one: Attached): void => {
    // Uploads end whenever they end: what is kept by then counts, not what was drawn.
    const now = parse(readStored(key)) ?? before
    if (!now.some(({ id, type }) => id === one.id && type === one.type)) set([...now, one])
  }
  const uploads = useUploads(key, (file) =>
    attach({ type: "file", id: file.id, name: file.filename }),
  )
  return {
    attached: useStates(attached),
    uploads,
    attach,
    remove: ({ id, type }: Attached): void =>
      set(attached.filter((one) => one.id !== id || one.type !== type)),
    /** After sending: the next message begins with what this one was about. */
    settle: (): void => writeStored(key, null),
  }
}
