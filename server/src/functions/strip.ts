import { Worker } from "node:worker_threads"
import { z } from "zod"
import { Problem } from "./schema.ts"

const longestMs = 20_000
const heapMb = 256

const Told = z.object({ code: z.string().optional(), problem: Problem.optional() })

export type Stripped = { code: string } | { problem: Problem }

const unread: Stripped = {
  problem: { message: "The source is too deeply nested to be read", line: null, column: null },
}

/**
 * Takes the types out of a source; what is left stands where it stood. In a thread of its own that
 * ends with it: a source that breaks the parser breaks it for good.
 */
export const stripTypes = (source: string): Promise<Stripped> =>
  new Promise((resolve) => {
    const worker = new Worker(new URL("./strip-worker.ts", import.meta.url), {
      workerData: source,
      env: {},
      resourceLimits: { stackSizeMb: 8, maxOldGenerationSizeMb: heapMb },
    })
    const settle = (stripped: Stripped): void => {
      clearTimeout(timer)
      resolve(stripped)
      void worker.terminate()
    }
    const timer = setTimeout(() => settle(unread), longestMs)
    worker.once("message", (message: unknown) => {
      const { code, problem } = Told.parse(message)
      settle(problem ? { problem } : { code: code ?? "" })
    })
    worker.once("error", () => settle(unread))
    worker.once("exit", () => settle(unread))
  })
