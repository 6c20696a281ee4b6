import { Worker } from "node:worker_threads"
import type { Bus } from "../bus/bus.ts"
import type { PassageStore } from "../files/passage-store.ts"
import type { Answered, Asked, Given } from "./search-protocol.ts"

type Search = Extract<Asked, { type: "search" }>
export type Found = Extract<Answered, { type: "found" }>

const answerMs = 20_000

interface Deps {
  bus: Bus
  passages: PassageStore
  /** Path of the SQLite database, which the worker reads itself; null if it has to request data. */
  file: string | null
  /** Vectors of files in an embedding index, as packed by `packCoarse`. */
  vectorsOf: (space: string, fileIds: readonly string[]) => Promise<Given["vectors"]>
}

interface Waiting {
  resolve: (found: Found) => void
  reject: (error: Error) => void
  timer: NodeJS.Timeout
}

/** Searches in a worker thread, so that other requests are not blocked. */
export const createSearcher = ({ bus, passages, file, vectorsOf }: Deps) => {
  let worker: Worker | undefined
  let last = 0
  const waiting = new Map<number, Waiting>()
  /** For each load in progress, the files that have changed in the meantime. */
  const changed = new Set<Set<string>>()

  const settle = (id: number): Waiting | undefined => {
    const waits = waiting.get(id)
    waiting.delete(id)
    clearTimeout(waits?.timer)
    return waits
  }

  const fetchMissing = async (
    { id, words, vectors, space }: Extract<Answered, { type: "missing" }>,
    post: (asked: Asked) => void,
  ): Promise<void> => {
    const stale = new Set<string>()
    changed.add(stale)
    try {
      const rows = await passages.indexSegments(words)
      const given: Given = {
        words: rows.map(({ file_id, data }) => ({ id: file_id, data })),
        vectors: space === null ? [] : await vectorsOf(space, vectors),
      }
      post({ type: "given", id, given })
      for (const file of stale) post({ type: "forget", file })
    } catch (error) {
      settle(id)?.reject(error instanceof Error ? error : new Error(String(error)))
    } finally {
      changed.delete(stale)
    }
  }

  const start = (): Worker => {
    const started = new Worker(new URL("./search-worker.ts", import.meta.url), {
      workerData: file,
    })
    started.unref()
    started.on("message", (answer: Answered) => {
      if (answer.type === "missing") {
        void fetchMissing(answer, (asked) => started.postMessage(asked))
      } else if (answer.type === "broke") settle(answer.id)?.reject(new Error(answer.message))
      else settle(answer.id)?.resolve(answer)
    })
    const lost = (error: Error): void => {
      if (worker === started) worker = undefined
      for (const id of [...waiting.keys()]) settle(id)?.reject(error)
    }
    started.on("error", lost)
    started.on("exit", () => lost(new Error("The search worker exited.")))
    return started
  }

  const stopListening = bus.subscribe((message) => {
    if (message.topic !== "files") return
    for (const stale of changed) stale.add(message.id)
    const forget: Asked = { type: "forget", file: message.id }
    worker?.postMessage(forget)
  })

  return {
    /** @throws if the search fails or takes longer than 20 s */
    search: (asked: Omit<Search, "type" | "id">): Promise<Found> =>
      new Promise((resolve, reject) => {
        const id = ++last
        const late = (): void =>
          settle(id)?.reject(new Error(`The search timed out after ${answerMs / 1000} seconds.`))
        waiting.set(id, { resolve, reject, timer: setTimeout(late, answerMs) })
        worker ??= start()
        const search: Asked = { type: "search", id, ...asked }
        worker.postMessage(search)
      }),

    close: async (): Promise<void> => {
      stopListening()
      await worker?.terminate()
    },
  }
}

export type Searcher = ReturnType<typeof createSearcher>

interface Index {
  search(asked: {
    space: string
    values: Float32Array
    fileIds: readonly string[]
    limit: number
  }): Promise<Found["dense"] | null>
}

/**
 * Lexical search in the worker, dense search by the index; falls back to the worker if the index
 * cannot answer.
 */
export const searchBeside = (searcher: Searcher, index: Index): Searcher => ({
  ...searcher,
  search: async (asked) => {
    const { vector, files, limit } = asked
    const dense =
      vector && (await index.search({ ...vector, fileIds: files.map(({ id }) => id), limit }))
    if (!dense) return searcher.search(asked)
    if (!asked.lexical) return { type: "found", id: 0, lexical: [], dense, total: 0 }
    return { ...(await searcher.search({ ...asked, vector: null })), dense }
  },
})
