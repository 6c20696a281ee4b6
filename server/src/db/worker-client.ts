import { parentPort, type Transferable, Worker } from "node:worker_threads"
import { Failure, type FailureCode, type FailureDetails } from "../errors.ts"

/** An error as a message between threads; structured cloning drops its custom fields. */
type Carried =
  | { code: FailureCode; message: string; details: FailureDetails }
  | { error: unknown; fields: Record<string, unknown> }

type Reply<Answer> = { answer: Answer } | { carried: Carried }

const carry = (error: unknown): Carried => {
  if (error instanceof Failure) {
    const { cause, ...details } = error.details
    return { code: error.code, message: error.message, details }
  }
  return { error, fields: error instanceof Error ? { ...error } : {} }
}

const arrived = (carried: Carried): unknown => {
  if ("code" in carried) return new Failure(carried.code, carried.message, carried.details)
  const { error, fields } = carried
  return error instanceof Error ? Object.assign(error, fields) : error
}

interface Waiting<Answer> {
  resolve(answer: Answer): void
  reject(error: unknown): void
}

/**
 * Client of a worker thread with its own database connection, which answers requests in order. The
 * thread starts with the first request, restarts after it has ended, and does not keep the process
 * alive while idle.
 * | @param workerData passed to the thread when it starts
 * @param idleMs the thread ends after this time without a request; if omitted, it stays
 */
export const createThread = <Question, Answer>(
  module: URL,
  workerData: unknown,
  idleMs?: number,
) => {
  let worker: Worker | undefined
  let waiting: Waiting<Answer>[] = []
  let idle: NodeJS.Timeout | undefined

  const end = (error: Error): void => {
    const owed = waiting
    waiting = []
    worker = undefined
    clearTimeout(idle)
    for (const { reject } of owed) reject(error)
  }

  const close = async (): Promise<void> => {
    const ending = worker
    end(new Error("The database worker was closed"))
    await ending?.terminate()
  }

  const rest = (): void => {
    worker?.unref()
    if (idleMs !== undefined) idle = setTimeout(() => void close(), idleMs).unref()
  }

  const replied = (reply: Reply<Answer>): void => {
    const first = waiting.shift()
    if ("carried" in reply) first?.reject(arrived(reply.carried))
    else first?.resolve(reply.answer)
    if (waiting.length === 0) rest()
  }

  const begin = (): Worker => {
    const begun = new Worker(module, { workerData })
    const ended = (error: Error): void => {
      if (worker === begun) end(error)
    }
    begun.on("message", (reply: Reply<Answer>) => {
      if (worker === begun) replied(reply)
    })
    begun.on("error", ended)
    begun.on("exit", () => ended(new Error("The database worker has exited")))
    return begun
  }

  return {
    /**
     * @param transfer objects of the request whose ownership moves to the thread
     * @throws the thread's error, or an error if it has ended
     */
    ask: (question: Question, transfer: readonly Transferable[] = []): Promise<Answer> =>
      new Promise((resolve, reject) => {
        clearTimeout(idle)
        worker ??= begin()
        worker.ref()
        waiting.push({ resolve, reject })
        worker.postMessage(question, transfer)
      }),

    close,
  }
}

/** Runs inside such a thread: answers its requests, one at a time. */
export const answerWith = <Question>(work: (question: Question) => unknown): void => {
  const port = parentPort
  let before: Promise<void> = Promise.resolve()
  const answer = async (question: Question): Promise<void> => {
    try {
      port?.postMessage({ answer: await work(question) })
    } catch (error) {
      port?.postMessage({ carried: carry(error) })
    }
  }
  port?.on("message", (question: Question) => {
    before = before.then(() => answer(question))
  })
}
