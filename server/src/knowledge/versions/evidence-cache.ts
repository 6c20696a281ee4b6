import type { EventLoopShare } from "../../concurrency/fair-event-loop.ts"
import type { FileSummary } from "../../files/file-store.ts"
import type { PassageStore } from "../../files/passage-store.ts"
import { readTextEvidence, type TextEvidence } from "./text-evidence.ts"
import { giveTurn } from "./version-candidates.ts"

/** About 30 kB each. */
const maxEntries = 500
/** Passages at the start of a file that are compared. */
const comparedPassages = 3

const keyOf = ({ id, text_revision }: FileSummary): string => `${id} ${text_revision}`

/** Reads what is compared of files' texts, and keeps that of the files that were used last. */
export const createEvidenceCache = (passages: Pick<PassageStore, "beginnings">) => {
  const cache = new Map<string, TextEvidence>()

  const keep = (key: string, evidence: TextEvidence): void => {
    cache.delete(key)
    cache.set(key, evidence)
    const [oldest] = cache.keys()
    if (cache.size > maxEntries && oldest !== undefined) cache.delete(oldest)
  }

  const readUncached = async (files: readonly FileSummary[], share: EventLoopShare) => {
    const evidences = new Map<string, TextEvidence>()
    if (files.length === 0) return evidences
    const beginnings = await passages.beginnings(
      files.map(({ id }) => id),
      comparedPassages,
    )
    for (const [id, text] of beginnings) {
      await giveTurn(share)
      evidences.set(id, readTextEvidence(text))
    }
    return evidences
  }

  return {
    /** By file id; without files that have no text. */
    read: async (
      files: readonly FileSummary[],
      share: EventLoopShare,
    ): Promise<Map<string, TextEvidence>> => {
      const cached = new Map(files.map((file) => [file.id, cache.get(keyOf(file))]))
      const unknown = files.filter(({ id }) => !cached.get(id))
      const evidences = await readUncached(unknown, share)
      for (const file of files) {
        const evidence = cached.get(file.id) ?? evidences.get(file.id)
        if (!evidence) continue
        keep(keyOf(file), evidence)
        evidences.set(file.id, evidence)
      }
      return evidences
    },
  }
}
