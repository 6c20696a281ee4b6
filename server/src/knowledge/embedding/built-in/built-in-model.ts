import { createRequire } from "node:module"
import type { Logger } from "pino"
import type { EmbeddingInputType } from "../embedding-input-type.ts"
import { createEmbeddingProcess } from "./embedding-process.ts"
import { builtInModelFolder } from "./model-files.ts"

/** The built-in model's id; a connection's model with this id is not used for search. */
export const builtInModelId = "built-in/all-minilm-l6-v2"

const defaultIdleMs = 60_000
const defaultTimeoutMs = 30_000
const defaultRetryMs = 15_000

export interface BuiltInModelOptions {
  /** Null disables the built-in model. */
  builtInModelFolder?: string | null
  builtInModelIdleMs?: number
  builtInModelTimeoutMs?: number
  builtInModelRetryMs?: number
}

interface Deps extends BuiltInModelOptions {
  log: Pick<Logger, "warn">
}

/** The runtime is an optional dependency, which npm skips on platforms without a binary. */
const findProblem = (): string | null => {
  try {
    createRequire(import.meta.url).resolve("onnxruntime-node")
    return null
  } catch {
    return `onnxruntime-node is not installed (${process.platform}-${process.arch})`
  }
}

/** all-MiniLM-L6-v2, shipped with the gateway and run in a child process. */
export const createBuiltInModel = (deps: Deps) => {
  const folder =
    deps.builtInModelFolder === undefined ? builtInModelFolder : deps.builtInModelFolder
  const listeners = new Set<() => void>()
  let problem: string | null = null

  const setProblem = (reason: string | null): void => {
    problem = reason
    if (reason !== null) deps.log.warn(`The built-in embedding model is unavailable: ${reason}`)
    for (const listener of listeners) listener()
  }
  const { embed, close } = createEmbeddingProcess({
    folder: folder ?? "",
    idleMs: deps.builtInModelIdleMs ?? defaultIdleMs,
    timeoutMs: deps.builtInModelTimeoutMs ?? defaultTimeoutMs,
    retryMs: deps.builtInModelRetryMs ?? defaultRetryMs,
    reportProblem: setProblem,
  })
  if (folder === null) problem = "it is disabled"
  else {
    const missing = findProblem()
    if (missing !== null) setProblem(missing)
  }

  return {
    /** Why the model is unavailable at present; null if it is available. */
    problem: (): string | null => problem,
    /** Registers a callback for when the model becomes unavailable or available again. */
    onChange: (listener: () => void): void => void listeners.add(listener),

    /** Unit vectors of the texts, in order. */
    embed: async (
      { texts, kind }: { texts: readonly string[]; kind: EmbeddingInputType },
      signal: AbortSignal,
    ): Promise<Float32Array[]> => {
      const vectors: Float32Array[] = []
      for (const text of texts) vectors.push(await embed({ kind, text }, signal))
      return vectors
    },

    close,
  }
}

export type BuiltInModel = ReturnType<typeof createBuiltInModel>
