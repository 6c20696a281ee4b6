import type { AuditEvent } from "../../../../server/src/audit/schema.ts"
import type { AuditLine } from "./audit-sentence.tsx"

/** Maximum time between an upload and adding its file to a collection. */
const maxGapSeconds = 300

/** The only file that the event added to a collection, or undefined. */
const addedFile = ({ action, after }: AuditEvent): string | undefined => {
  const files: unknown = action === "collection.files_added" ? after?.files : undefined
  if (!Array.isArray(files) || files.length !== 1) return undefined
  return typeof files[0] === "string" ? files[0] : undefined
}

/**
 * Groups events into lines: uploading a file to a collection causes two events, of the file and of
 * the collection, and is one line.
 */
export const groupAuditEvents = (events: readonly AuditEvent[]): AuditLine[] => {
  const uploads = new Map(
    events.flatMap((event) =>
      event.action === "file.uploaded" && event.target_id !== null
        ? [[event.target_id, event] as const]
        : [],
    ),
  )
  const grouped = new Set<string>()
  const lines = events.map((event): AuditLine => {
    const upload = uploads.get(addedFile(event) ?? "")
    const belongs =
      upload !== undefined &&
      upload.actor_id === event.actor_id &&
      event.at - upload.at <= maxGapSeconds
    if (!belongs) return { event }
    grouped.add(upload.id)
    return { event, upload }
  })
  return lines.filter(({ event }) => !grouped.has(event.id))
}
