import { once } from "node:events"
import { setTimeout as sleep } from "node:timers/promises"
import { Worker } from "node:worker_threads"

const maxMs = 20_000
/** The worker is kept between edits, because loading the parser takes 100 ms of CPU time. */
const idleAfterMs = 5000
const heapMb = 256

/** An error in a source. Lines and columns count from 1; null if unknown. */
interface SourceProblem {
  message: string
  line: number | null
  column: number | null
}

/** The source without types, or why it cannot be parsed. */
export type StripResult = { code: string } | { problem: SourceProblem }

const unparsable: StripResult = {
  problem: { message: "The source is nested too deeply to be parsed", line: null, column: null },
}

const requestStrip = async (worker: Worker, source: string): Promise<StripResult> => {
  const done = new AbortController()
  const { signal } = done
  try {
    worker.postMessage(source)
    const reply = await Promise.race([
      once(worker, "message", { signal }),
      once(worker, "exit", { signal }).then(() => null),
      sleep(maxMs, null, { signal }),
    ])
    const result: StripResult = reply?.[0] ?? unparsable
    return result
  } catch {
    return unparsable
  } finally {
    done.abort()
  }
}

/**
 * Removes the types from sources, keeping every line and column. Runs in a worker thread that is
 * kept for a while; a source that crashes the parser takes only that thread down.
 */
export interface TypeStripper {
  /** Sources are processed in order, one at a time. */
  strip(source: string): Promise<StripResult>
  close(): void
}

export const createTypeStripper = (): TypeStripper => {
  let previous: Promise<unknown> = Promise.resolve()
  let worker: Worker | undefined
  let idle: NodeJS.Timeout | undefined

  const start = (): Worker => {
    const newWorker = new Worker(new URL("./strip-types-worker.ts", import.meta.url), {
      env: {},
      resourceLimits: { stackSizeMb: 8, maxOldGenerationSizeMb: heapMb },
    })
    // The `exit` handler deals with it; an unhandled `error` event would crash the gateway.
    newWorker.on("error", () => {})
    newWorker.once("exit", () => {
      if (worker === newWorker) worker = undefined
    })
    return newWorker
  }
  const end = (): void => {
    clearTimeout(idle)
    void worker?.terminate()
    worker = undefined
  }

  const stripNow = async (source: string): Promise<StripResult> => {
    clearTimeout(idle)
    worker ??= start()
    const stripped = await requestStrip(worker, source)
    const isBroken = "problem" in stripped && stripped.problem.line === null
    if (isBroken) {
      end()
      return unparsable
    }
    idle = setTimeout(end, idleAfterMs).unref()
    return stripped
  }

  return {
    strip: (source) => {
      const result = previous.then(() => stripNow(source))
      previous = result.catch(() => {})
      return result
    },

    close: end,
  }
}
