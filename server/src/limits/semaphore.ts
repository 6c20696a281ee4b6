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

interface SemaphoreState {
  running: Map<string, number>
  /** Sequence number of each user's latest run. */
  beganAt: Map<string, number>
  begun: number
  size: number
  waiting: Waiting[]
}

const createState = (): SemaphoreState => ({
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
  const stateByName = new Map<string, SemaphoreState>()
  const maxPerUser = Math.max(1, Math.floor(max * shareOfOne))

  const busy = (name: string): Failure =>
    new Failure("rate_limited", `The function "${name}" is busy. Try again shortly.`, {
      headers: { "retry-after": "5" },
    })

  const runningOf = ({ running }: SemaphoreState, user: string): number => running.get(user) ?? 0

  const hasRoom = (state: SemaphoreState, user: string): boolean =>
    state.size < max && runningOf(state, user) < maxPerUser

  const take = (state: SemaphoreState, user: string): void => {
    state.size++
    state.beganAt.set(user, ++state.begun)
    state.running.set(user, runningOf(state, user) + 1)
  }

  const inOrder =
    (state: SemaphoreState) =>
    ({ user: one }: Waiting, { user: other }: Waiting): number =>
      runningOf(state, one) - runningOf(state, other) ||
      (state.beganAt.get(one) ?? 0) - (state.beganAt.get(other) ?? 0)

  const admitNext = (state: SemaphoreState): void => {
    const [next] = state.waiting.filter(({ user }) => hasRoom(state, user)).sort(inOrder(state))
    if (!next) return
    state.waiting = state.waiting.filter((one) => one !== next)
    take(state, next.user)
    next.enter()
  }

  const leave = (name: string, state: SemaphoreState, user: string): void => {
    state.size--
    const left = runningOf(state, user) - 1
    if (left > 0) state.running.set(user, left)
    else state.running.delete(user)
    admitNext(state)
    if (state.size === 0 && state.waiting.length === 0) stateByName.delete(name)
  }

  /**
   * If the queue is full, rejects the newest call of the user who has the most waiting.
   * @returns false if that would be `user`
   */
  const makeRoom = (state: SemaphoreState, user: string): boolean => {
    if (state.waiting.length < maxWaiting) return true
    const counts = new Map<string, number>()
    for (const one of state.waiting) counts.set(one.user, (counts.get(one.user) ?? 0) + 1)
    const [greediest = "", count = 0] = [...counts].sort(([, a], [, b]) => b - a)[0] ?? []
    if (count <= (counts.get(user) ?? 0) + 1) return false
    state.waiting.findLast((one) => one.user === greediest)?.refuse()
    return true
  }

  /**
   * Acquires a slot. @returns a function that releases it; repeated calls have no effect
   * @throws {Failure} `rate_limited`, or `bad_request` if `signal` aborts
   */
  return async (name: string, user: string, signal: AbortSignal): Promise<() => void> => {
    const state: SemaphoreState = stateByName.get(name) ?? createState()
    stateByName.set(name, state)
    let given = false
    const giveBack = (): void => {
      if (given) return
      given = true
      leave(name, state, user)
    }
    if (hasRoom(state, user)) {
      take(state, user)
      return giveBack
    }
    if (!makeRoom(state, user)) throw busy(name)
    await new Promise<void>((resolve, reject) => {
      const stop = (failure: Failure) => (): void => {
        state.waiting = state.waiting.filter((one) => one !== waiting)
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
      state.waiting.push(waiting)
      signal.addEventListener("abort", isReleased)
      if (signal.aborted) isReleased()
    })
    return giveBack
  }
}
