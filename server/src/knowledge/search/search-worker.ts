import { parentPort, workerData } from "node:worker_threads"
import {
  createSegmentCache,
  createVectorCache,
  type FileTerms,
  openQuantizedVectors,
  scanVectors,
  searchLexical,
} from "@portico/search"
import { createSearchDataReader } from "./search-data-reader.ts"
import type { SearchCommand, SearchData, SearchEvent } from "./search-protocol.ts"

type SearchRequest = Extract<SearchCommand, { type: "search" }>

/** Room for a million vectors of 384 dimensions, and for the terms of frequently searched files. */
const cacheBytes = { vectors: 512e6, words: 256e6 }

const createCaches = () => ({
  words: createSegmentCache(cacheBytes.words),
  vectors: createVectorCache(cacheBytes.vectors),
})
let caches = createCaches()
const reader = typeof workerData === "string" ? createSearchDataReader(workerData) : null

/** A search waiting for data, and the keys that were already requested. */
interface PendingSearch {
  search: SearchRequest
  requestedKeys: Set<string>
}

const pendingById = new Map<number, PendingSearch>()

const post = (event: SearchEvent): void => parentPort?.postMessage(event)

const runSearch = ({ id, query, files, limit, vector, lexical }: SearchRequest): void => {
  const ids = files.map((file) => file.id)
  const found = lexical
    ? searchLexical(caches.words.scopesOf(ids), query, limit)
    : { hits: [], total: 0 }
  const vectors = ids.map((file) =>
    vector ? caches.vectors.get(`${vector.indexId} ${file}`, vector.values) : null,
  )
  const dense = scanVectors(vectors, limit)
  post({ type: "found", id, lexical: found.hits, dense, total: found.total })
  caches.words.shrink()
}

/** Files of the search that are not in the caches. */
const findMissing = ({ files, vector, lexical }: SearchRequest) => ({
  words: lexical ? files.filter(({ id }) => !caches.words.has(id)) : [],
  vectors: vector ? files.filter(({ id }) => !caches.vectors.has(`${vector.indexId} ${id}`)) : [],
})

const cacheData = ({ files, vector }: SearchRequest, given: SearchData): void => {
  const nameById = new Map(files.map(({ id, filename }) => [id, filename]))
  const named = given.words.map(
    ({ id, data }): FileTerms => ({ id, filename: nameById.get(id) ?? "", data }),
  )
  caches.words.put(named)
  for (const { id, count, data } of given.vectors) {
    caches.vectors.put(`${vector?.indexId} ${id}`, openQuantizedVectors(data, count))
  }
}

const readMissing = (
  search: SearchRequest,
  passageReader: NonNullable<typeof reader>,
): SearchData => {
  const { words, vectors } = findMissing(search)
  const { indexId = "" } = search.vector ?? {}
  return {
    words: words.flatMap(({ id }) => {
      const data = passageReader.words(id)
      return data ? [{ id, data }] : []
    }),
    vectors: vectors.flatMap(({ id }) => {
      const found = passageReader.vectors(indexId, id)
      return found ? [{ id, ...found }] : []
    }),
  }
}

/** Requests missing data. Data that was requested before and is still missing does not exist. */
const fetchOrAnswer = ({ search, requestedKeys }: PendingSearch): void => {
  const { words, vectors } = findMissing(search)
  const notRequested = (some: { id: string }[], kind: string): string[] =>
    some.map(({ id }) => id).filter((id) => !requestedKeys.has(`${kind} ${id}`))
  const requested = {
    words: notRequested(words, "words"),
    vectors: notRequested(vectors, "vectors"),
  }
  if (requested.words.length + requested.vectors.length === 0) {
    runSearch(search)
    return
  }
  for (const id of requested.words) requestedKeys.add(`words ${id}`)
  for (const id of requested.vectors) requestedKeys.add(`vectors ${id}`)
  pendingById.set(search.id, { search, requestedKeys })
  post({ type: "missing", id: search.id, ...requested, indexId: search.vector?.indexId ?? null })
}

const startSearch = (search: SearchRequest): void => {
  if (reader) {
    cacheData(search, readMissing(search, reader))
    runSearch(search)
  } else {
    fetchOrAnswer({ search, requestedKeys: new Set() })
  }
}

const receiveData = (id: number, given: SearchData): void => {
  const fetching = pendingById.get(id)
  pendingById.delete(id)
  if (!fetching) return
  cacheData(fetching.search, given)
  // A file that was cached when the search started may have been dropped since.
  fetchOrAnswer(fetching)
}

const forget = (file: string | null): void => {
  if (file === null) {
    caches = createCaches()
    return
  }
  caches.words.drop(file)
  for (const key of caches.vectors.keys()) {
    if (key.endsWith(` ${file}`)) caches.vectors.drop(key)
  }
}

parentPort?.on("message", (command: SearchCommand) => {
  try {
    if (command.type === "search") startSearch(command)
    else if (command.type === "given") receiveData(command.id, command.given)
    else forget(command.file)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    if (command.type !== "forget") post({ type: "broke", id: command.id, message })
  }
})
