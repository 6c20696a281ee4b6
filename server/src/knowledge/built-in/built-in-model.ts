import { createRequire } from "node:module"
import type { TextKind } from "../embedding-input-type.ts"
import { createEmbeddingProcess } from "./embedding-process.ts"
import { builtInModelFolder } from "./model-files.ts"

/** How the built-in model is chosen; a connection's model of this name is not used for search. */
export const builtInModelId = "built-in/all-minilm-l6-v2"

const defaultIdleMs = 60_000
const defaultTimeoutMs = 30_000

export interface BuiltInModelOptions {
  /** Null leaves the built-in model out. */
  builtInModelFolder?: string | null
  builtInModelIdleMs?: number
  builtInModelTimeoutMs?: number
}

interface Deps extends BuiltInModelOptions {
  warn: (message: string) => void
}

/** The runtime is an optional dependency: npm leaves it out where it has no binary. */
const findProblem = (): string | null => {
  try {
    createRequire(import.meta.url).resolve("onnxruntime-node")
    return null
  } catch {
    return `onnxruntime-node is not installed (${process.platform}-${process.arch})`
  }
}

/** all-MiniLM-L6-v2, which comes with the gateway and runs in a child process. */
export const createBuiltInModel = (deps: Deps) => {
  const folder =
    deps.builtInModelFolder === undefined ? builtInModelFolder : deps.builtInModelFolder
  const listeners = new Set<() => void>()
  let problem: string | null = null

  const setProblem = (reason: string): void => {
    problem = reason
    deps.warn(`The built-in embedding model is unavailable: ${reason}`)
    for (const listener of listeners) listener()
  }
  const { embed, close } = createEmbeddingProcess({
    folder: folder ?? "",
    idleMs: deps.builtInModelIdleMs ?? defaultIdleMs,
    timeoutMs: deps.builtInModelTimeoutMs ?? defaultTimeoutMs,
    reportUnavailable: setProblem,
  })
  if (folder === null) problem = "it was left out"
  else {
    const missing = findProblem()
    if (missing !== null) setProblem(missing)
  }

  return {
    /** Why it cannot be used until the next start; null while it can. */
    problem: (): string | null => problem,
    /** Calls back when it turns out that it cannot be used. */
    onChange: (listener: () => void): void => void listeners.add(listener),

    /** Unit vectors of texts, in their order. */
    embed: async (
      { texts, kind }: { texts: readonly string[]; kind: TextKind },
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
