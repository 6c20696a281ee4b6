import {
  hitKey,
  interleaveHits,
  maxCandidates,
  type RankedHit,
  rankFollowUp,
  rankHits,
  type ScoredHit,
  type SearchHits,
} from "@portico/search"
import {
  type EventLoopShare,
  type FairEventLoop,
  turnCosts,
} from "../../concurrency/fair-event-loop.ts"
import type { FileSummary } from "../../files/file-store.ts"
import type { PassageStore } from "../../files/passage-store.ts"
import { fileLanguagesOf } from "../rewriting/file-languages.ts"
import {
  maxTranslations,
  type QuestionRewriter,
  type RewritingContext,
} from "../rewriting/question-rewriter.ts"
import type { RewritingReport } from "../rewriting/schema.ts"
import type { FoundPassage, RetrievalMode } from "../schema.ts"
import { toFoundPassage } from "./found-passage.ts"
import {
  maxRankedFor,
  type PlacedHit,
  type Ranking,
  rankRewritten,
  topScore,
  toRanking,
} from "./query-rankings.ts"
import type { Rerank } from "./reranker.ts"
import type { SearchClient } from "./search-client.ts"

/** The embedding of a question and the index that it can be searched in. */
export interface QuestionEmbedding {
  model: string
  indexId: string
  values: Float32Array
}

interface Deps {
  passages: PassageStore
  searchClient: SearchClient
  /** @returns null if there is no embedding model, or if it does not respond in time */
  embedQuestion: (query: string, signal?: AbortSignal) => Promise<QuestionEmbedding | null>
  /** Null if no rerank endpoint is configured. */
  rerank: Rerank | null
  fairLoop: FairEventLoop
  /** Ids of files with passages that have no embedding in an index. */
  filesLackingEmbeddings: (indexId: string) => Promise<ReadonlySet<string>>
  rewriteQuestion: QuestionRewriter
  /** Replaces the hits' scores with those of exact vectors. */
  rescore: (
    embedding: QuestionEmbedding,
    fileIds: readonly string[],
    hits: readonly ScoredHit[],
  ) => Promise<ScoredHit[]>
}

/** Dense hits rescored; the rest keep the score of the quantized vectors. */
const maxRescored = 50
const maxReranked = 50
/** Passages read from a file before other requests get their turn. */
const passagesPerRead = 8

export interface RetrievalQuery {
  /** The id of the user who asks. */
  userId: string
  files: readonly FileSummary[]
  question: string
  /** The previous question in the conversation. */
  previous?: string | undefined
  mode: RetrievalMode
  /** The most passages that the caller uses; more are returned, as some are duplicates. */
  maxPassages?: number
  /** Null or missing if the question is searched as it is. */
  rewriting?: RewritingContext | null | undefined
  signal?: AbortSignal
  /** Used instead of the usual function, such as one that keeps its results. */
  embedQuestion?: Deps["embedQuestion"]
}

export interface RankedPassages {
  /** Best first, before selection. */
  passages: FoundPassage[]
  /** The retrieval mode that was actually used. */
  search: RetrievalMode
  model: string | null
  /**
   * Number of files with passages that can only be found by keywords, as they have no embedding
   * yet.
   */
  partlyEmbedded: number
  /** Null if no rerank endpoint is configured; false if it did not respond. */
  reranked: boolean | null
  /** Null if the request did not allow it. */
  rewriting: RewritingReport | null
}

type PassageByKey = ReadonlyMap<string, FoundPassage>

/** The retrieval mode that was actually used. */
const modeOf = ({ lexical, dense }: { lexical: boolean; dense: boolean }): RetrievalMode => {
  if (!dense) return "lexical"
  return lexical ? "hybrid" : "dense"
}

/** Ranks passages of files. Callers must have checked access to the files. */
export type RankPassages = (query: RetrievalQuery) => Promise<RankedPassages>

/** Ranks by keywords and embeddings, whatever the languages of the files. */
export const createPassageRanking = (deps: Deps): RankPassages => {
  const { passages, searchClient, embedQuestion, rerank, rescore, fairLoop } = deps
  const { filesLackingEmbeddings, rewriteQuestion } = deps

  const readTexts = async (
    files: readonly FileSummary[],
    hits: readonly RankedHit[],
    share: EventLoopShare,
  ): Promise<PassageByKey> => {
    const found = new Map<string, FoundPassage>()
    for (const [index, fileHits] of Map.groupBy(hits, ({ file }) => file)) {
      const file = files[index]
      for (let from = 0; file && from < fileHits.length; from += passagesPerRead) {
        const positions = fileHits.slice(from, from + passagesPerRead).map(({ passage }) => passage)
        await share.turn(turnCosts.passages)
        for (const row of await passages.byFile(file.id, positions)) {
          const key = hitKey({ file: index, passage: row.position })
          found.set(key, toFoundPassage(file, row, "passage"))
        }
      }
    }
    return found
  }

  const searchFor = async (
    { files, mode, signal, maxPassages, embedQuestion: embed = embedQuestion }: RetrievalQuery,
    question: string,
  ): Promise<{ hits: SearchHits; mode: RetrievalMode; model: string | null }> => {
    const embedding = mode === "lexical" ? null : await embed(question, signal)
    const scope = files.map(({ id, filename }) => ({ id, filename }))
    // Without an embedding model the search is lexical, whatever the requested mode.
    const isLexical = mode !== "dense" || embedding === null
    const vector = embedding && { indexId: embedding.indexId, values: embedding.values }
    const query = {
      query: question,
      files: scope,
      limit: Math.max(maxCandidates, maxRankedFor(maxPassages)),
      vector,
      lexical: isLexical,
    }
    const { lexical, dense, total } = await searchClient.search(query)
    const ids = scope.map(({ id }) => id)
    const exact = embedding && [
      ...(await rescore(embedding, ids, dense.slice(0, maxRescored))),
      ...dense.slice(maxRescored),
    ]
    const incompleteIds = embedding
      ? await filesLackingEmbeddings(embedding.indexId)
      : new Set<string>()
    const isIncomplete = (file: FileSummary): boolean =>
      embedding !== null && (file.embedding !== null || incompleteIds.has(file.id))
    const incomplete = new Set(files.flatMap((file, at) => (isIncomplete(file) ? [at] : [])))
    return {
      hits: { lexical, dense: exact, total, incomplete },
      mode: modeOf({ lexical: isLexical, dense: embedding !== null }),
      model: embedding?.model ?? null,
    }
  }

  /**
   * The first hits in the order of the rerank endpoint, then the rest; null if there is none, or if it
   * did not respond.
   */
  const rerankHits = async (
    question: string,
    { hits, texts }: { hits: readonly PlacedHit[]; texts: PassageByKey },
    signal: AbortSignal | undefined,
  ): Promise<RankedPassage[] | null> => {
    const readable = hits.flatMap((hit) => {
      const text = texts.get(hitKey(hit))?.text
      return text === undefined ? [] : [{ hit, text }]
    })
    const first = readable.slice(0, maxReranked)
    if (!rerank) return null
    if (first.length === 0) return []
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

  /** Searches for what a model makes of the question, which takes as long as the model. */
  const searchRewritten = async (query: RetrievalQuery) => {
    const { rewriting, question, files, signal } = query
    if (!rewriting) return { report: null, results: [] }
    const fileLanguages = fileLanguagesOf(files, maxTranslations)
    const report = await rewriteQuestion({ ...rewriting, question, fileLanguages, signal })
    const texts = report.queries.map(({ text }) => text)
    const results = await Promise.all(texts.map((text) => searchFor(query, text)))
    return { report, results: results.map(({ hits }, at) => ({ query: texts[at] ?? "", hits })) }
  }

  return async (query) => {
    const { userId, files, question, signal } = query
    const share = fairLoop.of(userId)
    const previous = query.previous === question ? "" : (query.previous ?? "")
    const [result, previousResult, rewritten] = await Promise.all([
      searchFor(query, question),
      previous === "" ? null : searchFor(query, previous),
      searchRewritten(query),
    ])
    await share.turn(turnCosts.fusion)
    const maxRanked = maxRankedFor(query.maxPassages)
    const plain: Ranking[] = [toRanking(question, rankHits(result.hits), maxRanked)]
    if (previousResult) {
      const hits = rankFollowUp(result.hits, previousResult.hits)
      plain.push(toRanking(`${previous}\n${question}`, hits, maxRanked))
    }
    const rankings = [...plain, ...rankRewritten(plain, rewritten.results, maxRanked)]
    const all = interleaveHits(...rankings.map(({ hits }) => hits))
    const texts = await readTexts(files, all, share)
    await share.turn(turnCosts.fusion)
    const reranked = await Promise.all(
      rankings.map((ranking) => rerankHits(ranking.query, { ...ranking, texts }, signal)),
    )
    const orders = rankings.map(({ hits }, at) => reranked[at] ?? hits.map(withoutRerank))
    // The question itself fills half of the places, whatever the rewritten queries find.
    const placed = interleaveHits(
      interleaveHits(...orders.slice(0, plain.length)),
      interleaveHits(...orders.slice(plain.length)),
    )
    return {
      passages: placed.flatMap((hit) => toPassage(hit, texts)),
      search: result.mode,
      model: result.model,
      partlyEmbedded: result.hits.incomplete?.size ?? 0,
      reranked: rerank && !reranked.includes(null),
      rewriting: rewritten.report,
    }
  }
}

type RankedPassage = PlacedHit & Pick<FoundPassage, "reranked">

const withoutRerank = (hit: PlacedHit): RankedPassage => ({ ...hit, reranked: null })

const toPassage = (hit: RankedPassage, texts: PassageByKey): FoundPassage[] => {
  const found = texts.get(hitKey(hit))
  if (!found) return []
  const { score, reranked, fromPrevious: from_previous, foundBy: found_by } = hit
  const [lexical, dense] = [topScore(hit.lexical), topScore(hit.dense)]
  return [{ ...found, score, lexical, dense, reranked, from_previous, found_by }]
}
