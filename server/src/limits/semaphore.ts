import { Failure } from "../errors.ts"

const maxWaiting = 200
const maxWaitMs = 30_000
/** Share of a function's slots that one user may hold; the rest is kept for other users. */
const shareOfOne = 0.8

interface Waiting {
  user: string
  enter: () => void
  refuse: () => void
}

interface Lot {
  running: Map<string, number>
  /** Sequence number of each user's latest run. */
  beganAt: Map<string, number>
  begun: number
  size: number
  waiting: Waiting[]
}

const newLot = (): Lot => ({
  running: new Map(),
  beganAt: new Map(),
  begun: 0,
  size: 0,
  waiting: [],
})

/**
 * Limits each function to `max` concurrent runs; others wait for at most 30 s. The next slot goes
 * to the user with the fewest active runs, and among those to the one whose latest run began first.
 */
export const createSemaphore = (max: number) => {
  const lotByName = new Map<string, Lot>()
  const maxPerUser = Math.max(1, Math.floor(max * shareOfOne))

  const busy = (name: string): Failure =>
    new Failure("rate_limited", `The function "${name}" is busy. Try again shortly.`, {
      headers: { "retry-after": "5" },
    })

  const runningOf = ({ running }: Lot, user: string): number => running.get(user) ?? 0

  const hasRoom = (lot: Lot, user: string): boolean =>
    lot.size < max && runningOf(lot, user) < maxPerUser

  const take = (lot: Lot, user: string): void => {
    lot.size++
    lot.beganAt.set(user, ++lot.begun)
    lot.running.set(user, runningOf(lot, user) + 1)
  }

  const inOrder =
    (lot: Lot) =>
    ({ user: one }: Waiting, { user: other }: Waiting): number =>
      runningOf(lot, one) - runningOf(lot, other) ||
      (lot.beganAt.get(one) ?? 0) - (lot.beganAt.get(other) ?? 0)

  const letIn = (lot: Lot): void => {
    const [next] = lot.waiting.filter(({ user }) => hasRoom(lot, user)).sort(inOrder(lot))
    if (!next) return
    lot.waiting = lot.waiting.filter((one) => one !== next)
    take(lot, next.user)
    next.enter()
  }

  const leave = (name: string, lot: Lot, user: string): void => {
    lot.size--
    const left = runningOf(lot, user) - 1
    if (left > 0) lot.running.set(user, left)
    else lot.running.delete(user)
    letIn(lot)
    if (lot.size === 0 && lot.waiting.length === 0) lotByName.delete(name)
  }

  /**
   * If the queue is full, rejects the newest call of the user who has the most waiting.
   * @returns false if that would be `user`
   */
  const makeRoom = (lot: Lot, user: string): boolean => {
    if (lot.waiting.length < maxWaiting) return true
    const counts = new Map<string, number>()
    for (const one of lot.waiting) counts.set(one.user, (counts.get(one.user) ?? 0) + 1)
    const [greediest = "", count = 0] = [...counts].sort(([, a], [, b]) => b - a)[0] ?? []
    if (count <= (counts.get(user) ?? 0) + 1) return false
    lot.waiting.findLast((one) => one.user === greediest)?.refuse()
    return true
  }

  /**
   * Acquires a slot. @returns a function that releases it; repeated calls have no effect
   * @throws {Failure} `rate_limited`, or `bad_request` if `signal` aborts
   */
  return async (name: string, user: string, signal: AbortSignal): Promise<() => void> => {
    const lot: Lot = lotByName.get(name) ?? newLot()
    lotByName.set(name, lot)
    let given = false
    const giveBack = (): void => {
      if (given) return
      given = true
      leave(name, lot, user)
    }
    if (hasRoom(lot, user)) {
      take(lot, user)
      return giveBack
    }
    if (!makeRoom(lot, user)) throw busy(name)
    await new Promise<void>((resolve, reject) => {
      const stop = (failure: Failure) => (): void => {
        lot.waiting = lot.waiting.filter((one) => one !== waiting)
        settle(() => reject(failure))
      }
      const isReleased = stop(new Failure("bad_request", "The client disconnected"))
      const refuse = stop(busy(name))
      const timer = setTimeout(refuse, maxWaitMs)
      const settle = (work: () => void): void => {
        clearTimeout(timer)
        signal.removeEventListener("abort", isReleased)
        work()
      }
      const waiting: Waiting = { user, enter: () => settle(resolve), refuse }
      lot.waiting.push(waiting)
      signal.addEventListener("abort", isReleased)
      if (signal.aborted) isReleased()
    })
    return giveBack
  }
}
