import { readerVersion } from "@portico/extract"
import { sql } from "kysely"
import type { BackgroundTasks } from "../background/background-tasks.ts"
import type { Database, Reader } from "../db/database.ts"
import type { JobQueue } from "../jobs/queue.ts"
import { createReadingJob } from "./reading-jobs.ts"

const filesAtOnce = 500
const intervalMs = 3_600_000

interface Deps {
  background: BackgroundTasks
  db: Database
  queue: JobQueue
}

/** Files that the current version has read or tried to read, and all that were ever read. */
export interface RereadingProgress {
  done: number
  total: number
}

/** Rereads the files that an older version has read, after an upgrade. */
export interface Rereading {
  /** Number of files that are still to be read again. */
  remaining(): Promise<number>
  /** Null if there is nothing to be read again. */
  progress(): Promise<RereadingProgress | null>
}

/** Adds jobs for outdated files at the start, and every hour for those whose jobs were given up. */
export const startRereading = ({ background, db, queue }: Deps): Rereading => {
  const outdatedFiles = (reader: Reader) =>
    reader
      .selectFrom("files")
      .where("attempted_reader_version", "<", readerVersion)
      .where("status", "in", ["completed", "failed"])

  const withoutJob = (after: string) =>
    outdatedFiles(db.read)
      .select(["id", "hash", "user_id"])
      .where("id", ">", after)
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom("jobs")
              .select("jobs.id")
              .where("jobs.kind", "=", "reread")
              .whereRef("jobs.target", "=", "files.id"),
          ),
        ),
      )
      .orderBy("id")
      .limit(filesAtOnce)
      .execute()

  const addJobs = async (): Promise<void> => {
    let after = ""
    while (!background.signal.aborted) {
      const files = await withoutJob(after)
      const jobs = files.map((file) => createReadingJob("reread", file))
      await db.transactRelaxed((tx) => queue.add(tx, jobs))
      const last = files.at(-1)
      if (!last || files.length < filesAtOnce) return
      after = last.id
    }
  }

  // One process at a time; the others then find that all files have jobs.
  const addMissingJobs = (): Promise<void> => db.runExclusive("add reread jobs", addJobs)
  const task = "find files that an older version has read"
  void background.runInBackground(task, addMissingJobs)
  background.every(intervalMs, task, addMissingJobs)

  const remaining = async (): Promise<number> => {
    const { count } = await outdatedFiles(db.backgroundReader)
      .select(({ fn }) => fn.countAll<number>().as("count"))
      .executeTakeFirstOrThrow()
    return Number(count)
  }

  return {
    remaining,
    progress: async () => {
      const outdated = await remaining()
      if (outdated === 0) return null
      const { rows } = await sql<{ total: number }>`
        select count(*) as total from files
        where status in ('completed', 'failed')`.execute(db.backgroundReader)
      const total = Number(rows[0]?.total ?? 0)
      return { done: total - outdated, total }
    },
  }
}
