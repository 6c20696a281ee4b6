import { DatabaseSync } from "node:sqlite"
import { openWords, packWords } from "../src/files/word-index.ts"
import { wordsOf } from "../src/files/words.ts"
import { searchWords } from "../src/knowledge/lexical.ts"
import { createVectorShelf } from "../src/knowledge/vector-shelf.ts"
import { exactDot, openCoarse, packCoarse, scanVectors, unit } from "../src/knowledge/vectors.ts"

export interface Figures {
  what: string
  figures: Record<string, string>
}

const dimensions = 384
const passagesPerFile = 100
const vocabulary = 30_000
const wordsPerPassage = 160
const rounds = 15
const mostExact = 100_000

/** The same numbers every time (mulberry32). */
const createRandom = (seed: number) => {
  let state = seed
  return (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const quantiles = (times: number[]): Record<string, string> => {
  const sorted = times.toSorted((a, z) => a - z)
  const at = (share: number): string =>
    `${(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(1)} ms`
  return { p50: at(0.5), p95: at(0.95) }
}

const timed = (work: (round: number) => void): number[] =>
  Array.from({ length: rounds }, (_, round) => {
    const start = performance.now()
    work(round)
    return performance.now() - start
  })

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(0)} MB`

const measureVectors = (passages: number): Figures[] => {
  const random = createRandom(1)
  const vector = (): Float32Array =>
    unit(Float32Array.from({ length: dimensions }, () => random() + random() + random() - 1.5))
  const exact: Float32Array[][] = []
  const shelf = createVectorShelf(4e9)
  const files = Array.from({ length: Math.ceil(passages / passagesPerFile) }, (_, index) => {
    const vectors = Array.from({ length: passagesPerFile }, vector)
    // Exact ones of a part only: recall is measured in it.
    if (index < mostExact / passagesPerFile) exact.push(vectors)
    shelf.put(String(index), openCoarse(packCoarse(vectors), vectors.length))
    return String(index)
  })
  const scan = (some: readonly string[], one: Float32Array) =>
    scanVectors(
      some.map((key) => shelf.get(key, one)),
      50,
    )
  const queries = Array.from({ length: rounds }, vector)
  const query = (round: number): Float32Array => queries[round % rounds] ?? vector()
  const few = files.slice(0, Math.ceil(files.length * 0.03))
  let found = 0
  for (const one of queries.slice(0, 5)) {
    const all = exact.flatMap((vectors, file) =>
      vectors.map((values, passage) => ({
        key: `${file}:${passage}`,
        score: exactDot(one, values),
      })),
    )
    const best = new Set(
      all
        .sort((a, z) => z.score - a.score)
        .slice(0, 10)
        .map(({ key }) => key),
    )
    const rescored = scan(files.slice(0, exact.length), one)
      .hits.map(({ file, passage }) => {
        const values = exact[file]?.[passage] ?? new Float32Array(dimensions)
        return { key: `${file}:${passage}`, score: exactDot(one, values) }
      })
      .sort((a, z) => z.score - a.score)
    found += rescored.slice(0, 10).filter(({ key }) => best.has(key)).length
  }
  const size = files.length * passagesPerFile * (dimensions + 4)
  return [
    {
      what: `vectors, ${passages} x ${dimensions}, all`,
      figures: {
        ...quantiles(timed((round) => void scan(files, query(round)))),
        "recall@10": (found / 50).toFixed(3),
        size: megabytes(size),
      },
    },
    {
      what: `vectors, ${passages} x ${dimensions}, 3 % of the files`,
      figures: quantiles(timed((round) => void scan(few, query(round)))),
    },
  ]
}

/** Words as often as in a language: the rank-th one by 1 / rank. */
const createWriter = (random: () => number) => {
  const word = (): string => {
    const rank = Math.floor(Math.exp(random() * Math.log(vocabulary)))
    return `w${(rank * 2_654_435_761).toString(36)}`
  }
  return (length: number): string => Array.from({ length }, word).join(" ")
}

const measureWords = (passages: number): Figures[] => {
  const write = createWriter(createRandom(2))
  const database = new DatabaseSync(":memory:")
  database.exec("create virtual table words using fts5(text, content='', tokenize='unicode61')")
  const insert = database.prepare("insert into words (rowid, text) values (?, ?)")
  let built = 0
  let bytes = 0
  const files = Array.from({ length: Math.ceil(passages / passagesPerFile) }, (_, index) => {
    const texts = Array.from({ length: passagesPerFile }, () => write(wordsPerPassage))
    for (const [at, text] of texts.entries()) insert.run(index * passagesPerFile + at + 1, text)
    const start = performance.now()
    const packed = packWords(texts)
    built += performance.now() - start
    bytes += packed.length
    return { id: String(index), words: openWords(packed), name: new Set<string>() }
  })
  const queries = Array.from({ length: rounds }, () => write(8))
  const match = database.prepare(
    "select rowid from words where words match ? order by rank limit 100",
  )
  const few = files.slice(0, Math.ceil(files.length * 0.03))
  const search = (some: typeof files) => (round: number) =>
    void searchWords(some, queries[round] ?? "", 100)
  const fts = (round: number) => {
    const words = wordsOf(queries[round] ?? "").map((word) => `"${word}"`)
    void match.all(words.join(" OR "))
  }
  return [
    {
      what: `words, ${passages}, all`,
      figures: {
        ...quantiles(timed(search(files))),
        size: megabytes(bytes),
        build: `${((built * 1000) / (files.length * passagesPerFile)).toFixed(0)} µs a passage`,
      },
    },
    { what: `words, ${passages}, 3 % of the files`, figures: quantiles(timed(search(few))) },
    {
      what: `FTS5, ${passages}, whole words only, all`,
      figures: quantiles(timed(fts)),
    },
  ]
}

/** Search alone, without HTTP: vectors and words at a size. */
export const measureSpeed = (passages: number): Figures[] => [
  ...measureVectors(passages),
  ...measureWords(passages),
]
