import { Failure } from "../errors.ts"

/** A call that needs a slot. Slots are shared fairly among kinds, and within a kind among keys. */
export interface SlotRequest {
  /** Calls with different pools have different slots. */
  pool?: string
  kind?: string
  /** For example a user or a network. */
  key: string
  /** Ends the wait. */
  signal?: AbortSignal
}

interface QueueLimits {
  /** Of one pool. */
  maxWaiting: number
  maxWaitingPerKey: number
  /** By default, calls wait without a time limit. */
  maxWaitMs?: number
  /** Creates the error for a call that is rejected. */
  createBusyError: (pool: string) => Error
}

interface Deps {
  /** Slots of each pool. */
  maxConcurrent: number
  /** Slots of a pool that one key may hold; all of them by default. */
  maxConcurrentPerKey?: number
  /** Without it, any number of calls wait. */
  queue?: QueueLimits
}

interface Call {
  kind: string
  /** Unique across kinds. */
  key: string
}

interface WaitingCall extends Call {
  admit: () => void
  reject: (error: Error) => void
}

interface Pool {
  name: string
  /** Number of slots in use. */
  slotsInUse: number
  slotsByKind: Map<string, number>
  slotsByKey: Map<string, number>
  /** In turn: when a call ends, the others of its kind and key move to the end. */
  waiting: WaitingCall[]
}

const addTo = (counts: Map<string, number>, name: string, amount: 1 | -1): void => {
  const count = (counts.get(name) ?? 0) + amount
  if (count > 0) counts.set(name, count)
  else counts.delete(name)
}

const addSlot = (pool: Pool, { kind, key }: Call, amount: 1 | -1): void => {
  pool.slotsInUse += amount
  addTo(pool.slotsByKind, kind, amount)
  addTo(pool.slotsByKey, key, amount)
}

/** Moves the waiting calls of a kind, and within it those of a key, behind all others. */
const moveToEnd = ({ waiting }: Pool, { kind, key }: Call): void => {
  const rank = (one: Call): number => Number(one.kind === kind) + Number(one.key === key)
  waiting.sort((one, other) => rank(one) - rank(other))
}

/** The item with the lowest count; among equals, the first. */
const findLowest = <T>(items: readonly T[], countOf: (item: T) => number): T | undefined => {
  const [first, ...others] = items
  return (
    first && others.reduce((one, other) => (countOf(other) < countOf(one) ? other : one), first)
  )
}

/**
 * A semaphore whose next slot goes to the kind, and within it to the key, that holds the fewest;
 * among equals, they take turns. So many calls of one key do not delay the few of another. When
 * the queue is full, the key with the most waiting calls loses its newest one.
 */
export const createSemaphore = (deps: Deps) => {
  const { maxConcurrent, maxConcurrentPerKey = maxConcurrent, queue } = deps
  const pools = new Map<string, Pool>()

  const poolOf = (name: string): Pool => {
    const known = pools.get(name)
    if (known) return known
    const slots = { slotsInUse: 0, slotsByKind: new Map(), slotsByKey: new Map() }
    const pool: Pool = { name, ...slots, waiting: [] }
    pools.set(name, pool)
    return pool
  }

  const hasRoom = ({ slotsInUse: size, slotsByKey }: Pool, { key }: Call): boolean =>
    size < maxConcurrent && (slotsByKey.get(key) ?? 0) < maxConcurrentPerKey

  const admitNext = (pool: Pool): void => {
    const { slotsByKind, slotsByKey } = pool
    const calls = pool.waiting.filter((call) => hasRoom(pool, call))
    const first = findLowest(calls, ({ kind }) => slotsByKind.get(kind) ?? 0)
    const ofKind = calls.filter(({ kind }) => kind === first?.kind)
    findLowest(ofKind, ({ key }) => slotsByKey.get(key) ?? 0)?.admit()
  }

  /** @throws {Error} of `createBusyError` if there is no room in the queue */
  const makeRoom = ({ name, waiting }: Pool, { key }: Call, limits: QueueLimits): void => {
    const counts = new Map<string, number>()
    for (const call of waiting) addTo(counts, call.key, 1)
    const own = counts.get(key) ?? 0
    if (own >= limits.maxWaitingPerKey) throw limits.createBusyError(name)
    if (waiting.length < limits.maxWaiting) return
    const [busiest, most] = [...counts].reduce((one, other) => (other[1] > one[1] ? other : one))
    if (own + 1 >= most) throw limits.createBusyError(name)
    waiting.findLast((call) => call.key === busiest)?.reject(limits.createBusyError(name))
  }

  const waitForSlot = (pool: Pool, call: Call, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const leaveQueue = (): void => {
        pool.waiting = pool.waiting.filter((one) => one !== waiting)
        clearTimeout(timer)
        signal?.removeEventListener("abort", onAbort)
      }
      const waiting: WaitingCall = {
        ...call,
        admit: () => {
          leaveQueue()
          addSlot(pool, call, 1)
          resolve()
        },
        reject: (error) => {
          leaveQueue()
          reject(error)
        },
      }
      const onAbort = (): void =>
        waiting.reject(new Failure("bad_request", "The client disconnected"))
      const timer =
        queue?.maxWaitMs === undefined
          ? undefined
          : setTimeout(() => waiting.reject(queue.createBusyError(pool.name)), queue.maxWaitMs)
      pool.waiting.push(waiting)
      signal?.addEventListener("abort", onAbort)
      if (signal?.aborted) onAbort()
    })

  /**
   * Takes a slot, after waiting if necessary. @returns a function that releases it; repeated calls
   * have no effect
   * @throws {Error} of `createBusyError` if the queue is full or the wait too long
   * @throws {Failure} `bad_request` if `signal` aborts the wait
   */
  const acquire = async (request: SlotRequest): Promise<() => void> => {
    const { pool: name = "", kind = "", key, signal } = request
    const pool = poolOf(name)
    const call = { kind, key: `${kind} ${key}` }
    if (hasRoom(pool, call)) {
      addSlot(pool, call, 1)
    } else {
      if (queue) makeRoom(pool, call, queue)
      await waitForSlot(pool, call, signal)
    }
    let isReleased = false
    return () => {
      if (isReleased) return
      isReleased = true
      addSlot(pool, call, -1)
      moveToEnd(pool, call)
      admitNext(pool)
      if (pool.slotsInUse === 0) pools.delete(name)
    }
  }

  return {
    acquire,

    /** Runs `work` in a slot. Waits and throws like `acquire`. */
    run: async <T>(request: SlotRequest, work: () => Promise<T>): Promise<T> => {
      const release = await acquire(request)
      try {
        return await work()
      } finally {
        release()
      }
    },
  }
}
