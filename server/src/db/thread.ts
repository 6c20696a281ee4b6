import { parentPort, Worker } from "node:worker_threads"

type Reply<Answer> = { answer: Answer } | { error: Error }

interface Waiting<Answer> {
  resolve(answer: Answer): void
  reject(error: Error): void
}

/**
 * A thread with a connection of its own to the embedded database, which answers questions in their
 * order. It begins with the first one, again after it has ended, and lets the process end when it
 * owes no answer.
 *
 * @param idleMs after so long without a question it ends; without it, it stays
 */
export const createThread = <Question, Answer>(module: URL, path: string, idleMs?: number) => {
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
    if ("error" in reply) first?.reject(reply.error)
    else first?.resolve(reply.answer)
    if (waiting.length === 0) rest()
  }

  const begin = (): Worker => {
    const begun = new Worker(module, { workerData: { path } })
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
    /** @throws what the thread threw, or that it has ended */
    ask: (question: Question): Promise<Answer> =>
      new Promise((resolve, reject) => {
        clearTimeout(idle)
        worker ??= begin()
        worker.ref()
        waiting.push({ resolve, reject })
        worker.postMessage(question)
      }),

    close,
  }
}

/** Answers, within such a thread, what it is asked. */
export const answerWith = <Question>(work: (question: Question) => unknown): void => {
  const port = parentPort
  port?.on("message", (question: Question) => {
    try {
      port.postMessage({ answer: work(question) })
    } catch (error) {
      port.postMessage({ error })
    }
  })
}
