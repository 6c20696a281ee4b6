import type { PassageStore } from "../files/passage-store.ts"
import type { FileSummary } from "../files/store.ts"
import { costs, type FairLoop, type LoopShare } from "../limits/fair-loop.ts"
import { toFoundPassage } from "./found-passage.ts"
import {
  candidates,
  type Hits,
  interleave,
  keyOf,
  modeOf,
  type RankedHit,
  rank,
  rankWithPrevious,
} from "./ranking.ts"
import type { Rerank } from "./reranker.ts"
import type { FoundPassage, SearchWay } from "./schema.ts"
import type { Searcher } from "./search-client.ts"
import { isReserved } from "./selection.ts"

/** The embedding of a question and the index that it can be searched in. */
export interface Meaning {
  model: string
  space: string
  values: Float32Array
}

interface Deps {
  passages: PassageStore
  searcher: Searcher
  /** @returns null if there is no embedding model, or if it does not respond in time */
  meaningOf: (query: string, signal?: AbortSignal) => Promise<Meaning | null>
  /** Null if no rerank endpoint is configured. */
  rerank: Rerank | null
  fairLoop: FairLoop
  /** Ids of files with passages that have no embedding in an index. */
  filesLackingEmbeddings: (space: string) => Promise<ReadonlySet<string>>
  /** Replaces the hits' scores with those of exact vectors. */
  rescore: (meaning: Meaning, fileIds: readonly string[], hits: Rescored[]) => Promise<Rescored[]>
}

export interface Rescored {
  file: number
  passage: number
  score: number
}

/** Dense hits rescored; the rest keep the score of the quantized vectors. */
const maxRescored = 50
const maxReranked = 50
/** Ranked passages whose text is read; more than a prompt can hold, because some are duplicates. */
const maxRanked = 80
/** Passages read from a file before other requests get their turn. */
const readAtOnce = 8

export interface PassageQuery {
  /** The id of the user who asks. */
  asker: string
  files: readonly FileSummary[]
  question: string
  /** The previous question in the conversation. */
  previous?: string | undefined
  mode: SearchWay
  signal?: AbortSignal
}

export interface RankedPassages {
  /** Best first, before selection. */
  passages: FoundPassage[]
  /** The retrieval mode that was actually used. */
  search: SearchWay
  model: string | null
  /**
   * Number of files with passages that can only be found by keywords, as they have no embedding
   * yet.
   */
  partlyEmbedded: number
  /** Null if no rerank endpoint is configured; false if it did not respond. */
  reranked: boolean | null
}

type Texts = ReadonlyMap<string, FoundPassage>

/** Ranks passages of files. Callers must have checked access to the files. */
export const createRetrieval = (deps: Deps) => {
  const { passages, searcher, meaningOf, rerank, rescore, fairLoop } = deps
  const { filesLackingEmbeddings } = deps

  const readTexts = async (
    files: readonly FileSummary[],
    hits: readonly RankedHit[],
    share: LoopShare,
  ): Promise<Texts> => {
    const found = new Map<string, FoundPassage>()
    for (const [index, some] of Map.groupBy(hits, ({ file }) => file)) {
      const file = files[index]
      for (let from = 0; file && from < some.length; from += readAtOnce) {
        const positions = some.slice(from, from + readAtOnce).map(({ passage }) => passage)
        await share.turn(costs.passages)
        for (const row of await passages.byFile(file.id, positions)) {
          const key = keyOf({ file: index, passage: row.position })
          found.set(key, toFoundPassage(file, row, "passage"))
        }
      }
    }
    return found
  }

  const searchFor = async (
    { files, mode, signal }: PassageQuery,
    question: string,
  ): Promise<{ hits: Hits; mode: SearchWay; model: string | null }> => {
    const meaning = mode === "lexical" ? null : await meaningOf(question, signal)
    const scope = files.map(({ id, filename }) => ({ id, filename }))
    // Without an embedding model the search is lexical, whatever the requested mode.
    const isLexical = mode !== "dense" || meaning === null
    const vector = meaning && { space: meaning.space, values: meaning.values }
    const query = { query: question, files: scope, limit: candidates, vector, lexical: isLexical }
    const { lexical, dense, total } = await searcher.search(query)
    const ids = scope.map(({ id }) => id)
    const exact = meaning && [
      ...(await rescore(meaning, ids, dense.slice(0, maxRescored))),
      ...dense.slice(maxRescored),
    ]
    const lacking = meaning ? await filesLackingEmbeddings(meaning.space) : new Set<string>()
    const isIncomplete = ({ id, status }: FileSummary): boolean =>
      meaning !== null && (status === "processing" || lacking.has(id))
    const incomplete = new Set(files.flatMap((file, at) => (isIncomplete(file) ? [at] : [])))
    return {
      hits: { lexical, dense: exact, total, incomplete },
      mode: modeOf({ lexical: isLexical, dense: meaning !== null }),
      model: meaning?.model ?? null,
    }
  }

  /**
   * The first hits in the order of the rerank endpoint, then the rest; null if it did not respond.
   */
  const rerankHits = async (
    question: string,
    { hits, texts }: { hits: readonly RankedHit[]; texts: Texts },
    signal: AbortSignal | undefined,
  ): Promise<RankedPassage[] | null> => {
    const readable = hits.flatMap((hit) => {
      const text = texts.get(keyOf(hit))?.text
      return text === undefined ? [] : [{ hit, text }]
    })
    const first = readable.slice(0, maxReranked)
    if (!rerank || first.length === 0) return null
    const documents = first.map(({ text }) => text)
    const scores = await rerank(question, documents, signal)
    if (!scores) return null
    const order = first
      .map(({ hit }, index) => ({ hit, score: scores.get(index) ?? Number.NEGATIVE_INFINITY }))
      .sort((a, z) => z.score - a.score)
    const ranked = order.map(({ hit, score }, index) => ({
      ...hit,
      reranked: Number.isFinite(score) ? { rank: index + 1, score } : null,
    }))
    return [...ranked, ...readable.slice(maxReranked).map(({ hit }) => withoutRerank(hit))]
  }

  return {
    search: async (query: PassageQuery): Promise<RankedPassages> => {
      const { asker, files, question, signal } = query
      const share = fairLoop.of(asker)
      const previous = query.previous === question ? "" : (query.previous ?? "")
      const [last, before] = await Promise.all([
        searchFor(query, question),
        previous === "" ? null : searchFor(query, previous),
      ])
      await share.turn(costs.fusion)
      const orders = [{ question, hits: firstOf(rank(last.hits)) }]
      if (before) {
        const hits = firstOf(rankWithPrevious(last.hits, before.hits))
        orders.push({ question: `${previous}\n${question}`, hits })
      }
      const all = interleave(orders[0]?.hits ?? [], orders[1]?.hits ?? [])
      const texts = await readTexts(files, all, share)
      await share.turn(costs.fusion)
      const reranked = await Promise.all(
        orders.map((order) => rerankHits(order.question, { hits: order.hits, texts }, signal)),
      )
      const [a = [], b = []] = orders.map(({ hits }, at) => reranked[at] ?? hits.map(withoutRerank))
      return {
        passages: interleave(a, b).flatMap((hit) => toPassage(hit, texts)),
        search: last.mode,
        model: last.model,
        partlyEmbedded: last.hits.incomplete?.size ?? 0,
        reranked: rerank && reranked[0] !== null,
      }
    },
  }
}

type RankedPassage = RankedHit & Pick<FoundPassage, "reranked">

const withoutRerank = (hit: RankedHit): RankedPassage => ({ ...hit, reranked: null })

const firstOf = (hits: readonly RankedHit[]): RankedHit[] =>
  hits.filter((hit, at) => at < maxRanked || isReserved(hit))

const toPassage = (hit: RankedPassage, texts: Texts): FoundPassage[] => {
  const found = texts.get(keyOf(hit))
  if (!found) return []
  const { score, lexical, dense, reranked, fromPrevious } = hit
  return [{ ...found, score, lexical, dense, reranked, from_previous: fromPrevious }]
}

export type Retrieval = ReturnType<typeof createRetrieval>
