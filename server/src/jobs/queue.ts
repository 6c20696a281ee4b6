import { randomUUID } from "node:crypto"
import { setTimeout as wait } from "node:timers/promises"
import type { BackgroundTasks } from "../background/background-tasks.ts"
import { storageFailureOf } from "../db/connection-errors.ts"
import { afterCommit, type Database, type Tx } from "../db/database.ts"
import { createLeaseWatch } from "../db/lease-watch.ts"
import { runAs } from "../limits/current-user.ts"
import { createJobStore, type Job, type NewJob } from "./store.ts"

/** A holder may miss three renewals before another process takes the job. */
const leaseMs = 8000
const renewMs = 2000
/** How often to poll for jobs added by other processes. */
const defaultLookMs = 1000
const gapMs = 3 * defaultLookMs
const defaultRetryMs = 500
const maxPauseMs = 60_000
const defaultNoRoomRetryMs = 5000
/** Random factor applied to the retry delay. */
const spread = { min: 0.75, max: 1.25 }

export interface JobRun {
  target: string
  /** Aborted when the lease is lost, the job is preempted or canceled, or the gateway stops. */
  signal: AbortSignal
}

export interface JobKind {
  /** Maximum number of concurrent jobs in this process; slow ones (`quickMs`) count separately. */
  concurrency: number
  /** Number of attempts before the job is given up. */
  attempts: number
  /**
   * After this time a job moves to the slow slots, of which there are `concurrency` too. If none is
   * free while another owner's job waits, the job is preempted and later restarted in a slow slot.
   */
  quickMs?: number
  /** @returns `unfinished` to run again after other owners' jobs */
  run(work: JobRun): Promise<"unfinished" | undefined>
  /** Called after the last attempt has failed, before the job is deleted. */
  gaveUp(target: string, error: Error): Promise<void>
}

/** Thrown by a job that a retry would not help; the job is given up immediately. */
export class PermanentJobError extends Error {
  override name = "PermanentJobError"
}

/** Abort reason of a preempted job. */
const preempted = new Error("Preempted by another job")

const pauseMs = (firstPauseMs: number, attempt: number): number =>
  Math.min(maxPauseMs, firstPauseMs * 2 ** (attempt - 1)) *
  (spread.min + Math.random() * (spread.max - spread.min))

const maxErrorLength = 1000

/** An error message may quote any input; databases reject NUL and lone surrogates. */
const storable = (words: string): string =>
  words.slice(0, maxErrorLength).replaceAll("\u0000", "").toWellFormed()

const toError = (error: unknown): Error =>
  error instanceof Error ? error : new Error(String(error))

/** Waits for `ms` or until `signal` aborts. */
const pass = (ms: number, signal: AbortSignal): Promise<void> =>
  wait(ms, undefined, { signal, ref: false }).catch(() => {})

/** The slot in which a job runs; `slow` becomes 1 when the job exceeds `quickMs`. */
interface RunningJob {
  slow: 0 | 1
}

export interface JobQueueOptions {
  jobLookMs?: number
  /** Delay before the first retry; doubles with each failure. */
  jobRetryMs?: number
  /** Delay before the retry of a job that failed because storage is full or unavailable. */
  noRoomRetryMs?: number
}

interface Deps extends JobQueueOptions {
  db: Database
  /** True when no other process can hold a lease. */
  alone: boolean
  background: BackgroundTasks
}

/**
 * A durable job queue: a job is a database row until it is done. A running job holds a lease; when
 * its process dies, the lease expires and another process takes the job. Users share the time
 * equally.
 */
export const createJobQueue = ({ background, db, alone, ...options }: Deps) => {
  const { jobRetryMs = defaultRetryMs, noRoomRetryMs = defaultNoRoomRetryMs } = options
  const { jobLookMs: lookMs = defaultLookMs } = options
  const store = createJobStore(db)
  const kinds: Record<string, JobKind> = {}
  const { signal: stopping } = background
  const leaseWatch = createLeaseWatch({ deadAfterMs: leaseMs, gapMs })
  const busyByKind = new Map<string, Record<0 | 1, number>>()
  const abortByTarget = new Map<string, AbortController>()
  const loops = new Set<Promise<unknown>>()
  let isStarted = false

  const keepLease = async (job: Job, lost: () => void, signal: AbortSignal): Promise<void> => {
    let isKept = true
    const renew = async (): Promise<void> => {
      isKept = await store.renew(job.id, job.holder ?? "", Date.now() + leaseMs)
    }
    while (isKept) {
      await pass(renewMs, signal)
      if (signal.aborted) return
      await background.runInBackground("renew leases of jobs", renew)
    }
    lost()
  }

  /** @returns false if all slow slots are taken */
  const moveToSlow = (name: string, place: RunningJob): boolean => {
    const busy = busyByKind.get(name)
    if (!busy || busy[1] >= (kinds[name]?.concurrency ?? 0)) return false
    busy[0]--
    busy[1]++
    place.slow = 1
    look(name)
    return true
  }

  /**
   * Waits until the job exceeds `quickMs`, then moves it to a slow slot when one is free.
   * @returns whether to preempt it because another owner's job needs its slot
   */
  const hasToGo = async (job: Job, place: RunningJob, signal: AbortSignal): Promise<boolean> => {
    const quickMs = kinds[job.kind]?.quickMs
    if (quickMs === undefined || place.slow === 1) return false
    await pass(quickMs, signal)
    while (!signal.aborted) {
      if (moveToSlow(job.kind, place)) return false
      const quick = { kind: job.kind, slow: 0 } as const
      // If it cannot be read, the job goes on, and the next look decides.
      const wanted = await store.hasDueForOthers(quick, job.owner, Date.now()).catch(() => false)
      if (wanted) return !signal.aborted
      await pass(lookMs, signal)
    }
    return false
  }

  const failed = async (job: Job, kind: JobKind, { error, usedMs }: Failed): Promise<void> => {
    if (stopping.aborted) return store.putBack(job, {}, usedMs)
    if (storageFailureOf(error)) {
      // Storage failures do not count as attempts, however long they last.
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

  const runOne = async (job: Job, kind: JobKind, place: RunningJob): Promise<void> => {
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
    const signal = AbortSignal.any([lease.signal, stopping])
    try {
      const outcome = await runAs(job.owner, () => kind.run({ target: job.target, signal }))
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
    if (stopping.aborted || !(await store.hasDue(selector, at))) return null
    return store.take(selector, { holder: randomUUID(), lease_until: at + leaseMs }, at)
  }

  const work = async (name: string, kind: JobKind, place: RunningJob): Promise<void> => {
    const { slow } = place
    while (place.slow === slow) {
      const job = await take(name, slow)
      if (!job) return
      look(name)
      await runOne(job, kind, place)
    }
  }

  /** Starts a loop for the kind if a slot is free. The loop ends when no job is due. */
  const lookIn = (name: string, slow: 0 | 1): void => {
    const kind = kinds[name]
    const busy = busyByKind.get(name)
    if (!kind || !busy || busy[slow] >= kind.concurrency || stopping.aborted) return
    busy[slow]++
    const place: RunningJob = { slow }
    const loop = background
      .runInBackground("run jobs", () => work(name, kind, place))
      .finally(() => {
        busy[place.slow]--
        loops.delete(loop)
      })
    loops.add(loop)
  }

  const look = (name: string): void => {
    if (!isStarted) return
    lookIn(name, 0)
    if (kinds[name]?.quickMs !== undefined) lookIn(name, 1)
  }

  /** Ends the leases of dead processes and corrects jobs postponed by a clock that was ahead. */
  const free = async (): Promise<void> => {
    // Needed with a single process too: a run whose outcome could not be stored keeps its lease.
    const dead = leaseWatch.observe(await store.leases(), performance.now())
    for (const lease of dead) await store.endLease(lease)
    await store.bringForward(Object.keys(kinds), Date.now() + maxPauseMs * spread.max)
  }

  const lookForAll = async (): Promise<void> => {
    await background.runInBackground("free leases of jobs", free)
    for (const name of Object.keys(kinds)) look(name)
  }

  return {
    /** Call before `start`. */
    register: (name: string, kind: JobKind): void => {
      kinds[name] = kind
      busyByKind.set(name, { 0: 0, 1: 0 })
    },

    start: async (): Promise<void> => {
      await store.open(Object.keys(kinds))
      if (alone) await store.releaseAll()
      isStarted = true
      await lookForAll()
      background.every(lookMs, "look for jobs", lookForAll)
    },

    /** Adds jobs that run after `tx` commits, or resets those that exist for their targets. */
    add: async (tx: Tx, jobs: readonly NewJob[]): Promise<void> => {
      await store.add(tx, jobs, Date.now())
      for (const kind of new Set(jobs.map((job) => job.kind))) afterCommit(tx, () => look(kind))
    },

    /** Deletes a job; once `tx` commits, aborts it if it is running in this process. */
    cancel: async (tx: Tx, kind: string, target: string): Promise<void> => {
      await store.remove(tx, kind, target)
      afterCommit(tx, () => abortByTarget.get(`${kind} ${target}`)?.abort())
    },

    /**
     * Waits for running jobs, which the shutdown aborts; they resume at the next start from what
     * they committed.
     */
    close: async (): Promise<void> => {
      await Promise.all(loops)
    },
  }
}

interface Failed {
  error: Error
  usedMs: number
}

export type JobQueue = ReturnType<typeof createJobQueue>
