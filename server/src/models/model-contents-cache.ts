import type { ModelSummary, WorkspaceModel } from "./schema.ts"
import { type ModelStore, toWorkspaceModel } from "./store.ts"

/** Strings use two bytes per character of JSON; the parsed objects take about as much. */
const bytesPerCharacter = 2

interface CacheEntry {
  summary: ModelSummary
  model: WorkspaceModel
  bytes: number
}

/**
 * Caches complete models. An entry is valid only for the summary object it was read for: every
 * change of a model, on any node, creates a new summary.
 */
export const createModelContentsCache = (store: Pick<ModelStore, "contents">, maxBytes: number) => {
  /** Least recently used first. */
  const entryById = new Map<string, CacheEntry>()
  const loading = new Map<ModelSummary, Promise<WorkspaceModel | null>>()
  let bytes = 0

  const evict = (entry: CacheEntry | undefined): void => {
    if (!entry) return
    entryById.delete(entry.summary.id)
    bytes -= entry.bytes
  }

  const add = (entry: CacheEntry): void => {
    evict(entryById.get(entry.summary.id))
    entryById.set(entry.summary.id, entry)
    bytes += entry.bytes
    for (const oldest of entryById.values()) {
      if (bytes <= maxBytes) return
      evict(oldest)
    }
  }

  const read = async (summary: ModelSummary): Promise<WorkspaceModel | null> => {
    const contents = await store.contents(summary.id)
    if (!contents) return null
    const model = toWorkspaceModel(summary, contents)
    add({ summary, model, bytes: contents.length * bytesPerCharacter })
    return model
  }

  return {
    get: (summary: ModelSummary): WorkspaceModel | undefined => {
      const entry = entryById.get(summary.id)
      if (entry?.summary !== summary) return undefined
      entryById.delete(summary.id)
      entryById.set(summary.id, entry)
      return entry.model
    },

    /** Reads a model; concurrent calls share one read. @returns null if it has been deleted */
    load: (summary: ModelSummary): Promise<WorkspaceModel | null> => {
      const known = loading.get(summary)
      if (known !== undefined) return known
      const started = read(summary).finally(() => loading.delete(summary))
      loading.set(summary, started)
      return started
    },
  }
}
