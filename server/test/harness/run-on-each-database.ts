import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createPostgresDatabase, findPostgresBinDir, startCluster } from "../setup/postgres.ts"

type DatabaseName = "sqlite" | "postgres"
type DatabaseTask = (database: DatabaseName, env: Readonly<Record<string, string>>) => Promise<void>

/** Values of `--database`; `both` runs one after the other. */
export const databaseChoices = ["both", "sqlite", "postgres"]

const runInTemporaryFolder = async (
  run: DatabaseTask,
  database: DatabaseName,
  url?: string,
): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), "portico-bench-"))
  try {
    await run(database, { DATA_DIR: folder, ...(url && { DATABASE_URL: url }) })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const runOnPostgres = async (run: DatabaseTask): Promise<void> => {
  const binDir = findPostgresBinDir()
  if (!binDir) throw new Error("PostgreSQL is not installed")
  const cluster = await startCluster(binDir)
  try {
    const { url } = await createPostgresDatabase(cluster.url)
    await runInTemporaryFolder(run, "postgres", url)
  } finally {
    await cluster.stop()
  }
}

/**
 * Runs the task once per chosen database.
 * @param choice one of `databaseChoices`
 */
export const runOnEachDatabase = async (choice: string, run: DatabaseTask): Promise<void> => {
  if (choice !== "postgres") await runInTemporaryFolder(run, "sqlite")
  if (choice !== "sqlite") await runOnPostgres(run)
}
