import { Worker } from "node:worker_threads"
import type { Bus } from "../../bus/bus.ts"
import { toError } from "../../errors.ts"
import type { PassageStore } from "../../files/passage-store.ts"
import type { Pgvector } from "../vectors/pgvector.ts"
import type { SearchCommand, SearchData, SearchEvent } from "./search-protocol.ts"

type SearchRequest = Extract<SearchCommand, { type: "search" }>
export type SearchResult = Extract<SearchEvent, { type: "found" }>

const timeoutMs = 20_000

interface Deps {
  bus: Bus
  passages: PassageStore
  /** Path of the SQLite database, which the worker reads itself; null if it has to request data. */
  file: string | null
  /** Vectors of files in an embedding index, as packed by `packQuantizedVectors`. */
  vectorsOf: (indexId: string, fileIds: readonly string[]) => Promise<SearchData["vectors"]>
}

interface PendingSearch {
  resolve: (found: SearchResult) => void
  reject: (error: Error) => void
  timer: NodeJS.Timeout
}

/** Searches in a worker thread, so that other requests are not blocked. */
export const createSearchClient = ({ bus, passages, file, vectorsOf }: Deps) => {
  let worker: Worker | undefined
  let last = 0
  const pendingById = new Map<number, PendingSearch>()
  /** For each load in progress, the files that have changed in the meantime; null for all. */
  const changed = new Set<Set<string | null>>()

  const settle = (id: number): PendingSearch | undefined => {
    const pending = pendingById.get(id)
    pendingById.delete(id)
    clearTimeout(pending?.timer)
    return pending
  }

  const fetchMissing = async (
    { id, words, vectors, indexId }: Extract<SearchEvent, { type: "missing" }>,
    post: (command: SearchCommand) => void,
  ): Promise<void> => {
    const stale = new Set<string | null>()
    changed.add(stale)
    try {
      const rows = await passages.indexSegments(words)
      const passageData: SearchData = {
        words: rows.map(({ file_id, data }) => ({ id: file_id, data })),
        vectors: indexId === null ? [] : await vectorsOf(indexId, vectors),
      }
      post({ type: "given", id, given: passageData })
      for (const file of stale) post({ type: "forget", file })
    } catch (error) {
      settle(id)?.reject(toError(error))
    } finally {
      changed.delete(stale)
    }
  }

  const start = (): Worker => {
    const newWorker = new Worker(new URL("./search-worker.ts", import.meta.url), {
      workerData: file,
    })
    newWorker.unref()
    newWorker.on("message", (answer: SearchEvent) => {
      if (answer.type === "missing") {
        void fetchMissing(answer, (requested) => newWorker.postMessage(requested))
      } else if (answer.type === "broke") settle(answer.id)?.reject(new Error(answer.message))
      else settle(answer.id)?.resolve(answer)
    })
    const failPending = (error: Error): void => {
      if (worker === newWorker) worker = undefined
      for (const id of [...pendingById.keys()]) settle(id)?.reject(error)
    }
    newWorker.on("error", failPending)
    newWorker.on("exit", () => failPending(new Error("The search worker exited.")))
    return newWorker
  }

  bus.subscribe("forget changed passages", (message) => {
    if (message.topic !== "files" && message.topic !== "reset") return
    const file = message.topic === "files" ? message.id : null
    for (const stale of changed) stale.add(file)
    worker?.postMessage({ type: "forget", file } satisfies SearchCommand)
  })

  return {
    /** @throws if the search fails or takes longer than 20 s */
    search: (requested: Omit<SearchRequest, "type" | "id">): Promise<SearchResult> =>
      new Promise((resolve, reject) => {
        const id = ++last
        const timeOut = (): void =>
          settle(id)?.reject(new Error(`The search timed out after ${timeoutMs / 1000} seconds.`))
        pendingById.set(id, { resolve, reject, timer: setTimeout(timeOut, timeoutMs) })
        worker ??= start()
        worker.postMessage({ type: "search", id, ...requested } satisfies SearchCommand)
      }),

    close: async (): Promise<void> => {
      await worker?.terminate()
    },
  }
}

export type SearchClient = ReturnType<typeof createSearchClient>

/**
 * Lexical search in the worker, dense search by the index; falls back to the worker if the index
 * cannot answer.
 */
export const combineWithIndex = (searchClient: SearchClient, index: Pgvector): SearchClient => ({
  ...searchClient,
  search: async (requested) => {
    const { vector, files, limit } = requested
    const dense =
      vector && (await index.search({ ...vector, fileIds: files.map(({ id }) => id), limit }))
    if (!dense) return searchClient.search(requested)
    if (!requested.lexical) return { type: "found", id: 0, lexical: [], dense, total: 0 }
    return { ...(await searchClient.search({ ...requested, vector: null })), dense }
  },
})
