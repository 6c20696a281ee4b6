import { createMutex } from "../concurrency/mutex.ts"
import type { Bus, BusMessage } from "./bus.ts"

/** What one process keeps in memory of the database. */
export interface Snapshot<T> {
  current(): T
  /**
   * If this fails, the current state stays in use.
   * @param id of the object that changed; null if any may have
   */
  reload(id?: string | null): Promise<void>
  /** Registers a callback for each reload. */
  onChange(listener: () => void): void
}

interface Options<T> {
  /** Loads what changed of one object; without it, everything is loaded again. */
  loadOne?: (current: T, id: string) => Promise<T>
}

/** Loads it, and again after each message of this topic. */
export const loadSnapshot = async <T>(
  bus: Bus,
  topic: BusMessage["topic"],
  load: () => Promise<T>,
  { loadOne }: Options<T> = {},
): Promise<Snapshot<T>> => {
  const listeners = new Set<() => void>()
  const runExclusive = createMutex()
  const start = { isLoaded: false, hasMissed: false }

  // If a reload fails, the bus tries again.
  bus.subscribe(`reload ${topic}`, (message) => {
    if (message.topic !== topic && message.topic !== "reset") return undefined
    if (start.isLoaded) return reload("id" in message ? message.id : null)
    start.hasMissed = true
    return undefined
  })
  let current = await load()
  start.isLoaded = true

  /** Sequentially, so that an older state never overwrites a newer one. */
  const replaceBy = (read: () => Promise<T>): Promise<void> =>
    runExclusive(async () => {
      current = await read()
      for (const listener of listeners) listener()
    })

  let waiting: Promise<void> | null = null
  /** Whoever changes something while a reload waits for another one shares it. */
  const reloadAll = (): Promise<void> => {
    waiting ??= replaceBy(() => {
      waiting = null
      return load()
    })
    return waiting
  }

  const reload = (id: string | null = null): Promise<void> =>
    id !== null && loadOne ? replaceBy(() => loadOne(current, id)) : reloadAll()

  if (start.hasMissed) await reload()
  return { current: () => current, reload, onChange: (listener) => void listeners.add(listener) }
}
