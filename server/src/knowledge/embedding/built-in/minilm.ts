import { Tokenizer } from "@huggingface/tokenizers"
import { toUnitVector } from "@portico/search"
import { InferenceSession, Tensor } from "onnxruntime-node"
import { readModelFile } from "./model-files.ts"

/** Tokens per window: 256, minus the start and end tokens. */
const windowTokens = 254
/** The longest passages in Chinese take six windows; text after the last window is not embedded. */
const maxWindows = 8
const dimensions = 384

/** Splits tokens into windows of about equal length. */
const splitIntoWindows = (tokens: readonly number[]): number[][] => {
  const kept = tokens.slice(0, windowTokens * maxWindows)
  const count = Math.max(1, Math.ceil(kept.length / windowTokens))
  const length = Math.ceil(kept.length / count)
  return Array.from({ length: count }, (_, at) => kept.slice(at * length, (at + 1) * length))
}

/** The normalized mean of the vectors. */
export const averageVectors = (vectors: readonly Float32Array[]): Float32Array => {
  const sum = new Float32Array(dimensions)
  for (const vector of vectors)
    for (const [at, value] of vector.entries()) sum[at] = (sum[at] ?? 0) + value
  return toUnitVector(sum)
}

const createSession = async (folder: string): Promise<InferenceSession> =>
  InferenceSession.create(await readModelFile(folder, "model.onnx"), {
    executionProviders: ["cpu"],
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    // No speedup here, and saves 25 MB.
    enableCpuMemArena: false,
  })

const readTokenizer = async (folder: string): Promise<Tokenizer> =>
  new Tokenizer(JSON.parse((await readModelFile(folder, "tokenizer.json")).toString()), {})

/**
 * Loads all-MiniLM-L6-v2.
 * @throws if its files or the runtime cannot be used
 */
export const loadMiniLM = async (folder: string) => {
  const tokenizer = await readTokenizer(folder)
  const session = await createSession(folder)
  const [first = 0, last = 0] = tokenizer.encode("").ids

  return {
    split: (text: string): number[][] =>
      splitIntoWindows(tokenizer.encode(text, { add_special_tokens: false }).ids),

    /** The unit-length mean of the vectors of a window's tokens. */
    embedWindow: async (tokens: readonly number[]): Promise<Float32Array> => {
      const ids = BigInt64Array.from([first, ...tokens, last], BigInt)
      const shape = [1, ids.length]
      const output = await session.run({
        input_ids: new Tensor("int64", ids, shape),
        attention_mask: new Tensor("int64", new BigInt64Array(ids.length).fill(1n), shape),
        token_type_ids: new Tensor("int64", new BigInt64Array(ids.length), shape),
      })
      const hidden = output.last_hidden_state?.data
      if (!(hidden instanceof Float32Array)) throw new Error("The model returned no vectors")
      const sum = new Float32Array(dimensions)
      for (const [at, value] of hidden.entries()) {
        sum[at % dimensions] = (sum[at % dimensions] ?? 0) + value
      }
      return toUnitVector(sum)
    },
  }
}
