import { setTimeout as wait } from "node:timers/promises"
import { z } from "zod"
import { orderEndpoints } from "../connections/load-balancing.ts"
import type { Endpoint } from "../connections/registry.ts"
import { RefusedError } from "../outbound/client.ts"
import { type BuiltInModel, builtInModelId } from "./built-in/built-in-model.ts"
import type { TextKind } from "./embedding-input-type.ts"
import { type EmbeddingModels, prefixed } from "./embedding-models.ts"
import { unit } from "./quantization.ts"
import { estimateTokens } from "./tokens.ts"

const Reply = z.object({
  data: z.array(z.object({ embedding: z.array(z.number()).min(1), index: z.int().optional() })),
})

/** Limits of one request. */
const maxTexts = 32
const maxTokens = 8000
/** The built-in model takes about half a second per batch; small batches keep progress visible. */
const builtInBatch = 8
const replyMs = 60_000
const defaultRetryMs = 200
const maxPauseMs = 10_000
const tries = 10
const minCharactersToSplit = 200

/** No connection offers the model at the moment; an immediate retry would not help. */
class NotOffered extends Error {
  override name = "NotOffered"
}

const isBusy = (error: unknown): boolean =>
  !(error instanceof NotOffered) &&
  (!(error instanceof RefusedError) || error.status === 429 || error.status >= 500)

const isTooLong = (error: unknown): boolean =>
  error instanceof RefusedError && [400, 413, 422].includes(error.status)

const middle = (text: string): number => {
  const half = Math.floor(text.length / 2)
  const space = text.indexOf(" ", half)
  return space > 0 && space < half + 100 ? space : half
}

export interface EmbedderOptions {
  /** Delay before a busy model is retried; doubled after each further failure. */
  embeddingRetryMs?: number
}

interface Deps extends EmbedderOptions {
  models: EmbeddingModels
  builtIn: BuiltInModel
}

interface How {
  signal: AbortSignal
  /** Whether to retry a busy model. */
  patient: boolean
}

/** How many of the texts, from the first on, fit into one request. */
export const batchSize = (model: string, texts: readonly string[]): number => {
  if (model === builtInModelId) return Math.min(texts.length, builtInBatch)
  let tokens = 0
  const end = texts.findIndex((text, at) => {
    tokens += estimateTokens(text)
    return at > 0 && (at >= maxTexts || tokens > maxTokens)
  })
  return end === -1 ? texts.length : end
}

/** Requests embeddings: retries busy models and halves texts that are too long. */
export const createEmbedder = ({ models, builtIn, embeddingRetryMs = defaultRetryMs }: Deps) => {
  const askOne = async (
    { upstream, model }: Endpoint,
    input: readonly string[],
    signal: AbortSignal,
  ): Promise<Float32Array[]> => {
    const reply = await upstream.client.ask(
      {
        method: "POST",
        path: upstream.provider.operationPath("embeddings"),
        headers: { "user-agent": "Portico", ...upstream.headers },
        json: { model: model.name, input, encoding_format: "float" },
      },
      AbortSignal.any([signal, AbortSignal.timeout(replyMs)]),
    )
    const { data } = Reply.parse(reply)
    if (data.length !== input.length) throw new Error("the model returned too few vectors")
    const vectors: Float32Array[] = []
    for (const [at, { embedding, index }] of data.entries()) vectors[index ?? at] = unit(embedding)
    return vectors
  }

  const askNow = (model: string, input: readonly string[], signal: AbortSignal) => {
    const [offer] = orderEndpoints(models.offersOf(model))
    if (!offer)
      throw new NotOffered(`no connection currently offers the embedding model "${model}"`)
    return askOne(offer, input, signal)
  }

  const askPatiently = async (
    model: string,
    input: readonly string[],
    { signal, patient }: How,
  ): Promise<Float32Array[]> => {
    const max = patient ? tries : 1
    for (let attempt = 1; ; attempt++) {
      try {
        return await askNow(model, input, signal)
      } catch (error) {
        if (attempt >= max || !isBusy(error)) throw error
        const pause = Math.min(maxPauseMs, embeddingRetryMs * 2 ** (attempt - 1))
        await wait(pause * (0.75 + Math.random() / 2), undefined, { signal })
      }
    }
  }

  /** Embeds a text as the normalized sum of its halves. */
  const askHalves = async (model: string, text: string, how: How): Promise<Float32Array[]> => {
    const cut = middle(text)
    const [a] = await askHalving(model, [text.slice(0, cut)], how)
    const [z] = await askHalving(model, [text.slice(cut)], how)
    return a && z ? [unit(a.map((value, at) => value + (z[at] ?? 0)))] : []
  }

  const askHalving = async (
    model: string,
    input: readonly string[],
    how: How,
  ): Promise<Float32Array[]> => {
    try {
      return await askPatiently(model, input, how)
    } catch (error) {
      const [only = ""] = input
      if (!isTooLong(error) || only.length < minCharactersToSplit) throw error
      if (input.length === 1) return askHalves(model, only, how)
      const vectors: Float32Array[] = []
      for (const text of input) vectors.push(...(await askHalving(model, [text], how)))
      return vectors
    }
  }

  return {
    /**
     * Unit vectors of texts that fit into one request (see `batchSize`).
     * @throws if the model rejects the request or stays busy
     */
    embed: (
      model: string,
      { texts, kind }: { texts: readonly string[]; kind: TextKind },
      how: How,
    ): Promise<Float32Array[]> => {
      if (model === builtInModelId) return builtIn.embed({ texts, kind }, how.signal)
      const input = texts.map((text) => prefixed(model, kind, text))
      return askHalving(model, input, how)
    },
  }
}

export type Embedder = ReturnType<typeof createEmbedder>
