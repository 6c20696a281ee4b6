import { useQueries } from "@tanstack/react-query"
import { t, translateServerText } from "../../i18n/translate.ts"
import { ApiError } from "../../lib/api.ts"
import type { Message } from "../../lib/chat-api.ts"
import { useDraftPart } from "../../lib/drafts.ts"
import { type FileRecord, fileQuery } from "../../lib/knowledge-api.ts"
import { useCurrentUser } from "../../lib/session.ts"
import { useUploads } from "../../lib/uploads.ts"
import { summarizeWarnings } from "../knowledge/file-warnings.tsx"

/** A file or collection attached to a message. */
export type Attachment = Message["files"][number]

export interface DraftAttachment extends Attachment {
  /** `gone` if the file was deleted or is no longer accessible. */
  state: "reading" | "ready" | "failed" | "gone"
  /** Error message. */
  error: string | null
  /** What was not read of a file. */
  warning: string | null
}

const isAttachment = (one: unknown): one is Attachment =>
  typeof one === "object" && one !== null && "id" in one && "type" in one && "name" in one

const parse = (stored: string | null): Attachment[] | null => {
  try {
    const all: unknown = JSON.parse(stored ?? "null")
    return Array.isArray(all) ? all.filter(isAttachment) : null
  } catch {
    return null
  }
}

const stateOf = (
  file: FileRecord | undefined,
  error: unknown,
): Omit<DraftAttachment, keyof Attachment> => {
  if (error instanceof ApiError && error.status === 404) {
    return { state: "gone", error: t("attach.gone"), warning: null }
  }
  if (!file) return { state: "reading", error: null, warning: null }
  const { status, error: why, error_reference, progress } = file.data
  const warning = summarizeWarnings(file.data.warnings)
  if (status === "failed")
    return { state: "failed", error: why && translateServerText(why, error_reference), warning }
  if (status === "stored") return { state: "failed", error: t("attach.stored"), warning }
  const readable = status === "completed" || progress.passages !== null
  return { state: readable ? "ready" : "reading", error: null, warning }
}

/** The state of each attached file; server events refetch the queries. */
export const useAttachmentStates = (attached: readonly Attachment[]): DraftAttachment[] => {
  const files = attached.filter(({ type }) => type === "file")
  const queries = useQueries({ queries: files.map(({ id }) => fileQuery(id)) })
  return attached.map((one) => {
    const query = queries[files.indexOf(one)]
    if (!query) return { ...one, state: "ready", error: null, warning: null }
    return { ...one, ...stateOf(query.data, query.error) }
  })
}

/** The attachments of a draft, stored with it; initially those of the previous message. */
export const useAttachments = (draft: string | null, previous: readonly Attachment[]) => {
  const { value, read, write } = useDraftPart(draft, "files")
  const attached = parse(value) ?? previous
  const set = (next: readonly Attachment[]): void => write(JSON.stringify(next))

  const attach = (one: Attachment): void => {
    // An upload may end after a later change, so read the latest list rather than the rendered one.
    const now = parse(read()) ?? previous
    if (!now.some(({ id, type }) => id === one.id && type === one.type)) set([...now, one])
  }
  const { id: userId } = useCurrentUser()
  const uploads = useUploads(`${userId} ${draft ?? "temporary"}`, (file) =>
    attach({ type: "file", id: file.id, name: file.filename }),
  )
  return {
    attached: useAttachmentStates(attached),
    /** Whether they are those of the previous message, which the user has not changed. */
    isCarriedOver: attached === previous && previous.length > 0,
    uploads,
    attach,
    remove: ({ id, type }: Attachment): void =>
      set(attached.filter((one) => one.id !== id || one.type !== type)),
    /** Called after sending: the next message starts with this one's attachments. */
    reset: (): void => write(null),
  }
}
