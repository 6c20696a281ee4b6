import { readerVersion } from "@portico/extract"
import type { Tx } from "../db/database.ts"
import type { JobKind, JobRun } from "../jobs/queue.ts"
import type { StoredFile } from "./file-store.ts"
import { addNotReadAgain } from "./file-warnings.ts"
import { ProcessingError, toProcessingError } from "./processing-error.ts"
import { createTextExtraction, type TextExtractionDeps } from "./text-extraction.ts"
import { createTextWriter, lockTexts, type TextWriterDeps } from "./text-writer.ts"

export interface ProcessingOptions {
  quickReadMs?: number
}

interface Deps extends ProcessingOptions, TextExtractionDeps, TextWriterDeps {
  concurrency: number
}

/** Most documents are read in less time. */
const defaultQuickReadMs = 5000
const attempts = 5

/** Of a text that was kept although reading the file failed since. */
const noReaderVersion = 0

/** Whether nobody has read the file, or chosen how to, since an attempt to read it began. */
const isSameAttempt = (current: StoredFile, before: StoredFile): boolean =>
  current.status === before.status &&
  current.encoding === before.encoding &&
  current.attempted_reader_version === before.attempted_reader_version

/** Whether an older version was the last that tried to read the file. */
const isOutdated = ({ status, attempted_reader_version }: StoredFile): boolean =>
  (status === "completed" || status === "failed") && attempted_reader_version < readerVersion

/**
 * The job `read` extracts a file's text into searchable passages. The job `reread` does the same
 * for a file that an older version has read, without changing its status meanwhile.
 */
export const createProcessingJobs = (deps: Deps): { read: JobKind; reread: JobKind } => {
  const { db, store } = deps
  const extract = createTextExtraction(deps)
  const writer = createTextWriter(deps)

  const quickMs = deps.quickReadMs ?? defaultQuickReadMs

  const readText = async (file: StoredFile, signal: AbortSignal): Promise<void> => {
    const duplicate = await store.findDuplicate(file)
    if (duplicate && (await writer.copy(file, duplicate))) return
    await writer.write(file, await extract(file, signal), signal)
  }

  /** A file that has a text keeps it, with a warning; it is not copied any more. */
  const fail = (tx: Tx, file: StoredFile, error: Error): Promise<void> => {
    const { code, message, reference } = toProcessingError(error)
    // After any other error, a later attempt of this version may succeed.
    const attempted = error instanceof ProcessingError && {
      attempted_reader_version: readerVersion,
    }
    if (file.passages === null)
      return writer.update(tx, file, {
        ...attempted,
        status: "failed",
        error: message,
        error_code: code,
        error_reference: reference && JSON.stringify(reference),
      })
    const warnings = addNotReadAgain(file.warnings, reference ?? message)
    const kept = { status: "completed", reader_version: noReaderVersion, warnings }
    return writer.update(tx, file, { ...attempted, ...kept })
  }

  /** Marks a file as failed, unless it was processed again since it was read. */
  const failUnlessChanged = (
    id: string,
    error: Error,
    isUnchanged: (current: StoredFile) => boolean,
  ): Promise<void> =>
    db.transactRelaxed(async (tx) => {
      await lockTexts(db, tx, [id])
      const current = await store.byId(id, tx)
      if (current && isUnchanged(current)) await fail(tx, current, error)
    })

  /** Errors that a later attempt may not have are thrown. */
  const readOrFail = async (file: StoredFile, signal: AbortSignal): Promise<void> => {
    try {
      await readText(file, signal)
    } catch (error) {
      if (signal.aborted || !(error instanceof ProcessingError)) throw error
      await failUnlessChanged(file.id, error, (current) => isSameAttempt(current, file))
    }
  }

  /** @returns the file as it is to be read; undefined if that was done, or it was deleted */
  const begin = (id: string): Promise<StoredFile | undefined> =>
    db.transactRelaxed(async (tx) => {
      await lockTexts(db, tx, [id])
      const file = await store.byId(id, tx)
      if (!file || file.status === "completed" || file.status === "stored") return undefined
      await writer.update(tx, file, { status: "processing" })
      return { ...file, status: "processing" }
    })

  return {
    read: {
      concurrency: deps.concurrency,
      attempts,
      quickMs,
      run: async ({ target, signal }: JobRun): Promise<undefined> => {
        const file = await begin(target)
        if (file) await readOrFail(file, signal)
      },
      onGivenUp: (target, error): Promise<void> =>
        failUnlessChanged(target, error, ({ status }) => status === "processing"),
    },

    reread: {
      concurrency: 1,
      attempts,
      quickMs,
      // New files, and the embedding of those already read again, come first.
      after: ["read", "embed"],
      run: async ({ target, signal }: JobRun): Promise<undefined> => {
        const file = await store.byId(target)
        if (file && isOutdated(file)) await readOrFail(file, signal)
      },
      // Left as it is: jobs for all outdated files are added every hour.
      onGivenUp: async (): Promise<void> => {},
    },
  }
}
