import { setTimeout as wait } from "node:timers/promises"
import { HttpStatusError, requestJson } from "@portico/http1"
import { toUnitVector } from "@portico/search"
import { z } from "zod"
import { findConnectionFault } from "../../connections/connection-fault.ts"
import type { Endpoint } from "../../connections/connection-registry.ts"
import { orderEndpoints } from "../../connections/load-balancing.ts"
import { embeddingsProviderOperation } from "../../providers/provider.ts"
import { estimateTokens } from "../tokens.ts"
import type { BuiltInModels } from "./built-in/built-in-models.ts"
import { isBuiltInModelId } from "./built-in/model-descriptions.ts"
import type { EmbeddingInputType } from "./embedding-input-type.ts"
import { addPrefix, type EmbeddingModels } from "./embedding-models.ts"

const Reply = z.object({
  data: z.array(z.object({ embedding: z.array(z.number()).min(1), index: z.int().optional() })),
})

/** Limits of one request. */
const maxTexts = 32
const maxTokens = 8000
/** A built-in model takes about half a second per batch; small batches keep progress visible. */
const builtInBatch = 8
const responseTimeoutMs = 60_000
const defaultRetryMs = 200
const maxPauseMs = 10_000
const maxAttempts = 10
const minCharactersToSplit = 200

/** No connection offers the model at the moment; an immediate retry would not help. */
class ModelNotOfferedError extends Error {
  override name = "NotOffered"
}

const isBusy = (error: unknown): boolean =>
  !(error instanceof ModelNotOfferedError) &&
  (!(error instanceof HttpStatusError) || error.status === 429 || error.status >= 500)

const isTooLong = (error: unknown): boolean =>
  error instanceof HttpStatusError && [400, 413, 422].includes(error.status)

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
  builtIn: BuiltInModels
}

interface EmbedOptions {
  signal: AbortSignal
  /** Whether to retry a busy model. */
  retryWhenBusy: boolean
}

/** How many of the texts, from the first on, fit into one request. */
export const batchSize = (model: string, texts: readonly string[]): number => {
  if (isBuiltInModelId(model)) return Math.min(texts.length, builtInBatch)
  let tokens = 0
  const end = texts.findIndex((text, at) => {
    tokens += estimateTokens(text)
    return at > 0 && (at >= maxTexts || tokens > maxTokens)
  })
  return end === -1 ? texts.length : end
}

/** Requests embeddings: retries busy models and halves texts that are too long. */
export const createEmbedder = ({ models, builtIn, embeddingRetryMs = defaultRetryMs }: Deps) => {
  const requestVectors = async (
    { connection, model }: Endpoint,
    input: readonly string[],
    signal: AbortSignal,
  ): Promise<Float32Array[]> => {
    const reply = await requestJson(
      connection.transport,
      {
        method: "POST",
        path: connection.provider.operationPath(embeddingsProviderOperation),
        headers: { "user-agent": "Portico", ...connection.headers },
        json: { model: model.name, input, encoding_format: "float" },
      },
      AbortSignal.any([signal, AbortSignal.timeout(responseTimeoutMs)]),
    )
    const { data } = Reply.parse(reply)
    if (data.length !== input.length) throw new Error("the model returned too few vectors")
    const vectors: Float32Array[] = []
    for (const [at, { embedding, index }] of data.entries())
      vectors[index ?? at] = toUnitVector(embedding)
    return vectors
  }

  /** A rejection by the connection itself, which the next one may not share, is returned. */
  const requestFrom = async (
    endpoint: Endpoint,
    input: readonly string[],
    signal: AbortSignal,
  ): Promise<Float32Array[] | HttpStatusError> => {
    const { connection, model } = endpoint
    try {
      return await requestVectors(endpoint, input, signal)
    } catch (error) {
      if (!(error instanceof HttpStatusError)) throw error
      const fault = findConnectionFault(error, model.name)
      if (!fault) throw error
      connection.recordFault(fault, error, model.name)
      return error
    }
  }

  const requestOnce = async (
    model: string,
    input: readonly string[],
    signal: AbortSignal,
  ): Promise<Float32Array[]> => {
    let rejection: HttpStatusError | null = null
    for (const endpoint of orderEndpoints(models.endpointsOf(model))) {
      const reply = await requestFrom(endpoint, input, signal)
      if (!(reply instanceof HttpStatusError)) return reply
      rejection ??= reply
    }
    throw (
      rejection ??
      new ModelNotOfferedError(`no connection currently offers the embedding model "${model}"`)
    )
  }

  const requestWithRetries = async (
    model: string,
    input: readonly string[],
    { signal, retryWhenBusy }: EmbedOptions,
  ): Promise<Float32Array[]> => {
    const max = retryWhenBusy ? maxAttempts : 1
    for (let attempt = 1; ; attempt++) {
      try {
        return await requestOnce(model, input, signal)
      } catch (error) {
        if (attempt >= max || !isBusy(error)) throw error
        const pause = Math.min(maxPauseMs, embeddingRetryMs * 2 ** (attempt - 1))
        await wait(pause * (0.75 + Math.random() / 2), undefined, { signal })
      }
    }
  }

  /** Embeds a text as the normalized sum of its halves. */
  const embedHalves = async (
    model: string,
    text: string,
    options: EmbedOptions,
  ): Promise<Float32Array[]> => {
    const cut = middle(text)
    const [a] = await requestSplitting(model, [text.slice(0, cut)], options)
    const [z] = await requestSplitting(model, [text.slice(cut)], options)
    return a && z ? [toUnitVector(a.map((value, at) => value + (z[at] ?? 0)))] : []
  }

  const requestSplitting = async (
    model: string,
    input: readonly string[],
    options: EmbedOptions,
  ): Promise<Float32Array[]> => {
    try {
      return await requestWithRetries(model, input, options)
    } catch (error) {
      const [only = ""] = input
      if (!isTooLong(error) || only.length < minCharactersToSplit) throw error
      if (input.length === 1) return embedHalves(model, only, options)
      const vectors: Float32Array[] = []
      for (const text of input) vectors.push(...(await requestSplitting(model, [text], options)))
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
      { texts, kind }: { texts: readonly string[]; kind: EmbeddingInputType },
      options: EmbedOptions,
    ): Promise<Float32Array[]> => {
      if (isBuiltInModelId(model)) return builtIn.embed(model, { texts, kind }, options.signal)
      const input = texts.map((text) => addPrefix(model, kind, text))
      return requestSplitting(model, input, options)
    },
  }
}

export type Embedder = ReturnType<typeof createEmbedder>
