import { setTimeout as pause } from "node:timers/promises"
import type { BackgroundTasks } from "../../background/background-tasks.ts"
import type { SearchClient } from "./search-client.ts"

const defaultDelayMs = 5000
const filesAtOnce = 50
/** Warms no more than this; other files are read when they are first searched. */
const maxPassages = 100_000
/** Pause after each batch as a multiple of its duration, so that requests come first. */
const pauseFactor = 3

export interface WarmableFile {
  id: string
  filename: string
  passages: number
}

export interface CacheWarmingOptions {
  /** Delay after the start, so that warming does not compete with it. */
  cacheWarmingDelayMs?: number
}

interface Deps extends CacheWarmingOptions {
  background: BackgroundTasks
  searchClient: Pick<SearchClient, "search">
  /** Searchable files, newest first, with `max` passages in total. */
  files: (max: number) => Promise<WarmableFile[]>
  /** The embedding index whose vectors are scanned; null if none is. */
  indexId: () => string | null
}

/**
 * Loads the terms and vectors of the newest files into memory in small batches, so that the first
 * question does not have to wait for them. Starts no worker if there is nothing to load.
 * @returns whether all were loaded, when it has ended
 */
export const startCacheWarming = (deps: Deps): Promise<boolean> => {
  const { background, searchClient, files, indexId } = deps
  const { cacheWarmingDelayMs = defaultDelayMs } = deps
  const { signal } = background

  /** An empty query loads the files into the caches. */
  const read = async (some: readonly WarmableFile[]): Promise<void> => {
    const current = indexId()
    await searchClient.search({
      query: "",
      files: some.map(({ id, filename }) => ({ id, filename })),
      limit: 1,
      vector: current === null ? null : { indexId: current, values: new Float32Array() },
      lexical: true,
    })
  }

  const warm = async (): Promise<void> => {
    await pause(cacheWarmingDelayMs, undefined, { signal, ref: false })
    const all = await files(maxPassages)
    for (let at = 0; at < all.length && !signal.aborted; at += filesAtOnce) {
      const start = performance.now()
      await read(all.slice(at, at + filesAtOnce))
      await pause((performance.now() - start) * pauseFactor, undefined, { signal, ref: false })
    }
  }

  // Files that fail here are read by the search that needs them.
  return background.runInBackground("warm the search caches", warm)
}
