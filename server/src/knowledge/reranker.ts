import { z } from "zod"

const answerMs = 5000

const Reply = z.object({
  results: z.array(z.object({ index: z.int().min(0), relevance_score: z.number() })),
})

interface Settings {
  /** Without `/rerank`. */
  url: string
  model: string | undefined
  key: string | undefined
}

/** Orders texts by how well they answer a query: by text, its score. Null where nobody answered. */
export type Rerank = (
  query: string,
  texts: readonly string[],
  signal?: AbortSignal,
) => Promise<Map<number, number> | null>

/** A model that ranks, behind an endpoint of the shape that Jina, Cohere, vLLM and llama.cpp share. */
export const createReranker = ({ url, model, key }: Settings): Rerank => {
  const headers = {
    "content-type": "application/json",
    ...(key && { authorization: `Bearer ${key}` }),
  }
  const ask = async (query: string, documents: readonly string[], signal: AbortSignal) => {
    const body = JSON.stringify({ model, query, documents, top_n: documents.length })
    const { request } = await import("undici")
    const reply = await request(`${url}/rerank`, { method: "POST", headers, body, signal })
    if (reply.statusCode !== 200) {
      await reply.body.dump()
      throw new Error(`the rerank endpoint answered ${reply.statusCode}`)
    }
    const { results } = Reply.parse(await reply.body.json())
    return new Map(results.map(({ index, relevance_score }) => [index, relevance_score]))
  }
  return async (query, texts, signal) => {
    const limit = AbortSignal.timeout(answerMs)
    try {
      return await ask(query, texts, signal ? AbortSignal.any([signal, limit]) : limit)
    } catch (error) {
      if (signal?.aborted) throw error
      // The order of before will do.
      return null
    }
  }
}
