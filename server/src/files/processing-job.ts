import { readerVersion } from "@portico/extract"
import type { Tx } from "../db/database.ts"
import type { JobKind, JobRun } from "../jobs/queue.ts"
import type { StoredFile } from "./file-store.ts"
import { addNotReadAgain } from "./file-warnings.ts"
import { ProcessingError, toProcessingError } from "./processing-error.ts"
import { createTextExtraction, type TextExtractionDeps } from "./text-extraction.ts"
import { createTextWriter, type TextWriterDeps } from "./text-writer.ts"

export interface ProcessingOptions {
  quickReadMs?: number
}

interface Deps extends ProcessingOptions, TextExtractionDeps, TextWriterDeps {
  concurrency: number
}

/** Most documents are read in less time. */
const defaultQuickReadMs = 5000
const attempts = 5

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

  const readText = async (file: StoredFile, signal: AbortSignal): Promise<void> => {
    const duplicate = await store.findDuplicate(file)
    if (duplicate) return writer.copy(file, duplicate)
    await writer.write(file, await extract(file, signal), signal)
  }

  /** A file that has a text keeps it, with a warning. */
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
    return writer.update(tx, file, { ...attempted, status: "completed", warnings })
  }

  const failFile = (id: string, error: Error): Promise<void> =>
    db.transactRelaxed(async (tx) => {
      const file = await store.byId(id, tx)
      if (file) await fail(tx, file, error)
    })

  return {
    read: {
      concurrency: deps.concurrency,
      attempts,
      quickMs: deps.quickReadMs ?? defaultQuickReadMs,
      run: async ({ target, signal }: JobRun): Promise<undefined> => {
        const file = await store.byId(target)
        if (!file || file.status === "completed" || file.status === "stored") return
        await db.transactRelaxed((tx) => writer.update(tx, file, { status: "processing" }))
        await readText(file, signal)
      },
      onGivenUp: failFile,
    },

    reread: {
      concurrency: 1,
      attempts,
      // New files, and the embedding of those already read again, come first.
      after: ["read", "embed"],
      run: async ({ target, signal }: JobRun): Promise<undefined> => {
        const file = await store.byId(target)
        if (file && isOutdated(file)) await readText(file, signal)
      },
      onGivenUp: async (target, error): Promise<void> => {
        if (error instanceof ProcessingError) await failFile(target, error)
      },
    },
  }
}
