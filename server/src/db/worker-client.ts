import { parentPort, type Transferable, Worker } from "node:worker_threads"
import { Failure, type FailureCode, type FailureDetails } from "../errors.ts"

/** An error on its way between threads, which take none of its own fields along. */
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
 * A thread with a connection of its own to the database, which answers questions in their order. It
 * begins with the first one, again after it has ended, and lets the process end when it owes no
 * answer.
 *
 * @param workerData what it is told when it begins
 * @param idleMs after so long without a question it ends; without it, it stays
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
    end(new Error("the database's thread was closed"))
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
    begun.on("exit", () => ended(new Error("the database's thread has ended")))
    return begun
  }

  return {
    /**
     * @param transfer memory of the question that the thread has from now on
     * @throws what the thread threw, or that it has ended
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

/** Answers, within such a thread, what it is asked, one question after the other. */
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
