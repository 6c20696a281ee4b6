import { parentPort, type Transferable, Worker } from "node:worker_threads"
import { createMutex } from "../concurrency/mutex.ts"
import { Failure, type FailureCode, type FailureDetails } from "../errors.ts"
import type { MessageOrText } from "../i18n/message.ts"

/** An error as a message between threads; structured cloning drops its custom fields. */
type SerializedError =
  | { code: FailureCode; message: MessageOrText; details: FailureDetails }
  | { error: unknown; fields: Record<string, unknown> }

type WorkerReply<Answer> = { answer: Answer } | { serializedError: SerializedError }

const serializeError = (error: unknown): SerializedError => {
  if (error instanceof Failure) {
    const { cause, ...details } = error.details
    const { code, message: text, reference } = error
    return { code, message: reference ? { ...reference, text } : text, details }
  }
  return { error, fields: error instanceof Error ? { ...error } : {} }
}

const deserializeError = (serialized: SerializedError): unknown => {
  if ("code" in serialized)
    return new Failure(serialized.code, serialized.message, serialized.details)
  const { error, fields } = serialized
  return error instanceof Error ? Object.assign(error, fields) : error
}

interface PendingRequest<Answer> {
  resolve(answer: Answer): void
  reject(error: unknown): void
}

/**
 * Client of a worker thread that answers requests in order. The thread starts with the first request,
 * restarts after it has ended, and does not keep the process alive while idle.
 * @param workerData passed to the thread when it starts
 * @param idleMs the thread ends after this time without a request; if omitted, it stays
 */
export const createWorkerClient = <RequestMessage, Answer>(
  module: URL,
  workerData: unknown,
  idleMs?: number,
) => {
  let worker: Worker | undefined
  let pending: PendingRequest<Answer>[] = []
  let idle: NodeJS.Timeout | undefined

  const rejectPending = (error: Error): void => {
    const rejected = pending
    pending = []
    worker = undefined
    clearTimeout(idle)
    for (const { reject } of rejected) reject(error)
  }

  const close = async (): Promise<void> => {
    const ending = worker
    rejectPending(new Error("The worker thread was closed"))
    await ending?.terminate()
  }

  const startIdling = (): void => {
    worker?.unref()
    if (idleMs !== undefined) idle = setTimeout(() => void close(), idleMs).unref()
  }

  const settleNext = (reply: WorkerReply<Answer>): void => {
    const first = pending.shift()
    if ("serializedError" in reply) first?.reject(deserializeError(reply.serializedError))
    else first?.resolve(reply.answer)
    if (pending.length === 0) startIdling()
  }

  const startWorker = (): Worker => {
    const started = new Worker(module, { workerData })
    const onExit = (error: Error): void => {
      if (worker === started) rejectPending(error)
    }
    started.on("message", (reply: WorkerReply<Answer>) => {
      if (worker === started) settleNext(reply)
    })
    started.on("error", onExit)
    started.on("exit", () => onExit(new Error("The worker thread has exited")))
    return started
  }

  return {
    /**
     * @param transfer objects of the request whose ownership moves to the thread
     * @throws the thread's error, or an error if it has ended
     */
    request: (request: RequestMessage, transfer: readonly Transferable[] = []): Promise<Answer> =>
      new Promise((resolve, reject) => {
        clearTimeout(idle)
        worker ??= startWorker()
        worker.ref()
        pending.push({ resolve, reject })
        worker.postMessage(request, transfer)
      }),

    close,
  }
}

/** Runs inside such a thread: answers its requests, one at a time. */
export const serveRequests = <RequestMessage>(work: (request: RequestMessage) => unknown): void => {
  const port = parentPort
  const runExclusive = createMutex()
  const answer = async (request: RequestMessage): Promise<void> => {
    try {
      port?.postMessage({ answer: await work(request) })
    } catch (error) {
      port?.postMessage({ serializedError: serializeError(error) })
    }
  }
  port?.on("message", (request: RequestMessage) => void runExclusive(() => answer(request)))
}
