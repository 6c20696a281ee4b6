import { randomUUID } from "node:crypto"
import { setTimeout as wait } from "node:timers/promises"
import { afterCommit, type Database, type Tx } from "../db/database.ts"
import { createJobStore, type Job } from "./store.ts"

const leaseMs = 8000
/** Three may be missed before another process takes the job. */
const renewMs = 2000
/** How often other processes' jobs are looked for. */
const lookMs = 1000
const firstPauseMs = 500
const longestPauseMs = 60_000

export interface Work {
  target: string
  /** Aborted when the lease is lost or the gateway stops; what was committed stays. */
  signal: AbortSignal
}

export interface Kind {
  /** How many run at once in this process. */
  concurrency: number
  /** Failures after which it is given up. */
  attempts: number
  run(work: Work): Promise<void>
  /** Told when the last attempt failed too; the job is gone then. */
  gaveUp(target: string, error: Error): Promise<void>
}

/** Thrown by work that no second try would help. */
export class Hopeless extends Error {
  override name = "Hopeless"
}

const pauseMs = (attempt: number): number =>
  Math.min(longestPauseMs, firstPauseMs * 2 ** (attempt - 1)) * (0.75 + Math.random() / 2)

const toError = (error: unknown): Error =>
  error instanceof Error ? error : new Error(String(error))

interface Needs {
  db: Database
  kinds: Readonly<Record<string, Kind>>
  /** True when no other process can hold a lease. */
  alone: boolean
  report: (error: Error) => void
}

/**
 * A durable queue: a job is a row until it is done. Whoever works on it holds a lease; a process
 * that dies loses it, and another takes the job up.
 */
export const createQueue = ({ db, kinds, alone, report }: Needs) => {
  const store = createJobStore(db)
  const stopping = new AbortController()
  const runningByKind = new Map(Object.keys(kinds).map((name) => [name, 0]))
  const abortByTarget = new Map<string, AbortController>()
  const loops = new Set<Promise<void>>()
  let timer: NodeJS.Timeout | undefined

  const keepLease = async (job: Job, lost: () => void, signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      await wait(renewMs, undefined, { signal, ref: false }).catch(() => {})
      if (signal.aborted) return
      const kept = await store
        .renew(job.id, job.holder ?? "", Date.now() + leaseMs)
        .catch(() => true)
      if (!kept) return lost()
    }
  }

  const failed = async (job: Job, kind: Kind, error: Error): Promise<void> => {
    if (stopping.signal.aborted) {
      await store.again(job, { run_at: Date.now(), attempts: job.attempts, error: job.error })
      return
    }
    const attempts = job.attempts + 1
    if (error instanceof Hopeless || attempts >= kind.attempts) {
      await kind.gaveUp(job.target, error)
      await store.finish(job)
      return
    }
    const run_at = Math.round(Date.now() + pauseMs(attempts))
    await store.again(job, { run_at, attempts, error: error.message.slice(0, 1000) })
  }

  const runOne = async (job: Job, kind: Kind): Promise<void> => {
    const lease = new AbortController()
    const over = new AbortController()
    const key = `${job.kind} ${job.target}`
    abortByTarget.set(key, lease)
    void keepLease(job, () => lease.abort(), over.signal)
    const signal = AbortSignal.any([lease.signal, stopping.signal])
    try {
      await kind.run({ target: job.target, signal })
      await store.finish(job)
    } catch (error) {
      if (!lease.signal.aborted) await failed(job, kind, toError(error))
    } finally {
      over.abort()
      abortByTarget.delete(key)
    }
  }

  const take = async (name: string): Promise<Job | null> => {
    const at = Date.now()
    if (stopping.signal.aborted || !(await store.anyDue(name, at))) return null
    return store.take(name, randomUUID(), { at, leaseMs })
  }

  const work = async (name: string, kind: Kind): Promise<void> => {
    try {
      for (let job = await take(name); job; job = await take(name)) {
        look(name)
        await runOne(job, kind)
      }
    } catch (error) {
      if (!stopping.signal.aborted) report(toError(error))
    }
  }

  /** Begins to work on a kind where fewer than allowed do; they go when nothing is due. */
  const look = (name: string): void => {
    const kind = kinds[name]
    const running = runningByKind.get(name) ?? 0
    if (!kind || running >= kind.concurrency || stopping.signal.aborted) return
    runningByKind.set(name, running + 1)
    const loop = work(name, kind).finally(() => {
      runningByKind.set(name, (runningByKind.get(name) ?? 1) - 1)
      loops.delete(loop)
    })
    loops.add(loop)
  }

  const lookForAll = (): void => {
    for (const name of Object.keys(kinds)) look(name)
  }

  return {
    /** Begins to work. */
    start: async (): Promise<void> => {
      if (alone) await store.releaseAll()
      lookForAll()
      timer = setInterval(lookForAll, lookMs).unref()
    },

    /** Adds a job, done some time after `tx` commits; one that waits for the target is renewed. */
    add: async (tx: Tx, kind: string, target: string, turn = target): Promise<void> => {
      await store.add(tx, { kind, target, turn, at: Date.now() })
      afterCommit(tx, () => look(kind))
    },

    /** Takes a job back; one that runs in this process is ended once `tx` commits. */
    cancel: async (tx: Tx, kind: string, target: string): Promise<void> => {
      await store.remove(tx, kind, target)
      afterCommit(tx, () => abortByTarget.get(`${kind} ${target}`)?.abort())
    },

    /** Ends what runs; it goes on at the next start from what it had committed. */
    close: async (): Promise<void> => {
      stopping.abort()
      clearInterval(timer)
      await Promise.allSettled(loops)
    },
  }
}

export type Queue = ReturnType<typeof createQueue>
