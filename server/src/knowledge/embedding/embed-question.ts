import { PassageLocation } from "../../files/passage-location.ts"
import type { StoredPassage } from "../../files/passage-store.ts"
import type { QuestionEmbedding } from "../search/retrieval.ts"
import type { EmbeddingIndex } from "../vectors/vector-store.ts"
import { isBuiltInModelId } from "./built-in/model-descriptions.ts"
import type { Embedder } from "./embedder.ts"

/** Time limit for embedding a question; after it, the search is lexical only. */
const defaultQuestionTimeoutMs = 4000
/** A built-in model cannot hang on a network, only be slow when the CPU is busy. */
const builtInQuestionTimeoutMs = 15_000
const maxQuestionLength = 2000

/** The text that is embedded for a passage: its headings, then its own text. */
export const embeddingText = ({ text, place }: StoredPassage): string => {
  const { heading = [] } = PassageLocation.parse(JSON.parse(place))
  return [...heading, text].join("\n")
}

interface QuestionRequest {
  index: EmbeddingIndex
  query: string
  questionTimeoutMs: number | undefined
  signal: AbortSignal | undefined
}

/** Embeds a question with the model of an index; null if the model fails or takes too long. */
export const embedQuestion = async (
  embedder: Embedder,
  { index, query, questionTimeoutMs, signal }: QuestionRequest,
): Promise<QuestionEmbedding | null> => {
  const limitMs = isBuiltInModelId(index.model)
    ? builtInQuestionTimeoutMs
    : defaultQuestionTimeoutMs
  const limit = AbortSignal.timeout(questionTimeoutMs ?? limitMs)
  const input = { texts: [query.slice(0, maxQuestionLength)], kind: "query" } as const
  const options = {
    signal: signal ? AbortSignal.any([signal, limit]) : limit,
    retryWhenBusy: false,
  }
  const [values] = await embedder.embed(index.model, input, options).catch(() => [])
  return values ? { model: index.model, indexId: index.id, values } : null
}
