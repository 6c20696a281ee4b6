import { parentPort } from "node:worker_threads"
import { openWords, type WordIndex } from "../files/word-index.ts"
import { termsOf } from "../files/words.ts"
import { searchWords } from "./lexical.ts"
import type { Answered, Asked, Given } from "./scan.ts"
import { createVectorShelf } from "./vector-shelf.ts"
import { openCoarse, scanVectors } from "./vectors.ts"

type Search = Extract<Asked, { type: "search" }>

/** A million vectors of 384 components, and the words of as much text as is asked about often. */
const roomBytes = { vectors: 512e6, words: 256e6 }

/** What is known of files, the least lately used first. */
const createShelf = <T>() => {
  const entries = new Map<string, { value: T; bytes: number }>()
  let bytes = 0
  return {
    get: (key: string): T | undefined => {
      const entry = entries.get(key)
      if (!entry) return undefined
      entries.delete(key)
      entries.set(key, entry)
      return entry.value
    },
    has: (key: string): boolean => entries.has(key),
    put: (key: string, value: T, size: number): void => {
      entries.set(key, { value, bytes: size })
      bytes += size
    },
    drop: (key: string): void => {
      bytes -= entries.get(key)?.bytes ?? 0
      entries.delete(key)
    },
    /** Lets go of the oldest until it fits. */
    shrink: (room: number): void => {
      for (const [key, entry] of entries) {
        if (bytes <= room) return
        entries.delete(key)
        bytes -= entry.bytes
      }
    },
    keys: () => entries.keys(),
  }
}

const nothing: WordIndex = openWords(
  new Uint8Array(new Uint32Array([1, 0, 0, 0, 0, 0, 0, 0]).buffer),
)
const shelves = { words: createShelf<WordIndex>(), vectors: createVectorShelf(roomBytes.vectors) }
const names = new Map<string, ReadonlySet<string>>()
const waiting = new Map<number, Search>()

const tell = (answer: Answered): void => parentPort?.postMessage(answer)

const termsOfName = (filename: string): ReadonlySet<string> => {
  const known = names.get(filename)
  if (known) return known
  const stem = filename.replace(/\.[^.]*$/, "").replace(/[_.-]+/g, " ")
  const { counts } = termsOf(stem)
  if (names.size > 50_000) names.clear()
  const terms = new Set(counts.keys())
  names.set(filename, terms)
  return terms
}

const answer = ({ id, query, files, limit, vector, lexical }: Search): void => {
  const searched = files.map((file) => ({
    id: file.id,
    words: shelves.words.get(file.id) ?? nothing,
    name: termsOfName(file.filename),
  }))
  const found = lexical ? searchWords(searched, query, limit) : []
  const vectors = files.map(({ id: file }) =>
    vector ? shelves.vectors.get(`${vector.space} ${file}`, vector.values) : null,
  )
  const { hits, spread } = scanVectors(vectors, limit)
  tell({ type: "found", id, lexical: found, dense: hits, spread })
  shelves.words.shrink(roomBytes.words)
}

const begin = (search: Search): void => {
  const { id, files, vector, lexical } = search
  const words = lexical ? files.filter((file) => !shelves.words.has(file.id)) : []
  const vectors = vector
    ? files.filter((file) => !shelves.vectors.has(`${vector.space} ${file.id}`))
    : []
  if (words.length + vectors.length === 0) {
    answer(search)
    return
  }
  waiting.set(id, search)
  const ids = (some: { id: string }[]): string[] => some.map((file) => file.id)
  tell({
    type: "missing",
    id,
    words: ids(words),
    vectors: ids(vectors),
    space: vector?.space ?? null,
  })
}

const take = (id: number, { words, vectors }: Given): void => {
  const search = waiting.get(id)
  waiting.delete(id)
  if (!search) return
  for (const { id: file, data } of words) {
    shelves.words.put(file, openWords(data), data.byteLength)
  }
  for (const { id: file, count, data } of vectors) {
    const key = `${search.vector?.space} ${file}`
    shelves.vectors.put(key, openCoarse(data, count))
  }
  answer(search)
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
