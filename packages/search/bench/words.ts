import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { searchLexical } from "../src/bm25.ts"
import { packIndexSegment } from "../src/index-segment.ts"
import { createSegmentCache } from "../src/segment-cache.ts"
import { splitWords } from "../src/tokenizer.ts"
import { atMost, megabytes, quantile, quantiles, type Row, timed } from "./figures.ts"
import { createRandom } from "./random.ts"

const passagesPerFile = 100
const vocabularySize = 30_000
const wordsPerPassage = 160
const wordsPerQuery = 8
/** Each of the most frequent words occurs in more than half of the passages. */
const frequentWords = 20
const rounds = 100
const share = 0.03

/** Letters that follow each pair of letters in this project's documentation. */
const readLetters = (): Map<string, string> => {
  const folder = join(import.meta.dirname, "../../../docs")
  const followers = new Map<string, string>()
  for (const name of readdirSync(folder).filter((file) => file.endsWith(".md"))) {
    for (const word of readFileSync(join(folder, name), "utf8")
      .toLowerCase()
      .match(/[a-z]+/g) ?? []) {
      const edged = `  ${word} `
      for (let at = 2; at < edged.length; at++) {
        const before = edged.slice(at - 2, at)
        followers.set(before, (followers.get(before) ?? "") + edged[at])
      }
    }
  }
  return followers
}

/** Generates text of English-like words with a Zipf distribution (frequency 1 / rank). */
export const createWriter = (random: () => number) => {
  const followers = readLetters()
  const invent = (): string => {
    let word = "  "
    while (word.length < 16) {
      const next = followers.get(word.slice(-2)) ?? " "
      const letter = next[Math.floor(random() * next.length)] ?? " "
      if (letter === " ") break
      word += letter
    }
    return word.trim()
  }
  const words = new Set<string>()
  while (words.size < vocabularySize) {
    const word = invent()
    if (word.length > 1) words.add(word)
  }
  const vocabulary = [...words]
  /** @param vocabularyLimit uses only this many of the most frequent words */
  return (length: number, vocabularyLimit = vocabularySize): string => {
    const word = (): string =>
      vocabulary[Math.floor(Math.exp(random() * Math.log(vocabularyLimit))) - 1] ?? ""
    return Array.from({ length }, word).join(" ")
  }
}

const openPeer = () => {
  const database = new DatabaseSync(":memory:")
  database.exec("create virtual table words using fts5(text, content='', tokenize='unicode61')")
  const insert = database.prepare("insert into words (rowid, text) values (?, ?)")
  const match = database.prepare(
    "select rowid from words where words match ? order by rank limit 100",
  )
  return {
    add: (row: number, text: string): void => void insert.run(row, text),
    search: (query: string): void => {
      const words = splitWords(query).map((word) => `"${word}"`)
      void match.all(words.join(" OR "))
    },
  }
}

/** Measures lexical search as the search thread runs it, and FTS5 for comparison. */
export const measureWords = (
  passages: number,
  files = Math.ceil(passages / passagesPerFile),
): Row[] => {
  const write = createWriter(createRandom(2))
  const each = Math.ceil(passages / files)
  const peer = openPeer()
  let built = 0
  let stored = 0
  const given = Array.from({ length: files }, (_, index) => {
    const texts = Array.from({ length: each }, () => write(wordsPerPassage))
    for (const [at, text] of texts.entries()) peer.add(index * each + at + 1, text)
    const start = performance.now()
    const data = packIndexSegment(texts)
    built += performance.now() - start
    stored += data.length
    return { id: String(index), filename: `${write(2)}.txt`, data }
  })
  const cache = createSegmentCache(Number.POSITIVE_INFINITY)
  const start = performance.now()
  cache.put(given)
  const opened = performance.now() - start
  const ids = given.map(({ id }) => id)
  const few = ids.slice(0, Math.ceil(files * share))
  const queries = Array.from({ length: rounds }, () => write(wordsPerQuery))
  const frequent = Array.from({ length: rounds }, () => write(wordsPerQuery, frequentWords))
  const query = (round: number): string => queries[round] ?? ""
  const search = (some: readonly string[], requested = queries) =>
    timed(rounds, (round) => void searchLexical(cache.scopesOf(some), requested[round] ?? "", 100))
  const [all, some, worst] = [search(ids), search(few), search(ids, frequent)]
  const what = `words, ${passages} in ${files} files`
  // Proportional to the share of files, with a factor of two and a fixed cost per search.
  const proportion = quantile(all, 0.5) * share * 2 + 0.25
  return [
    {
      what: `${what}, all`,
      figures: {
        ...quantiles(all),
        stored: megabytes(stored),
        "in memory": megabytes(cache.bytes()),
        "first use": `${opened.toFixed(0)} ms`,
        build: `${((built * 1000) / passages).toFixed(0)} µs per passage`,
      },
      marks: [
        atMost("p50", quantile(all, 0.5), 5, "ms"),
        atMost("p95", quantile(all, 0.95), 10, "ms"),
      ],
    },
    {
      what: `${what}, 3 % of the files`,
      figures: quantiles(some),
      marks: [atMost("p50", quantile(some, 0.5), proportion, "ms")],
    },
    {
      what: `${what}, all, frequent words only`,
      figures: {
        ...quantiles(worst),
        "times the p50 of all": (quantile(worst, 0.5) / quantile(all, 0.5)).toFixed(2),
      },
      marks: [
        atMost("p50", quantile(worst, 0.5), 5, "ms"),
        atMost("p95", quantile(worst, 0.95), 10, "ms"),
      ],
    },
    {
      what: `FTS5, ${passages}, whole words only, all`,
      figures: quantiles(timed(20, (round) => peer.search(query(round)))),
      marks: [],
    },
  ]
}
