import type { TestProject } from "vitest/node"
import { noSyncArgs, startCluster } from "./postgres.ts"

declare module "vitest" {
  interface ProvidedContext {
    /**
     * A PostgreSQL server with pgvector, as a user who may create databases; "" if there is none.
     */
    pgvectorUrl: string
  }
}

/**
 * Provides `inject("pgvectorUrl")`: a server started from the programs in TEST_PGVECTOR_PROGRAMS.
 */
export const setup = async (project: TestProject): Promise<(() => Promise<void>) | undefined> => {
  const binDir = process.env.TEST_PGVECTOR_PROGRAMS
  if (!binDir) {
    if (process.env.CI) throw new Error("pgvector was not found. Set TEST_PGVECTOR_PROGRAMS.")
    console.warn("pgvector was not found, so its tests are skipped. Set TEST_PGVECTOR_PROGRAMS.")
    project.provide("pgvectorUrl", "")
    return undefined
  }
  const cluster = await startCluster(binDir, { initdb: "", server: noSyncArgs })
  project.provide("pgvectorUrl", cluster.url)
  return cluster.stop
}
