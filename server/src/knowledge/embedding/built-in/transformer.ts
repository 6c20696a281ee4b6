import { readFile } from "node:fs/promises"
import { Tokenizer } from "@huggingface/tokenizers"
import { toUnitVector } from "@portico/search"
import { InferenceSession, Tensor } from "onnxruntime-node"
import type { EmbeddingInputType } from "../embedding-input-type.ts"
import type { ModelDescription } from "./model-descriptions.ts"
import { verifyModelFile } from "./model-files.ts"
import { createUnigramTokenizer, type UnigramTokenizerFile } from "./unigram-tokenizer.ts"

type Tokens = readonly number[]

interface TextTokenizer {
  /** Token before each window. */
  start: number
  /** Token after each window. */
  end: number
  encode: (text: string) => Tokens
}

const sumTo = (sum: Float32Array, values: Float32Array): Float32Array => {
  for (const [at, value] of values.entries()) {
    const column = at % sum.length
    sum[column] = (sum[column] ?? 0) + value
  }
  return sum
}

/** The normalized mean of the vectors. */
export const averageVectors = (vectors: readonly Float32Array[]): Float32Array => {
  const sum = new Float32Array(vectors[0]?.length ?? 0)
  for (const vector of vectors) sumTo(sum, vector)
  return toUnitVector(sum)
}

const createSession = async (path: string): Promise<InferenceSession> =>
  InferenceSession.create(path, {
    executionProviders: ["cpu"],
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    // No speedup here, and saves 25 MB.
    enableCpuMemArena: false,
  })

const readWordPieceTokenizer = (json: string): TextTokenizer => {
  const tokenizer = new Tokenizer(JSON.parse(json), {})
  const [start = 0, end = 0] = tokenizer.encode("").ids
  const encode = (text: string): Tokens => tokenizer.encode(text, { add_special_tokens: false }).ids
  return { start, end, encode }
}

const readUnigramTokenizer = (json: string): TextTokenizer => {
  // The file's checksum was verified.
  const file: UnigramTokenizerFile = JSON.parse(json)
  return createUnigramTokenizer(file)
}

const tokenizerReaders = { wordpiece: readWordPieceTokenizer, unigram: readUnigramTokenizer }

/** Splits tokens into windows of about equal length. */
const splitIntoWindows = (
  tokens: Tokens,
  { windowTokens, maxWindows }: ModelDescription,
): Tokens[] => {
  const kept = tokens.slice(0, windowTokens * maxWindows)
  const count = Math.max(1, Math.ceil(kept.length / windowTokens))
  const length = Math.ceil(kept.length / count)
  return Array.from({ length: count }, (_, at) => kept.slice(at * length, (at + 1) * length))
}

const createInputs = (ids: Tokens, names: readonly string[]): Record<string, Tensor> => {
  const shape = [1, ids.length]
  const values = {
    input_ids: BigInt64Array.from(ids, BigInt),
    attention_mask: new BigInt64Array(ids.length).fill(1n),
    token_type_ids: new BigInt64Array(ids.length),
  }
  const inputs = Object.entries(values).filter(([name]) => names.includes(name))
  return Object.fromEntries(inputs.map(([name, data]) => [name, new Tensor("int64", data, shape)]))
}

/**
 * Loads a model.
 * @throws if its files or the runtime cannot be used
 */
export const loadTransformer = async (folder: string, model: ModelDescription) => {
  // The tokenizer after the weights: the peaks of memory of both do not add up.
  const session = await createSession(await verifyModelFile(folder, model.weights))
  const tokenizerPath = await verifyModelFile(folder, model.tokenizer)
  const tokenizer = tokenizerReaders[model.tokenizerType](await readFile(tokenizerPath, "utf8"))
  const prefixes: Record<EmbeddingInputType, Tokens> = {
    query: tokenizer.encode(model.prefixes.query),
    passage: tokenizer.encode(model.prefixes.passage),
  }

  return {
    split: (text: string): Tokens[] => splitIntoWindows(tokenizer.encode(text), model),

    /** The unit-length mean of the vectors of a window's tokens. */
    embedWindow: async (tokens: Tokens, kind: EmbeddingInputType): Promise<Float32Array> => {
      const ids = [tokenizer.start, ...prefixes[kind], ...tokens, tokenizer.end]
      const output = await session.run(createInputs(ids, session.inputNames))
      const hidden = output.last_hidden_state?.data
      if (!(hidden instanceof Float32Array)) throw new Error("The model returned no vectors")
      return toUnitVector(sumTo(new Float32Array(model.dimensions), hidden))
    },
  }
}
