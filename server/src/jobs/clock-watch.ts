import type { BackgroundTasks } from "../background/background-tasks.ts"
import type { ClockStore } from "./clock-store.ts"

const dayMs = 86_400_000
const jumpMs = 60_000
/** Shorter than the hour between cleanups, so that a clock jump delays only one of them. */
const defaultDoubtMs = 50 * 60_000
/** A restart within this time is no reason for doubt. */
const restartMs = 5 * 60_000
const defaultCheckMs = 60_000
const taskName = "check the clock"

interface Deps {
  background: BackgroundTasks
  store: ClockStore
  wallMs?: () => number
  steadyMs?: () => number
  /** Interval in ms between looks at the stored time. */
  clockCheckMs?: number
  /** Doubt after a start or a jump, in ms. */
  clockDoubtMs?: number
}

export type ClockWatchOptions = Pick<Deps, "clockCheckMs" | "clockDoubtMs">

/**
 * Tells whether the wall clock can be trusted for deletion by age: a clock that is wrong by a year
 * must not delete a year's records, even if it was wrong from the start.
 *
 * Doubt is time that the gateway has to run before it trusts the clock. It is 50 minutes after a
 * start or a jump, and a day if the clock differs by more than a day from the time that was stored
 * last, by this process or another. The rest is stored, so that restarts do not begin it again.
 * Resolves after the first look at the stored time.
 */
export const createClockWatch = async (deps: Deps) => {
  const { background, store, wallMs = Date.now, steadyMs = () => performance.now() } = deps
  const { clockCheckMs = defaultCheckMs, clockDoubtMs: doubtMs = defaultDoubtMs } = deps
  let remainingMs = doubtMs
  let observed = { wall: wallMs(), steady: steadyMs() }
  let isLoaded = false

  /** Detects jumps by comparing the wall clock with the monotonic clock. */
  const observe = (): void => {
    const found = { wall: wallMs(), steady: steadyMs() }
    const elapsed = found.steady - observed.steady
    const jump = Math.abs(found.wall - observed.wall - elapsed)
    remainingMs = jump > jumpMs ? Math.max(remainingMs, doubtMs) : remainingMs - elapsed
    observed = found
  }

  const load = async (): Promise<void> => {
    const stored = await store.read()
    const newest = stored?.seen_at ?? (await store.newestRecord())
    const difference = newest === null ? 0 : Math.abs(observed.wall - newest)
    if (difference > dayMs) remainingMs = Math.max(remainingMs, dayMs)
    if (isLoaded || !stored) return
    const isRestart = difference < restartMs
    remainingMs = isRestart ? stored.doubt_ms : Math.max(remainingMs, stored.doubt_ms)
  }

  const check = async (): Promise<void> => {
    observe()
    await load()
    isLoaded = true
    const doubt_ms = Math.max(0, Math.round(remainingMs))
    await store.write({ seen_at: observed.wall, doubt_ms })
  }

  // If a check fails, the clock is trusted as little as before until the next one.
  await background.runInBackground(taskName, check)
  background.every(clockCheckMs, taskName, check)

  return {
    isClockTrusted: (): boolean => {
      observe()
      return isLoaded && remainingMs <= 0
    },
    /** Compares the clock with the stored time, and stores it. */
    check,
  }
}
