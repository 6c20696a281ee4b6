import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { binaries, createPostgres, startCluster } from "../setup/postgres.ts"

type DatabaseName = "sqlite" | "postgres"
type Run = (database: DatabaseName, env: Readonly<Record<string, string>>) => Promise<void>

/** Values of `--database`; `both` runs one after the other. */
export const databaseChoices = ["both", "sqlite", "postgres"]

const inFolder = async (run: Run, database: DatabaseName, url?: string): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), "portico-bench-"))
  try {
    await run(database, { DATA_DIR: folder, ...(url && { DATABASE_URL: url }) })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const onPostgres = async (run: Run): Promise<void> => {
  const programs = binaries()
  if (!programs) throw new Error("PostgreSQL is not installed")
  const cluster = await startCluster(programs)
  try {
    const { url } = await createPostgres(cluster.url)
    await inFolder(run, "postgres", url)
  } finally {
    await cluster.stop()
  }
}

/**
 * Runs the task once per chosen database.
 * @param choice one of `databaseChoices`
 */
export const onEachDatabase = async (chosen: string, run: Run): Promise<void> => {
  if (chosen !== "postgres") await inFolder(run, "sqlite")
  if (chosen !== "sqlite") await onPostgres(run)
}
