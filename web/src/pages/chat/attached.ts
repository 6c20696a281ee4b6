import { useQueries } from "@tanstack/react-query"
import { t } from "../../i18n/translate.ts"
import { ApiError } from "../../lib/api.ts"
import type { Message } from "../../lib/chat-api.ts"
import { type FileRecord, fileQuery } from "../../lib/library-api.ts"
import { readStored, useStored, writeStored } from "../../lib/stored.ts"
import { useUploads } from "../../lib/uploads.ts"

/** A file or collection attached to a message. */
export type Attached = Message["files"][number]

/** Processing state of an attached file; `gone` if it was deleted or is no longer accessible. */
export type FileState = "reading" | "ready" | "failed" | "gone"

export interface AttachedFile extends Attached {
  state: FileState
  /** Error message. */
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

/** The state of each attached file; server events refetch the queries. */
const useStates = (attached: readonly Attached[]): AttachedFile[] => {
  const files = attached.filter(({ type }) => type === "file")
  const queries = useQueries({ queries: files.map(({ id }) => fileQuery(id)) })
  return attached.map((one) => {
    const query = queries[files.indexOf(one)]
    if (!query) return { ...one, state: "ready", error: null }
    return { ...one, ...stateOf(query.data, query.error) }
  })
}

/** The attachments of a draft, stored with it; initially those of the previous message. */
export const useAttached = (draft: string, before: readonly Attached[]) => {
  const key = `draft.${draft}.files`
  const stored = useStored(key)
  const attached = parse(stored) ?? before
  const set = (next: readonly Attached[]): void => writeStored(key, JSON.stringify(next))

  const attach = (one: Attached): void => {
    // An upload may end after a later change, so read the stored list rather than the rendered one.
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
    /** Called after sending: the next message starts with this one's attachments. */
    settle: (): void => writeStored(key, null),
  }
}
