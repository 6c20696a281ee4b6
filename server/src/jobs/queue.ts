import { randomUUID } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import type { BackgroundTasks } from "../background/background-tasks.ts"
import { runAs } from "../concurrency/current-user.ts"
import { afterCommit, type Database, type Tx } from "../db/database.ts"
import { createDeadHolderDetector } from "../db/dead-holders.ts"
import { storageFailureOf } from "../db/outages.ts"
import { toError } from "../errors.ts"
import { maxRetryDelayMs, retryDelayMs } from "./retry-delay.ts"
import { createJobStore, type Job, type NewJob } from "./store.ts"

/** A holder may miss three renewals before another process takes the job. */
const leaseMs = 8000
const renewMs = 2000
/** How often to poll for jobs added by other processes. */
const defaultPollMs = 1000
const gapMs = 3 * defaultPollMs
const defaultRetryMs = 500
const defaultStorageRetryMs = 5000

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
  /** Kinds whose jobs go first: while any of them is due or running, no job of this kind starts. */
  after?: readonly string[]
  /** @returns `unfinished` to run again after other owners' jobs */
  run(run: JobRun): Promise<"unfinished" | undefined>
  /** Called after the last attempt has failed, before the job is deleted. */
  onGivenUp(target: string, error: Error): Promise<void>
}

/** Thrown by a job that a retry would not help; the job is given up immediately. */
export class PermanentJobError extends Error {
  override name = "PermanentJobError"
}

/** Abort reason of a preempted job. */
const preempted = new Error("Preempted by another job")

const maxErrorLength = 1000

/** An error message may quote any input; databases reject NUL and lone surrogates. */
const toStorable = (message: string): string =>
  message.slice(0, maxErrorLength).replaceAll("\u0000", "").toWellFormed()

/** Waits for `ms` or until `signal` aborts. */
const waitFor = (ms: number, signal: AbortSignal): Promise<void> =>
  sleep(ms, undefined, { signal, ref: false }).catch(() => {})

/** The slot in which a job runs; `slow` becomes 1 when the job exceeds `quickMs`. */
interface JobSlot {
  slow: 0 | 1
}

export interface JobQueueOptions {
  jobPollMs?: number
  /** Delay before the first retry; doubles with each failure. */
  jobRetryMs?: number
  /** Delay before the retry of a job that failed because storage is full or unavailable. */
  jobStorageRetryMs?: number
}

interface Deps extends JobQueueOptions {
  db: Database
  /** True when no other process can hold a lease. */
  isOnlyProcess: boolean
  background: BackgroundTasks
}

/**
 * A durable job queue: a job is a database row until it is done. A running job holds a lease; when
 * its process dies, the lease expires and another process takes the job. Users share the time
 * equally.
 */
export interface JobQueue {
  /** Call before `start`. */
  register(name: string, kind: JobKind): void
  start(): Promise<void>
  /** Adds jobs that run after `tx` commits, or resets those that exist for their targets. */
  add(tx: Tx, jobs: readonly NewJob[]): Promise<void>
  /** Deletes a job; once `tx` commits, aborts it if it is running in this process. */
  cancel(tx: Tx, kind: string, target: string): Promise<void>
  /**
   * Waits for running jobs, which the shutdown aborts; they resume at the next start from what they
   * committed.
   */
  close(): Promise<void>
}

export const createJobQueue = ({ background, db, isOnlyProcess, ...options }: Deps): JobQueue => {
  const { jobRetryMs = defaultRetryMs, jobStorageRetryMs = defaultStorageRetryMs } = options
  const { jobPollMs: pollMs = defaultPollMs } = options
  const store = createJobStore(db)
  const kinds: Record<string, JobKind> = {}
  const { signal: stopping } = background
  const deadHolders = createDeadHolderDetector({ deadAfterMs: leaseMs, gapMs })
  const runningByKind = new Map<string, Record<0 | 1, number>>()
  const abortByTarget = new Map<string, AbortController>()
  const loops = new Set<Promise<unknown>>()
  let isStarted = false

  const renewLease = async (job: Job, onLost: () => void, signal: AbortSignal): Promise<void> => {
    let isKept = true
    const renew = async (): Promise<void> => {
      isKept = await store.renew(job.id, job.holder ?? "", Date.now() + leaseMs)
    }
    while (isKept) {
      await waitFor(renewMs, signal)
      if (signal.aborted) return
      await background.runInBackground("renew leases of jobs", renew)
    }
    onLost()
  }

  /** @returns false if all slow slots are taken */
  const moveToSlowSlot = (name: string, slot: JobSlot): boolean => {
    const running = runningByKind.get(name)
    if (!running || running[1] >= (kinds[name]?.concurrency ?? 0)) return false
    running[0]--
    running[1]++
    slot.slow = 1
    startLoops(name)
    return true
  }

  /**
   * Waits until the job exceeds `quickMs`, then moves it to a slow slot when one is free.
   * @returns whether to preempt it because another owner's job needs its slot
   */
  const waitUntilPreempted = async (
    job: Job,
    slot: JobSlot,
    signal: AbortSignal,
  ): Promise<boolean> => {
    const quickMs = kinds[job.kind]?.quickMs
    if (quickMs === undefined || slot.slow === 1) return false
    await waitFor(quickMs, signal)
    while (!signal.aborted) {
      if (moveToSlowSlot(job.kind, slot)) return false
      const quick = { kind: job.kind, slow: 0 } as const
      // If it cannot be read, the job goes on, and the next poll decides.
      const isSlotNeeded = await store
        .hasDueForOthers(quick, job.owner, Date.now())
        .catch(() => false)
      if (isSlotNeeded) return !signal.aborted
      await waitFor(pollMs, signal)
    }
    return false
  }

  const handleFailure = async (
    job: Job,
    kind: JobKind,
    { error, usedMs }: { error: Error; usedMs: number },
  ): Promise<void> => {
    if (stopping.aborted) return store.requeue(job, {}, usedMs)
    if (storageFailureOf(error)) {
      // Storage failures do not count as attempts, however long they last.
      return store.requeue(job, { run_at: Date.now() + jobStorageRetryMs }, usedMs)
    }
    const attempts = job.attempts + 1
    if (error instanceof PermanentJobError || attempts >= kind.attempts) {
      await kind.onGivenUp(job.target, error)
      return store.finish(job, usedMs)
    }
    const run_at = Math.round(Date.now() + retryDelayMs(jobRetryMs, attempts))
    return store.requeue(job, { run_at, attempts, error: toStorable(error.message) }, usedMs)
  }

  const runJob = async (job: Job, kind: JobKind, slot: JobSlot): Promise<void> => {
    const startedAt = performance.now()
    const usedMs = (): number => performance.now() - startedAt
    const lease = new AbortController()
    const finished = new AbortController()
    const key = `${job.kind} ${job.target}`
    abortByTarget.set(key, lease)
    void renewLease(job, () => lease.abort(), finished.signal)
    void waitUntilPreempted(job, slot, finished.signal).then((isPreempted) => {
      if (isPreempted) lease.abort(preempted)
    })
    const signal = AbortSignal.any([lease.signal, stopping])
    try {
      const outcome = await runAs(job.owner, () => kind.run({ target: job.target, signal }))
      if (outcome === "unfinished") {
        await store.requeue(job, { run_at: 0, attempts: 0, error: null }, usedMs())
      } else await store.finish(job, usedMs())
    } catch (error) {
      if (lease.signal.reason === preempted) await store.requeue(job, { slow: 1 }, usedMs())
      else if (!lease.signal.aborted) {
        await handleFailure(job, kind, { error: toError(error), usedMs: usedMs() })
      }
    } finally {
      finished.abort()
      abortByTarget.delete(key)
    }
  }

  const takeJob = async (name: string, slow: 0 | 1): Promise<Job | null> => {
    const at = Date.now()
    const selector = { kind: name, slow }
    if (stopping.aborted || !(await store.hasDue(selector, at))) return null
    if (await store.isAnyActive(kinds[name]?.after ?? [], at)) return null
    return store.take(selector, { holder: randomUUID(), lease_until: at + leaseMs }, at)
  }

  const runDueJobs = async (name: string, kind: JobKind, slot: JobSlot): Promise<void> => {
    const { slow } = slot
    while (slot.slow === slow) {
      const job = await takeJob(name, slow)
      if (!job) return
      startLoops(name)
      await runJob(job, kind, slot)
    }
  }

  /** Starts a loop for the kind if a slot is free. The loop ends when no job is due. */
  const startLoop = (name: string, slow: 0 | 1): void => {
    const kind = kinds[name]
    const running = runningByKind.get(name)
    if (!kind || !running || running[slow] >= kind.concurrency || stopping.aborted) return
    running[slow]++
    const slot: JobSlot = { slow }
    const loop = background
      .runInBackground("run jobs", () => runDueJobs(name, kind, slot))
      .finally(() => {
        running[slot.slow]--
        loops.delete(loop)
        startLater(name)
      })
    loops.add(loop)
  }

  /** Starts the kinds that may have waited for this one. */
  const startLater = (name: string): void => {
    for (const [later, { after }] of Object.entries(kinds))
      if (after?.includes(name)) startLoops(later)
  }

  const startLoops = (name: string): void => {
    if (!isStarted) return
    startLoop(name, 0)
    if (kinds[name]?.quickMs !== undefined) startLoop(name, 1)
  }

  /** Ends the leases of dead processes and corrects jobs postponed by a clock that was ahead. */
  const releaseDeadLeases = async (): Promise<void> => {
    // Needed with a single process too: a run whose outcome could not be stored keeps its lease.
    const dead = deadHolders.observe(await store.leases(), performance.now())
    for (const lease of dead) await store.endLease(lease)
    await store.bringForward(Object.keys(kinds), Date.now() + maxRetryDelayMs)
  }

  const poll = async (): Promise<void> => {
    await background.runInBackground("release leases of jobs", releaseDeadLeases)
    for (const name of Object.keys(kinds)) startLoops(name)
  }

  return {
    register: (name, kind) => {
      kinds[name] = kind
      runningByKind.set(name, { 0: 0, 1: 0 })
    },

    start: async () => {
      await store.open(Object.keys(kinds))
      if (isOnlyProcess) await store.releaseAll()
      isStarted = true
      await poll()
      background.every(pollMs, "poll for jobs", poll)
    },

    add: async (tx, jobs) => {
      await store.add(tx, jobs, Date.now())
      for (const kind of new Set(jobs.map((job) => job.kind)))
        afterCommit(tx, () => startLoops(kind))
    },

    cancel: async (tx, kind, target) => {
      await store.remove(tx, kind, target)
      afterCommit(tx, () => abortByTarget.get(`${kind} ${target}`)?.abort())
    },

    close: async () => {
      await Promise.all(loops)
    },
  }
}
