import { requestJson, type Transport } from "@portico/http1"
import { z } from "zod"

const timeoutMs = 5000
export const rerankTimeouts = { connect: 5, firstByte: 5, idle: 5 }
/** Limit for a response with the index and score of some dozen passages. */
const maxBytes = 4_000_000

const Reply = z.object({
  results: z.array(z.object({ index: z.int().min(0), relevance_score: z.number() })),
})

interface Deps {
  /** Relative to it, the endpoint is `/rerank`. */
  transport: Transport
  model: string | undefined
  key: string | undefined
}

/**
 * Scores texts by how well they answer a query, keyed by the text's index. Null if the endpoint did
 * not respond.
 */
export type Rerank = (
  query: string,
  texts: readonly string[],
  signal?: AbortSignal,
) => Promise<Map<number, number> | null>

/** Client for a rerank endpoint as offered by Jina, Cohere, vLLM and llama.cpp. */
export const createReranker = ({ transport, model, key }: Deps): Rerank => {
  const headers: Record<string, string> = key ? { authorization: `Bearer ${key}` } : {}
  const requestScores = async (
    query: string,
    documents: readonly string[],
    signal: AbortSignal,
  ) => {
    const json = { model, query, documents, top_n: documents.length }
    const request = { method: "POST", path: "/rerank", headers, json, maxBytes }
    const { results } = Reply.parse(await requestJson(transport, request, signal))
    return new Map(results.map(({ index, relevance_score }) => [index, relevance_score]))
  }
  return async (query, texts, signal) => {
    const timeout = AbortSignal.timeout(timeoutMs)
    try {
      return await requestScores(
        query,
        texts,
        signal ? AbortSignal.any([signal, timeout]) : timeout,
      )
    } catch (error) {
      if (signal?.aborted) throw error
      // The previous order is kept.
      return null
    }
  }
}
