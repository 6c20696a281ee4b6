import { setImmediate as nextEventLoopTurn } from "node:timers/promises"
import type { EmbeddingInputType } from "../embedding-input-type.ts"
import type { ModelDescription } from "./model-descriptions.ts"

/** Sent by the gateway: at most one text of each kind at a time. */
export interface EmbeddingTask {
  kind: EmbeddingInputType
  text: string
}

/** Sent to the gateway. */
export type EmbeddingMessage =
  | { type: "vector"; kind: EmbeddingInputType; vector: Float32Array }
  | { type: "failed"; kind: EmbeddingInputType; message: string }
  /** The model cannot be loaded; the process exits. */
  | { type: "unavailable"; message: string }

/** What the gateway starts the process with, as JSON. */
export interface EmbeddingProcessArguments {
  folder: string
  model: ModelDescription
}

const [, , json = ""] = process.argv
const { folder, model: description }: EmbeddingProcessArguments = JSON.parse(json)

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error)

const send = (message: EmbeddingMessage): Promise<void> =>
  new Promise((resolve, reject) => {
    process.send?.(message, undefined, {}, (error) => (error ? reject(error) : resolve()))
  })

const load = async () => {
  // Imported lazily, because the runtime is optional: without a binary, this import fails.
  const { averageVectors, loadTransformer } = await import("./transformer.ts")
  const model = await loadTransformer(folder, description)

  /**
   * @param pause awaited before each window, so that a question does not wait for a long passage
   */
  return async (
    { kind, text }: EmbeddingTask,
    pause?: () => Promise<void>,
  ): Promise<Float32Array> => {
    const vectors: Float32Array[] = []
    for (const window of model.split(text)) {
      await pause?.()
      vectors.push(await model.embedWindow(window, kind))
    }
    return averageVectors(vectors)
  }
}

const pending = new Map<EmbeddingInputType, string>()
let loading: ReturnType<typeof load> | undefined
let working = false

const embedPending = async (
  kind: EmbeddingInputType,
  pause?: () => Promise<void>,
): Promise<void> => {
  const text = pending.get(kind)
  if (text === undefined || !loading) return
  pending.delete(kind)
  const embed = await loading
  try {
    await send({ type: "vector", kind, vector: await embed({ kind, text }, pause) })
  } catch (error) {
    await send({ type: "failed", kind, message: messageOf(error) })
  }
}

const embedPendingQuestion = async (): Promise<void> => {
  // Messages arrive between iterations of the event loop.
  await nextEventLoopTurn()
  await embedPending("query")
}

const work = async (): Promise<void> => {
  if (working) return
  working = true
  while (pending.size > 0) {
    await embedPending("query")
    await embedPending("passage", embedPendingQuestion)
  }
  working = false
}

loading = load()
loading.catch(async (error) => {
  await send({ type: "unavailable", message: messageOf(error) })
  process.exit(1)
})

process.on("message", ({ kind, text }: EmbeddingTask) => {
  pending.set(kind, text)
  // Fails only if the model cannot be loaded or the gateway has exited; both end this process.
  work().catch(() => {})
})
process.on("disconnect", () => process.exit(0))
