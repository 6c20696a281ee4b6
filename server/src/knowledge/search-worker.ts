import { parentPort, workerData } from "node:worker_threads"
import { searchWords } from "./bm25.ts"
import { createOwnReader } from "./passage-reader.ts"
import { openCoarse, scanVectors } from "./quantization.ts"
import type { Answered, Asked, Given } from "./search-protocol.ts"
import { createWordShelf, type NamedWords } from "./segment-cache.ts"
import { createVectorShelf } from "./vector-cache.ts"

type Search = Extract<Asked, { type: "search" }>

/** Room for a million vectors of 384 dimensions, and for the terms of frequently searched files. */
const roomBytes = { vectors: 512e6, words: 256e6 }

const shelves = {
  words: createWordShelf(roomBytes.words),
  vectors: createVectorShelf(roomBytes.vectors),
}
const reader = typeof workerData === "string" ? createOwnReader(workerData) : null

/** A search waiting for data, and the keys that were already requested. */
interface Fetching {
  search: Search
  asked: Set<string>
}

const waiting = new Map<number, Fetching>()

const tell = (event: Answered): void => parentPort?.postMessage(event)

const answer = ({ id, query, files, limit, vector, lexical }: Search): void => {
  const ids = files.map((file) => file.id)
  const found = lexical
    ? searchWords(shelves.words.parts(ids), query, limit)
    : { hits: [], total: 0 }
  const vectors = ids.map((file) =>
    vector ? shelves.vectors.get(`${vector.space} ${file}`, vector.values) : null,
  )
  const dense = scanVectors(vectors, limit)
  tell({ type: "found", id, lexical: found.hits, dense, total: found.total })
  shelves.words.shrink()
}

/** Files of the search that are not in the caches. */
const missing = ({ files, vector, lexical }: Search) => ({
  words: lexical ? files.filter(({ id }) => !shelves.words.has(id)) : [],
  vectors: vector ? files.filter(({ id }) => !shelves.vectors.has(`${vector.space} ${id}`)) : [],
})

const shelve = ({ files, vector }: Search, given: Given): void => {
  const nameById = new Map(files.map(({ id, filename }) => [id, filename]))
  const named = given.words.map(
    ({ id, data }): NamedWords => ({ id, filename: nameById.get(id) ?? "", data }),
  )
  shelves.words.put(named)
  for (const { id, count, data } of given.vectors) {
    shelves.vectors.put(`${vector?.space} ${id}`, openCoarse(data, count))
  }
}

const readMissing = (search: Search, own: NonNullable<typeof reader>): Given => {
  const { words, vectors } = missing(search)
  const { space = "" } = search.vector ?? {}
  return {
    words: words.flatMap(({ id }) => {
      const data = own.words(id)
      return data ? [{ id, data }] : []
    }),
    vectors: vectors.flatMap(({ id }) => {
      const found = own.vectors(space, id)
      return found ? [{ id, ...found }] : []
    }),
  }
}

/** Requests missing data. Data that was requested before and is still missing does not exist. */
const fetchOrAnswer = ({ search, asked }: Fetching): void => {
  const { words, vectors } = missing(search)
  const ask = (some: { id: string }[], kind: string): string[] =>
    some.map(({ id }) => id).filter((id) => !asked.has(`${kind} ${id}`))
  const wanted = { words: ask(words, "words"), vectors: ask(vectors, "vectors") }
  if (wanted.words.length + wanted.vectors.length === 0) {
    answer(search)
    return
  }
  for (const id of wanted.words) asked.add(`words ${id}`)
  for (const id of wanted.vectors) asked.add(`vectors ${id}`)
  waiting.set(search.id, { search, asked })
  tell({ type: "missing", id: search.id, ...wanted, space: search.vector?.space ?? null })
}

const begin = (search: Search): void => {
  if (reader) {
    shelve(search, readMissing(search, reader))
    answer(search)
  } else {
    fetchOrAnswer({ search, asked: new Set() })
  }
}

const take = (id: number, given: Given): void => {
  const fetching = waiting.get(id)
  waiting.delete(id)
  if (!fetching) return
  shelve(fetching.search, given)
  // A file that was cached when the search started may have been dropped since.
  fetchOrAnswer(fetching)
}

const forget = (file: string): void => {
  shelves.words.drop(file)
  for (const key of shelves.vectors.keys()) {
    if (key.endsWith(` ${file}`)) shelves.vectors.drop(key)
  }
}

parentPort?.on("message", (asked: Asked) => {
  try {
    if (asked.type === "search") begin(asked)
    else if (asked.type === "given") take(asked.id, asked.given)
    else forget(asked.file)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    if (asked.type !== "forget") tell({ type: "broke", id: asked.id, message })
  }
})
