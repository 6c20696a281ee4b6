import { once } from "node:events"
import { setTimeout as sleep } from "node:timers/promises"
import { Worker } from "node:worker_threads"
import { z } from "zod"
import { createTurns } from "../limits/mutex.ts"
import { Problem } from "./schema.ts"

const maxMs = 20_000
/** The worker is kept between edits, because loading the parser takes 100 ms of CPU time. */
const keptMs = 5000
const heapMb = 256

const Told = z.object({ code: z.string().optional(), problem: Problem.optional() })

export type Stripped = { code: string } | { problem: Problem }

const unread: Stripped = {
  problem: { message: "The source is nested too deeply to be parsed", line: null, column: null },
}

const answerOf = async (worker: Worker, source: string): Promise<Stripped> => {
  const done = new AbortController()
  const { signal } = done
  try {
    worker.postMessage(source)
    const told = await Promise.race([
      once(worker, "message", { signal }),
      once(worker, "exit", { signal }).then(() => null),
      sleep(maxMs, null, { signal }),
    ])
    if (!told) return unread
    const { code, problem } = Told.parse(told[0])
    return problem ? { problem } : { code: code ?? "" }
  } catch {
    return unread
  } finally {
    done.abort()
  }
}

/**
 * Removes the types from sources, keeping every line and column. Runs in a worker thread that is
 * kept for a while; a source that crashes the parser takes only that thread down.
 */
export const createStripper = () => {
  const inTurn = createTurns()
  let worker: Worker | undefined
  let idle: NodeJS.Timeout | undefined

  const start = (): Worker => {
    const started = new Worker(new URL("./strip-types-worker.ts", import.meta.url), {
      env: {},
      resourceLimits: { stackSizeMb: 8, maxOldGenerationSizeMb: heapMb },
    })
    // The `exit` handler deals with it; an unhandled `error` event would crash the gateway.
    started.on("error", () => {})
    started.once("exit", () => {
      if (worker === started) worker = undefined
    })
    return started
  }
  const end = (): void => {
    clearTimeout(idle)
    void worker?.terminate()
    worker = undefined
  }

  return {
    strip: (source: string): Promise<Stripped> =>
      inTurn("", async () => {
        clearTimeout(idle)
        worker ??= start()
        const stripped = await answerOf(worker, source)
        const broken = "problem" in stripped && stripped.problem.line === null
        if (broken) {
          end()
          return unread
        }
        idle = setTimeout(end, keptMs).unref()
        return stripped
      }),

    close: end,
  }
}

export type Stripper = ReturnType<typeof createStripper>
