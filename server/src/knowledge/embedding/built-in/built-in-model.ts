import { createRequire } from "node:module"
import type { Logger } from "pino"
import { type MessageOrText, toText } from "../../../i18n/message.ts"
import type { EmbeddingInputType } from "../embedding-input-type.ts"
import { createEmbeddingProcess } from "./embedding-process.ts"
import { type ModelDescription, modelNameOf } from "./model-descriptions.ts"

const defaultIdleMs = 60_000
const defaultTimeoutMs = 30_000
const defaultRetryMs = 15_000

export interface BuiltInModelTimes {
  builtInModelIdleMs?: number
  builtInModelTimeoutMs?: number
  builtInModelRetryMs?: number
}

interface Deps extends BuiltInModelTimes {
  folder: string
  model: ModelDescription
  log: Pick<Logger, "warn">
  /** Why the files are not available, as a sentence; null if they are. */
  missing: MessageOrText | null
  /** Called when the model becomes unavailable or available. */
  onChange: () => void
}

/** The runtime is an optional dependency, which npm skips on platforms without a binary. */
const findRuntimeProblem = (): string | null => {
  try {
    createRequire(import.meta.url).resolve("onnxruntime-node")
    return null
  } catch {
    return `onnxruntime-node is not installed (${process.platform}-${process.arch})`
  }
}

/** A model that the gateway runs in a child process, once its files are available. */
export const createBuiltInModel = (deps: Deps) => {
  const { folder, model } = deps
  let { missing } = deps
  const name = modelNameOf(model)
  /** Why the process cannot work. */
  let failure: string | null = findRuntimeProblem()
  let running: ReturnType<typeof createEmbeddingProcess> | null = null

  const logFailure = (): void => {
    if (failure !== null) deps.log.warn(`The embedding model ${name} is unavailable: ${failure}`)
  }
  logFailure()

  const startProcess = () =>
    createEmbeddingProcess({
      folder,
      model,
      idleMs: deps.builtInModelIdleMs ?? defaultIdleMs,
      timeoutMs: deps.builtInModelTimeoutMs ?? defaultTimeoutMs,
      retryMs: deps.builtInModelRetryMs ?? defaultRetryMs,
      reportProblem: (reason) => {
        failure = reason
        logFailure()
        deps.onChange()
      },
    })

  return {
    model,

    /** Why the model is unavailable at present, as a sentence; null if it is available. */
    problem: (): MessageOrText | null =>
      missing ?? (failure && `The embedding model ${name} is unavailable: ${failure}`),

    /** @param reason as `missing` */
    setMissing: (reason: MessageOrText | null): void => {
      missing = reason
      if (missing === null) return
      running?.close()
      running = null
      failure = findRuntimeProblem()
    },

    /** Unit vectors of the texts, in order. */
    embed: async (
      { texts, kind }: { texts: readonly string[]; kind: EmbeddingInputType },
      signal: AbortSignal,
    ): Promise<Float32Array[]> => {
      if (missing !== null) throw new Error(toText(missing))
      running ??= startProcess()
      const { embed } = running
      const vectors: Float32Array[] = []
      for (const text of texts) vectors.push(await embed({ kind, text }, signal))
      return vectors
    },

    close: (): void => {
      missing = "The gateway is stopping"
      running?.close()
    },
  }
}
