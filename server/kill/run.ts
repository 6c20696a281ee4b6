import { postgresBinDir } from "../test/harness/database-server.ts"
import { type Counts, noCounts, runLane } from "./lane.ts"
import { startPostgres } from "./postgres.ts"

export type DatabaseName = "sqlite" | "postgres"

interface Run {
  database: DatabaseName
  rounds: number
  seed: number
  /** Folders that are worked on at once, each with a gateway of its own. */
  lanes: number
  progress?: (counts: Counts) => void
}

const runWith = async (
  { database, seed, progress }: Run,
  { lane, rounds, counts }: { lane: number; rounds: number; counts: Counts },
): Promise<void> => {
  const server =
    database === "postgres" && postgresBinDir ? await startPostgres(postgresBinDir) : null
  try {
    const tell = (): void => progress?.(counts)
    await runLane({ seed: seed + lane, rounds, server, counts, progress: tell })
  } finally {
    await server?.close()
  }
}

/**
 * Kills gateways with SIGKILL in the middle of writes, starts them again and compares.
 * @throws where the database is not to be had
 */
export const runKills = async (run: Run): Promise<Counts> => {
  if (run.database === "postgres" && !postgresBinDir) {
    throw new Error("There is no PostgreSQL below /usr/lib/postgresql")
  }
  const counts = noCounts()
  const lanes = Math.min(run.lanes, run.rounds)
  await Promise.all(
    Array.from({ length: lanes }, (_, lane) => {
      const rounds = Math.floor((run.rounds + lane) / lanes)
      return runWith(run, { lane, rounds, counts })
    }),
  )
  return counts
}
