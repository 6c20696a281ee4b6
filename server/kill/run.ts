import { postgresBinDir } from "../test/harness/database-server.ts"
import { type Counts, noCounts, runWorker } from "./kill-worker.ts"
import { startPostgres } from "./postgres.ts"

export type DatabaseName = "sqlite" | "postgres"

interface Run {
  database: DatabaseName
  rounds: number
  seed: number
  /** Data folders tested in parallel, each with its own gateway. */
  lanes: number
  progress?: (counts: Counts) => void
}

const runWith = async (
  { database, seed, progress }: Run,
  { worker, rounds, counts }: { worker: number; rounds: number; counts: Counts },
): Promise<void> => {
  const server =
    database === "postgres" && postgresBinDir ? await startPostgres(postgresBinDir) : null
  try {
    const tell = (): void => progress?.(counts)
    await runWorker({ seed: seed + worker, rounds, server, counts, progress: tell })
  } finally {
    await server?.close()
  }
}

/**
 * Kills gateways with SIGKILL during writes, restarts them, and checks every acknowledged write.
 * @throws if the database is not installed
 */
export const runKills = async (run: Run): Promise<Counts> => {
  if (run.database === "postgres" && !postgresBinDir) {
    throw new Error("PostgreSQL was not found under /usr/lib/postgresql.")
  }
  const counts = noCounts()
  const lanes = Math.min(run.lanes, run.rounds)
  await Promise.all(
    Array.from({ length: lanes }, (_, worker) => {
      const rounds = Math.floor((run.rounds + worker) / lanes)
      return runWith(run, { worker, rounds, counts })
    }),
  )
  return counts
}
