import { Failure } from "../errors.ts"

const mostWaiting = 200
const longestWaitMs = 30_000

interface Lot {
  running: number
  waiting: (() => void)[]
}

/** So many runs of each function at once; others wait in their order, and not for ever. */
export const createPlaces = (most: number) => {
  const lotByName = new Map<string, Lot>()

  const busy = (name: string): Failure =>
    new Failure("rate_limited", `The function "${name}" is busy; try again soon`, {
      headers: { "retry-after": "5" },
    })

  const leave = (name: string, lot: Lot): void => {
    const next = lot.waiting.shift()
    if (next) {
      next()
      return
    }
    lot.running--
    if (lot.running === 0) lotByName.delete(name)
  }

  /** A place of its own; resolves to how it is given back. @throws {Failure} `rate_limited` */
  return async (name: string, signal: AbortSignal): Promise<() => void> => {
    const lot = lotByName.get(name) ?? { running: 0, waiting: [] }
    lotByName.set(name, lot)
    let given = false
    const giveBack = (): void => {
      if (given) return
      given = true
      leave(name, lot)
    }
    if (lot.running < most) {
      lot.running++
      return giveBack
    }
    if (lot.waiting.length >= mostWaiting) throw busy(name)
    await new Promise<void>((resolve, reject) => {
      const stop = (failure: Failure) => (): void => {
        lot.waiting = lot.waiting.filter((one) => one !== enter)
        settle(() => reject(failure))
      }
      const gone = stop(new Failure("bad_request", "The client left"))
      const timer = setTimeout(stop(busy(name)), longestWaitMs)
      const settle = (work: () => void): void => {
        clearTimeout(timer)
        signal.removeEventListener("abort", gone)
        work()
      }
      const enter = (): void => settle(resolve)
      lot.waiting.push(enter)
      signal.addEventListener("abort", gone)
    })
    return giveBack
  }
}
