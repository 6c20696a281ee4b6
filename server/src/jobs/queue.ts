import { randomUUID } from "node:crypto"
import { setTimeout as wait } from "node:timers/promises"
import { storageFailureOf } from "../db/connection-errors.ts"
import { afterCommit, type Database, type Tx } from "../db/database.ts"
import { createFailureDetector } from "../db/failure-detector.ts"
import { createJobStore, type Job, type NewJob } from "./store.ts"

/** Three renewals may be missed before another process takes the job. */
const leaseMs = 8000
const renewMs = 2000
/** How often other processes' jobs are looked for. */
const defaultLookMs = 1000
const gapMs = 3 * defaultLookMs
const defaultRetryMs = 500
const maxPauseMs = 60_000
const defaultNoRoomRetryMs = 5000
/** What random spread makes of a pause. */
const spread = { min: 0.75, max: 1.25 }

export interface JobRun {
  target: string
  /** Aborted when the lease is lost or the gateway stops; what was committed stays. */
  signal: AbortSignal
}

export interface JobKind {
  /** How many run at once in this process. */
  concurrency: number
  /** Failures after which it is given up. */
  attempts: number
  /**
   * A job that takes longer makes room for others: as many that take longer run beside the quick ones,
   * and one that is too many begins anew when it is its turn among those.
   */
  quickMs?: number
  /** @returns `unfinished` to go on after others had their turn */
  run(work: JobRun): Promise<"unfinished" | undefined>
  /** Told when the last attempt failed too; the job is gone then. */
  gaveUp(target: string, error: Error): Promise<void>
}

/** Thrown by work that no second try would help. */
export class PermanentJobError extends Error {
  override name = "Hopeless"
}

/** Why a run is aborted that makes room for others. */
const preempted = new Error("Preempted by another job")

const pauseMs = (firstPauseMs: number, attempt: number): number =>
  Math.min(maxPauseMs, firstPauseMs * 2 ** (attempt - 1)) *
  (spread.min + Math.random() * (spread.max - spread.min))

const maxErrorLength = 1000

/** Words that may quote anything: no database keeps NUL or half a character. */
const storable = (words: string): string =>
  words.slice(0, maxErrorLength).replaceAll("\u0000", "").toWellFormed()

const toError = (error: unknown): Error =>
  error instanceof Error ? error : new Error(String(error))

/** Waits, no longer than until `signal` aborts. */
const pass = (ms: number, signal: AbortSignal): Promise<void> =>
  wait(ms, undefined, { signal, ref: false }).catch(() => {})

/** Where a job runs: `slow` becomes 1 when the job turns out to take long. */
interface Place {
  slow: 0 | 1
}

export interface JobQueueOptions {
  jobLookMs?: number
  /** Before failed work is tried again; twice as long after each further failure. */
  jobRetryMs?: number
  /** Before work is tried again whose result found no room on the disk. */
  noRoomRetryMs?: number
}

interface Deps extends JobQueueOptions {
  db: Database
  kinds: Readonly<Record<string, JobKind>>
  /** True when no other process can hold a lease. */
  alone: boolean
  report: (error: Error) => void
}

/**
 * A durable queue: a job is a row until it is done. Whoever works on it holds a lease; a process
 * that dies loses it, and another takes the job up. Users have equal shares of the time.
 */
export const createJobQueue = ({ db, kinds, alone, report, ...options }: Deps) => {
  const { jobRetryMs = defaultRetryMs, noRoomRetryMs = defaultNoRoomRetryMs } = options
  const { jobLookMs: lookMs = defaultLookMs } = options
  const store = createJobStore(db)
  const names = Object.keys(kinds)
  const stopping = new AbortController()
  const detector = createFailureDetector({ deadAfterMs: leaseMs, gapMs })
  const busyByKind = new Map(names.map((name) => [name, { 0: 0, 1: 0 }]))
  const abortByTarget = new Map<string, AbortController>()
  const loops = new Set<Promise<void>>()
  let timer: NodeJS.Timeout | undefined

  const keepLease = async (job: Job, lost: () => void, signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      await pass(renewMs, signal)
      if (signal.aborted) return
      const kept = await store
        .renew(job.id, job.holder ?? "", Date.now() + leaseMs)
        .catch(() => true)
      if (!kept) return lost()
    }
  }

  /** @returns false while as many jobs that take long run as may */
  const moveToSlow = (name: string, place: Place): boolean => {
    const busy = busyByKind.get(name)
    if (!busy || busy[1] >= (kinds[name]?.concurrency ?? 0)) return false
    busy[0]--
    busy[1]++
    place.slow = 1
    look(name)
    return true
  }

  /** Waits until a job has taken long. @returns whether it has to go, as others want its place */
  const hasToGo = async (job: Job, place: Place, signal: AbortSignal): Promise<boolean> => {
    const quickMs = kinds[job.kind]?.quickMs
    if (quickMs === undefined || place.slow === 1) return false
    await pass(quickMs, signal)
    while (!signal.aborted) {
      if (moveToSlow(job.kind, place)) return false
      const quick = { kind: job.kind, slow: 0 } as const
      const wanted = await store.hasDueForOthers(quick, job.owner, Date.now()).catch(() => false)
      if (wanted) return !signal.aborted
      await pass(lookMs, signal)
    }
    return false
  }

  const failed = async (job: Job, kind: JobKind, { error, usedMs }: Failed): Promise<void> => {
    if (stopping.signal.aborted) return store.putBack(job, {}, usedMs)
    if (storageFailureOf(error)) {
      // Not the job's fault: it is not given up for it, however long it takes.
      return store.putBack(job, { run_at: Date.now() + noRoomRetryMs }, usedMs)
    }
    const attempts = job.attempts + 1
    if (error instanceof PermanentJobError || attempts >= kind.attempts) {
      await kind.gaveUp(job.target, error)
      return store.finish(job, usedMs)
    }
    const run_at = Math.round(Date.now() + pauseMs(jobRetryMs, attempts))
    return store.putBack(job, { run_at, attempts, error: storable(error.message) }, usedMs)
  }

  const runOne = async (job: Job, kind: JobKind, place: Place): Promise<void> => {
    const startedAt = performance.now()
    const usedMs = (): number => performance.now() - startedAt
    const lease = new AbortController()
    const finished = new AbortController()
    const key = `${job.kind} ${job.target}`
    abortByTarget.set(key, lease)
    void keepLease(job, () => lease.abort(), finished.signal)
    void hasToGo(job, place, finished.signal).then((goes) => {
      if (goes) lease.abort(preempted)
    })
    const signal = AbortSignal.any([lease.signal, stopping.signal])
    try {
      const outcome = await kind.run({ target: job.target, signal })
      if (outcome === "unfinished") {
        await store.putBack(job, { run_at: 0, attempts: 0, error: null }, usedMs())
      } else await store.finish(job, usedMs())
    } catch (error) {
      if (lease.signal.reason === preempted) await store.putBack(job, { slow: 1 }, usedMs())
      else if (!lease.signal.aborted) {
        await failed(job, kind, { error: toError(error), usedMs: usedMs() })
      }
    } finally {
      finished.abort()
      abortByTarget.delete(key)
    }
  }

  const take = async (name: string, slow: 0 | 1): Promise<Job | null> => {
    const at = Date.now()
    const selector = { kind: name, slow }
    if (stopping.signal.aborted || !(await store.hasDue(selector, at))) return null
    return store.take(selector, { holder: randomUUID(), lease_until: at + leaseMs }, at)
  }

  const work = async (name: string, kind: JobKind, place: Place): Promise<void> => {
    const { slow } = place
    try {
      while (place.slow === slow) {
        const job = await take(name, slow)
        if (!job) return
        look(name)
        await runOne(job, kind, place)
      }
    } catch (error) {
      if (!stopping.signal.aborted) report(toError(error))
    }
  }

  /** Begins to work on a kind where fewer than allowed do; they go when nothing is due. */
  const lookIn = (name: string, slow: 0 | 1): void => {
    const kind = kinds[name]
    const busy = busyByKind.get(name)
    if (!kind || !busy || busy[slow] >= kind.concurrency || stopping.signal.aborted) return
    busy[slow]++
    const place: Place = { slow }
    const loop = work(name, kind, place).finally(() => {
      busy[place.slow]--
      loops.delete(loop)
    })
    loops.add(loop)
  }

  const look = (name: string): void => {
    lookIn(name, 0)
    if (kinds[name]?.quickMs !== undefined) lookIn(name, 1)
  }

  /** Frees what dead processes hold, and what a clock that was ahead has put off. */
  const free = async (): Promise<void> => {
    // Alone too: a run whose end could not be written holds its lease as if it were dead.
    const dead = detector.observe(await store.leases(), performance.now())
    for (const lease of dead) await store.endLease(lease)
    await store.bringForward(names, Date.now() + maxPauseMs * spread.max)
  }

  const lookForAll = async (): Promise<void> => {
    await free().catch((error) => {
      if (!stopping.signal.aborted) report(toError(error))
    })
    for (const name of names) look(name)
  }

  let looking: Promise<void> | undefined
  const lookOnce = (): Promise<void> => {
    looking ??= lookForAll().finally(() => {
      looking = undefined
    })
    return looking
  }

  return {
    /** Begins to work. */
    start: async (): Promise<void> => {
      await store.open(names)
      if (alone) await store.releaseAll()
      await lookOnce()
      timer = setInterval(() => void lookOnce(), lookMs).unref()
    },

    /** Adds a job, done some time after `tx` commits; one that waits for the target is renewed. */
    add: async (tx: Tx, job: NewJob): Promise<void> => {
      await store.add(tx, job, Date.now())
      afterCommit(tx, () => look(job.kind))
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
      await looking
      await Promise.allSettled(loops)
    },
  }
}

interface Failed {
  error: Error
  usedMs: number
}

export type JobQueue = ReturnType<typeof createJobQueue>
