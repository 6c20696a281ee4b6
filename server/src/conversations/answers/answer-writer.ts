import type { BackgroundTasks } from "../../background/background-tasks.ts"
import type { Database } from "../../db/database.ts"
import { type MessageStore, newLeaseExpiry } from "../messages/message-store.ts"
import type { Message } from "../schema.ts"

const writeIntervalMs = 300
const retryDelayMs = 1000
const taskName = "write answers"
/** How often the lease of an idle answer is renewed; see `db/dead-holders.ts`. */
const leaseRenewalMs = 1000

interface PendingAnswer {
  message: Message
  version: number
  written: number
  writtenAt: number
  onWritten: (() => void) | null
  /** The texts of the sources, until they are written. */
  sourceTexts: readonly string[] | null
}

interface Deps {
  background: BackgroundTasks
  db: Database
  store: MessageStore
}

/**
 * Writes growing answers in the background, all in one transaction a few times per second: a crash
 * loses no more than that. If the database is unreachable, they are written once it is back.
 */
export const createAnswerWriter = ({ background, db, store }: Deps) => {
  const entries = new Map<string, PendingAnswer>()
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> | undefined

  const hasChanges = (entry: PendingAnswer): boolean =>
    entry.version > entry.written || entry.onWritten !== null
  const isIdle = (entry: PendingAnswer): boolean =>
    !hasChanges(entry) && performance.now() - entry.writtenAt > leaseRenewalMs

  /** Renews the leases of idle answers without writing their text again. */
  const renewIdleLeases = async (): Promise<void> => {
    const idle = [...entries.values()].filter(isIdle)
    if (idle.length === 0) return
    const ids = idle.map(({ message }) => message.id)
    const renewed = new Set(
      await db.transactRelaxed((tx) => store.renewLeases(tx, ids, newLeaseExpiry())),
    )
    for (const entry of idle) {
      entry.writtenAt = performance.now()
      // Another process has declared this answer dead; write it again.
      if (!renewed.has(entry.message.id)) entry.version++
    }
  }

  const write = async (): Promise<void> => {
    await renewIdleLeases()
    const due = [...entries.values()].filter(hasChanges)
    if (due.length === 0) return
    const versions = due.map(({ version }) => version)
    const callbacks = due.map(({ onWritten }) => onWritten)
    const leaseUntil = newLeaseExpiry()
    const records = due.map(({ message, sourceTexts }) => ({
      record: { ...message },
      cited: sourceTexts,
    }))
    await db.transact(async (tx) => {
      for (const { record, cited } of records) {
        await store.save(tx, record, record.state === "running" ? leaseUntil : null)
        if (cited) await store.saveSources(tx, record, cited)
      }
    })
    for (const [index, entry] of due.entries()) {
      if (entry.sourceTexts === records[index]?.cited) entry.sourceTexts = null
      entry.written = versions[index] ?? 0
      entry.writtenAt = performance.now()
      const onWritten = callbacks[index]
      if (!onWritten) continue
      entries.delete(entry.message.id)
      onWritten()
    }
  }

  const flush = (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    // One write serves the answers of many users.
    writing ??= background.runInBackground(taskName, write).then((succeeded) => {
      const isFinishing = [...entries.values()].some(({ onWritten }) => onWritten)
      const delayMs = isFinishing ? 0 : writeIntervalMs
      scheduleFlush(succeeded ? delayMs : retryDelayMs)
    })
    return writing
  }

  const scheduleFlush = (ms: number): void => {
    writing = undefined
    if (entries.size > 0) timer ??= setTimeout(() => void flush(), ms)
  }

  return {
    /** Starts writing `message` whenever it is marked as changed. */
    track: (message: Message): void => {
      const writtenAt = performance.now()
      const fresh = { version: 0, written: 0, writtenAt, onWritten: null, sourceTexts: null }
      entries.set(message.id, { message, ...fresh })
      if (!writing) timer ??= setTimeout(() => void flush(), writeIntervalMs)
    },

    markChanged: (id: string): void => {
      const entry = entries.get(id)
      if (entry) entry.version++
    },

    /** Saves the message's sources. @param texts the texts of the passages, in the same order */
    saveSources: (id: string, texts: readonly string[]): void => {
      const entry = entries.get(id)
      if (!entry) return
      entry.sourceTexts = texts
      entry.version++
      // A reader may open a source as soon as it is published.
      if (!writing) void flush()
    },

    /** Resolves once the message's final state is stored. */
    finish: (id: string): Promise<void> =>
      new Promise((resolve) => {
        const entry = entries.get(id)
        if (!entry) return resolve()
        entry.version++
        entry.onWritten = resolve
        if (!writing) void flush()
      }),

    /** Stops writing a message whose chat has been deleted. */
    discard: (id: string): void => {
      entries.get(id)?.onWritten?.()
      entries.delete(id)
    },

    /** Writes the remaining changes once; the database may be unreachable. */
    close: async (): Promise<void> => {
      await writing
      clearTimeout(timer)
      await background.runInBackground(taskName, write)
      clearTimeout(timer)
      entries.clear()
    },
  }
}
