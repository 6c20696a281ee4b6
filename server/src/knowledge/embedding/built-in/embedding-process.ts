import { type ChildProcess, fork } from "node:child_process"
import { getCompileCacheDir } from "node:module"
import { join } from "node:path"
import { createRetryPause } from "../../../concurrency/retry-pause.ts"
import { lowerProcessPriority } from "../../../concurrency/thread-priority.ts"
import { toError } from "../../../errors.ts"
import type { EmbeddingInputType } from "../embedding-input-type.ts"
import type {
  EmbeddingMessage,
  EmbeddingProcessArguments,
  EmbeddingTask,
} from "./embedding-worker.ts"
import { type ModelDescription, modelNameOf } from "./model-descriptions.ts"

const heapMb = 128
/**
 * A child that exits this often in a row without an answer is restarted only after a pause; it may
 * be out of memory.
 */
const maxFailures = 5
const maxRetryMs = 30 * 60_000
/** Questions have priority. */
const kinds: readonly EmbeddingInputType[] = ["query", "passage"]

interface Deps {
  folder: string
  model: ModelDescription
  /** An idle child is ended after this time. */
  idleMs: number
  /** Time limit for one text, including the start of the child. */
  timeoutMs: number
  /** First pause in ms after the model became unavailable. */
  retryMs: number
  /** Called with the reason when the model becomes unavailable, and with null when it may work again. */
  reportProblem: (reason: string | null) => void
}

interface Request extends EmbeddingTask {
  resolve: (vector: Float32Array) => void
  reject: (error: Error) => void
}

interface SentRequest extends Request {
  timer: NodeJS.Timeout
}

const isVector = (vector: Float32Array, dimensions: number): boolean =>
  vector.length === dimensions && vector.every(Number.isFinite)

const startChild = (started: EmbeddingProcessArguments): ChildProcess => {
  const child = fork(join(import.meta.dirname, "embedding-worker.ts"), [JSON.stringify(started)], {
    execArgv: [
      `--max-old-space-size=${heapMb}`,
      "--single-threaded",
      "--disable-warning=ExperimentalWarning",
    ],
    serialization: "advanced",
    stdio: ["ignore", "ignore", "ignore", "ipc"],
    // No other environment variables, so that the child has no access to secrets.
    env: { NODE_COMPILE_CACHE: getCompileCacheDir() ?? "", MALLOC_ARENA_MAX: "2" },
  })
  lowerProcessPriority(child.pid)
  child.unref()
  child.channel?.unref()
  return child
}

/**
 * Embeds texts in a child process, which starts with the first text and ends when idle. A question
 * waits for at most one window of a passage.
 */
export const createEmbeddingProcess = (deps: Deps) => {
  const name = `The embedding model ${modelNameOf(deps.model)}`
  const waiting: Record<EmbeddingInputType, Request[]> = { query: [], passage: [] }
  const sent = new Map<EmbeddingInputType, SentRequest>()
  let child: ChildProcess | undefined
  let idleTimer: NodeJS.Timeout | undefined
  /** Why no child is started at present. */
  let problem: string | null = null
  let retryTimer: NodeJS.Timeout | undefined
  const retryPause = createRetryPause({ minMs: deps.retryMs, maxMs: maxRetryMs })
  /** Number of exits in a row without an answer. */
  let failures = 0

  const takeSent = (kind: EmbeddingInputType): SentRequest | undefined => {
    const request = sent.get(kind)
    sent.delete(kind)
    clearTimeout(request?.timer)
    return request
  }

  /** Kills the child and fails its current requests; the next text starts another child. */
  const endChild = (reason: string): void => {
    child?.removeAllListeners()
    child?.on("error", () => {})
    child?.kill("SIGKILL")
    child = undefined
    for (const kind of kinds) takeSent(kind)?.reject(new Error(reason))
  }

  const receive = (message: EmbeddingMessage): void => {
    if (message.type === "unavailable") {
      pause(message.message)
      return
    }
    const request = takeSent(message.kind)
    failures = 0
    retryPause.reset()
    if (message.type === "failed") request?.reject(new Error(message.message))
    else if (isVector(message.vector, deps.model.dimensions)) request?.resolve(message.vector)
    else request?.reject(new Error(`${name} returned an invalid vector`))
    sendNext()
  }

  /** Starts no child for a while. If the next one also fails, the next pause is longer. */
  const pause = (reason: string): void => {
    problem = `${name} is unavailable: ${reason}`
    failures = maxFailures - 1
    retryTimer = setTimeout(() => {
      problem = null
      deps.reportProblem(null)
    }, retryPause.next()).unref()
    failAll(problem)
    deps.reportProblem(reason)
  }

  const open = (): ChildProcess => {
    if (child) return child
    child = startChild({ folder: deps.folder, model: deps.model })
    child.on("message", receive)
    const restart = (reason: string): void => {
      endChild(reason)
      failures++
      if (failures < maxFailures) sendNext()
      else pause(`its process exited ${failures} times in a row, last with: ${reason}`)
    }
    child.once("error", ({ message }) => restart(`${name} could not be started: ${message}`))
    child.once("exit", (code, signal) => restart(`${name} exited with ${code ?? signal}`))
    return child
  }

  const send = (request: Request): void => {
    const { kind, text } = request
    const timer = setTimeout(() => {
      endChild(`${name} took longer than ${deps.timeoutMs} ms`)
      sendNext()
    }, deps.timeoutMs)
    sent.set(kind, { ...request, timer: timer.unref() })
    try {
      // A send error means that the child has exited, which its `exit` handler deals with.
      open().send({ kind, text } satisfies EmbeddingTask, () => {})
    } catch (error) {
      // For example because no file descriptor is left.
      failAll(`${name} could not be started: ${toError(error).message}`)
    }
  }

  const sendNext = (): void => {
    clearTimeout(idleTimer)
    for (const kind of kinds) {
      if (sent.has(kind)) continue
      const request = waiting[kind].shift()
      if (request) send(request)
    }
    if (sent.size > 0 || !child) return
    idleTimer = setTimeout(() => endChild("idle"), deps.idleMs).unref()
  }

  const failAll = (reason: string): void => {
    clearTimeout(idleTimer)
    endChild(reason)
    for (const kind of kinds) {
      for (const request of waiting[kind].splice(0)) request.reject(new Error(reason))
    }
  }

  return {
    /** @throws if the child exits, times out, or returns an invalid vector */
    embed: async (task: EmbeddingTask, signal: AbortSignal): Promise<Float32Array> => {
      if (problem !== null) throw new Error(problem)
      signal.throwIfAborted()
      const { promise, resolve, reject } = Promise.withResolvers<Float32Array>()
      const queue = waiting[task.kind]
      const request: Request = { ...task, resolve, reject }
      const abort = (): void => {
        const at = queue.indexOf(request)
        if (at >= 0) queue.splice(at, 1)
        reject(signal.reason)
      }
      signal.addEventListener("abort", abort)
      queue.push(request)
      sendNext()
      return promise.finally(() => signal.removeEventListener("abort", abort))
    },

    close: (): void => {
      problem = "The gateway is stopping"
      clearTimeout(retryTimer)
      failAll(problem)
    },
  }
}
