import { costs, type FairLoop, type LoopShare } from "../concurrency/fair-loop.ts"
import type { PassageStore, StoredPassage } from "../files/passage-store.ts"
import { Place } from "../files/place.ts"
import type { KnownFile } from "../files/store.ts"
import { type Fused, fuse } from "./fusion.ts"
import type { Rerank } from "./reranker.ts"
import type { FoundPassage, SearchWay } from "./schema.ts"
import type { Searcher } from "./searcher.ts"

/** What turns a question into a place among vectors; null where no model does. */
export interface Meaning {
  model: string
  space: string
  values: Float32Array
}

interface Needs {
  passages: PassageStore
  searcher: Searcher
  /** @returns null when there is no embedding model, or it does not answer just now */
  meaningOf: (query: string, signal?: AbortSignal) => Promise<Meaning | null>
  /** Null where no endpoint is set. */
  rerank: Rerank | null
  fairLoop: FairLoop
  /** The same hits with scores from exact vectors. */
  rescore: (meaning: Meaning, fileIds: readonly string[], hits: Rescored[]) => Promise<Rescored[]>
}

export interface Rescored {
  file: number
  passage: number
  score: number
}

/** Of each leg, before fusion. */
const candidates = 100
const rescored = 50
const mostReranked = 50
/** What is read of a file before others have their turn. */
const readAtOnce = 8

export interface Asked {
  /** The id of the user who asks. */
  asker: string
  files: readonly KnownFile[]
  query: string
  way: SearchWay
  limit: number
  signal?: AbortSignal
}

export interface Retrieved {
  passages: FoundPassage[]
  /** Which legs there were. */
  search: SearchWay
  model: string | null
  /** Null where no endpoint is set; false where it did not answer. */
  reranked: boolean | null
}

/** About how many tokens a text has, rather too many than too few. */
export const estimateTokens = (text: string): number => {
  let wide = 0
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) >= 0x2e80) wide++
  return Math.ceil((text.length - wide) / 3.5 + wide)
}

const legsOf = (dense: boolean, lexical: boolean): SearchWay => {
  if (!dense) return "lexical"
  return lexical ? "hybrid" : "dense"
}

/** Finds passages in files that the caller may read; whoever calls has checked that. */
export const createRetrieval = (needs: Needs) => {
  const { passages, searcher, meaningOf, rerank, rescore, fairLoop } = needs

  const textsOf = async (
    files: readonly KnownFile[],
    fused: readonly Fused[],
    share: LoopShare,
  ): Promise<Map<string, StoredPassage>> => {
    const byFile = Map.groupBy(fused, ({ file }) => file)
    const found = new Map<string, StoredPassage>()
    for (const [file, some] of byFile) {
      const id = files[file]?.id ?? ""
      for (let from = 0; from < some.length; from += readAtOnce) {
        const positions = some.slice(from, from + readAtOnce).map(({ passage }) => passage)
        await share.turn(costs.passages)
        for (const row of await passages.of(id, positions))
          found.set(`${file}:${row.position}`, row)
      }
    }
    return found
  }

  const toFound = (file: KnownFile, row: StoredPassage, fused: Fused): FoundPassage => ({
    file_id: file.id,
    filename: file.filename,
    text: row.text,
    ...Place.parse(JSON.parse(row.place)),
    start: row.starts,
    end: row.ends,
    score: fused.score,
    lexical: fused.lexical,
    dense: fused.dense,
    reranked: null,
    used: fused.cut === null,
    why: fused.cut ?? "found",
  })

  /** In the order of fusion; of equal texts only the first is of use. */
  const withTexts = (
    files: readonly KnownFile[],
    fused: readonly Fused[],
    texts: ReadonlyMap<string, StoredPassage>,
  ): FoundPassage[] => {
    const seen = new Set<string>()
    return fused.flatMap((one) => {
      const row = texts.get(`${one.file}:${one.passage}`)
      const file = files[one.file]
      if (!row || !file) return []
      const cut = seen.has(row.text) ? "the same text stands above" : one.cut
      seen.add(row.text)
      return [toFound(file, row, { ...one, cut })]
    })
  }

  /** The first ones in the endpoint's order, the rest behind them; null where nothing was changed. */
  const reranked = async (
    query: string,
    found: readonly FoundPassage[],
    signal: AbortSignal | undefined,
  ): Promise<FoundPassage[] | null> => {
    const some = found.slice(0, mostReranked)
    if (!rerank || some.length === 0) return null
    const scores = await rerank(
      query,
      some.map(({ text }) => text),
      signal,
    )
    if (!scores) return null
    const order = some
      .map((passage, index) => ({ passage, score: scores.get(index) ?? Number.NEGATIVE_INFINITY }))
      .sort((a, z) => z.score - a.score)
    const ranked = order.map(({ passage, score }, index) => ({
      ...passage,
      reranked: Number.isFinite(score) ? { rank: index + 1, score } : null,
    }))
    return [...ranked, ...found.slice(mostReranked)]
  }

  return {
    /** All passages of files, in reading order. */
    whole: async (files: readonly KnownFile[]): Promise<FoundPassage[]> => {
      const all: FoundPassage[] = []
      for (const [index, file] of files.entries()) {
        for (const row of await passages.of(file.id)) {
          const { position: passage } = row
          const fused = { file: index, passage, score: 1, lexical: null, dense: null, cut: null }
          all.push({ ...toFound(file, row, fused), why: "small enough to be given whole" })
        }
      }
      return all
    },

    search: async (wanted: Asked): Promise<Retrieved> => {
      const { asker, files, query, way, limit, signal } = wanted
      const share = fairLoop.of(asker)
      const meaning = way === "lexical" ? null : await meaningOf(query, signal)
      const scope = files.map(({ id, filename }) => ({ id, filename }))
      // Without a model words must do, whatever was chosen.
      const lexical = way !== "dense" || meaning === null
      const vector = meaning && { space: meaning.space, values: meaning.values }
      const asked = { query, files: scope, limit: candidates, vector, lexical }
      const legs = await searcher.search(asked)
      const ids = scope.map(({ id }) => id)
      const dense = meaning ? await rescore(meaning, ids, legs.dense.slice(0, rescored)) : []
      const search = legsOf(meaning !== null, lexical)
      await share.turn(costs.fusion)
      const fused = fuse({ ...legs, dense }, search).slice(0, limit)
      const texts = await textsOf(files, fused, share)
      await share.turn(costs.fusion)
      const found = withTexts(files, fused, texts)
      const ranked = await reranked(query, found, signal)
      const passages = ranked ?? found
      const model = meaning?.model ?? null
      return { passages, search, model, reranked: rerank && ranked !== null }
    },
  }
}

export type Retrieval = ReturnType<typeof createRetrieval>
