import { setTimeout as pause } from "node:timers/promises"
import type { Searcher } from "./search-client.ts"

/** When nothing of the start is still under way. */
const settledMs = 5000
const filesAtOnce = 50
/** As many as one may well ask about; the rest is read when it is asked about. */
const maxPassages = 100_000
/** For each moment of work so many of rest: chats and searches come first. */
const rests = 3

export interface Warmable {
  id: string
  filename: string
  passages: number
}

interface Deps {
  searcher: Pick<Searcher, "search">
  /** Files that can be searched, the newest first; `most` passages of them together. */
  files: (max: number) => Promise<Warmable[]>
  /** In which vectors are scanned; null where none are. */
  space: () => string | null
  after?: number
}

/**
 * Has the search read what the first question would wait for: words and vectors of the newest
 * files, little by little. Where there is nothing to read, nothing is started.
 */
export const startWarming = ({ searcher, files, space, after = settledMs }: Deps) => {
  const stop = new AbortController()
  const { signal } = stop

  /** A search for nothing leaves in memory what it looked at. */
  const read = async (some: readonly Warmable[]): Promise<void> => {
    const current = space()
    await searcher.search({
      query: "",
      files: some.map(({ id, filename }) => ({ id, filename })),
      limit: 1,
      vector: current === null ? null : { space: current, values: new Float32Array() },
      lexical: true,
    })
  }

  const warm = async (): Promise<void> => {
    await pause(after, undefined, { signal, ref: false })
    const all = await files(maxPassages)
    for (let at = 0; at < all.length && !signal.aborted; at += filesAtOnce) {
      const start = performance.now()
      await read(all.slice(at, at + filesAtOnce))
      await pause((performance.now() - start) * rests, undefined, { signal, ref: false })
    }
  }

  // What fails here is read by the search that needs it.
  const running = warm().catch(() => {})
  return {
    /** Resolves when all is read, or it was ended. */
    done: (): Promise<void> => running,
    close: async (): Promise<void> => {
      stop.abort()
      await running
    },
  }
}
