import { createMutex } from "../concurrency/mutex.ts"
import type { Bus, BusMessage } from "./bus.ts"

/** What one process keeps in memory of the database. */
export interface Snapshot<T> {
  current(): T
  /** If this fails, the current state stays in use. */
  reload(): Promise<void>
  /** Registers a callback for each reload. */
  onChange(listener: () => void): void
}

/** Loads it, and again after each message of this topic. */
export const loadSnapshot = async <T>(
  bus: Bus,
  topic: BusMessage["topic"],
  load: () => Promise<T>,
): Promise<Snapshot<T>> => {
  const listeners = new Set<() => void>()
  let current = await load()
  const runExclusive = createMutex()

  /** Reloads sequentially, so that an older state never overwrites a newer one. */
  const reload = (): Promise<void> =>
    runExclusive(async () => {
      current = await load()
      for (const listener of listeners) listener()
    })

  // If a reload fails, the bus tries again.
  bus.subscribe(`reload ${topic}`, (message) =>
    message.topic === topic || message.topic === "reset" ? reload() : undefined,
  )

  return {
    current: () => current,
    reload,
    onChange: (listener) => void listeners.add(listener),
  }
}
