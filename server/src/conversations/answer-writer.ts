import type { Database } from "../db/database.ts"
import { type MessageStore, newLease } from "./message-store.ts"
import type { Message } from "./schema.ts"

const writeMs = 300
const retryMs = 1000
/** How often the lease of an idle answer is renewed; see `db/failure-detector.ts`. */
const aliveMs = 1000

interface Entry {
  message: Message
  version: number
  written: number
  writtenAt: number
  ended: (() => void) | null
  /** The texts of the sources, until they are written. */
  cited: readonly string[] | null
}

/**
 * Writes growing answers in the background, all in one transaction a few times per second: a crash
 * loses no more than that. If the database is unreachable, they are written once it is back.
 */
export const createJournal = ({ db, store }: { db: Database; store: MessageStore }) => {
  const entries = new Map<string, Entry>()
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> | undefined

  const hasNews = (entry: Entry): boolean => entry.version > entry.written || entry.ended !== null
  const isSilent = (entry: Entry): boolean =>
    !hasNews(entry) && performance.now() - entry.writtenAt > aliveMs

  /** Renews the leases of idle answers without writing their text again. */
  const showAlive = async (): Promise<void> => {
    const silent = [...entries.values()].filter(isSilent)
    if (silent.length === 0) return
    const ids = silent.map(({ message }) => message.id)
    const renewed = new Set(await db.transactRelaxed((tx) => store.renew(tx, ids, newLease())))
    for (const entry of silent) {
      entry.writtenAt = performance.now()
      // Another process has declared this answer dead; write it again.
      if (!renewed.has(entry.message.id)) entry.version++
    }
  }

  const write = async (): Promise<void> => {
    await showAlive()
    const due = [...entries.values()].filter(hasNews)
    if (due.length === 0) return
    const versions = due.map(({ version }) => version)
    const endings = due.map(({ ended }) => ended)
    const leaseUntil = newLease()
    const records = due.map(({ message, cited }) => ({ record: { ...message }, cited }))
    await db.transact(async (tx) => {
      for (const { record, cited } of records) {
        await store.save(tx, record, record.state === "running" ? leaseUntil : null)
        if (cited) await store.cite(tx, record, cited)
      }
    })
    for (const [index, entry] of due.entries()) {
      if (entry.cited === records[index]?.cited) entry.cited = null
      entry.written = versions[index] ?? 0
      entry.writtenAt = performance.now()
      const ended = endings[index]
      if (!ended) continue
      entries.delete(entry.message.id)
      ended()
    }
  }

  const flush = (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    writing ??= write().then(
      () => plan([...entries.values()].some(({ ended }) => ended) ? 0 : writeMs),
      () => plan(retryMs),
    )
    return writing
  }

  const plan = (ms: number): void => {
    writing = undefined
    if (entries.size > 0) timer ??= setTimeout(() => void flush(), ms)
  }

  return {
    /** Starts writing `message` whenever it is marked as changed. */
    begin: (message: Message): void => {
      const writtenAt = performance.now()
      const fresh = { version: 0, written: 0, writtenAt, ended: null, cited: null }
      entries.set(message.id, { message, ...fresh })
      if (!writing) timer ??= setTimeout(() => void flush(), writeMs)
    },

    grew: (id: string): void => {
      const entry = entries.get(id)
      if (entry) entry.version++
    },

    /** Saves the message's sources. @param texts the texts of the passages, in the same order */
    saveSources: (id: string, texts: readonly string[]): void => {
      const entry = entries.get(id)
      if (!entry) return
      entry.cited = texts
      entry.version++
      // A reader may open a source as soon as it is published.
      if (!writing) void flush()
    },

    /** Resolves once the message's final state is stored. */
    end: (id: string): Promise<void> =>
      new Promise((resolve) => {
        const entry = entries.get(id)
        if (!entry) return resolve()
        entry.version++
        entry.ended = resolve
        if (!writing) void flush()
      }),

    /** Stops writing a message whose chat has been deleted. */
    forget: (id: string): void => {
      entries.get(id)?.ended?.()
      entries.delete(id)
    },

    /** Writes the remaining changes once; the database may be unreachable. */
    close: async (): Promise<void> => {
      await writing
      clearTimeout(timer)
      await write().catch(() => {})
      clearTimeout(timer)
      entries.clear()
    },
  }
}
