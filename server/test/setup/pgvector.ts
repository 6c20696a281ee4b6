import type { TestProject } from "vitest/node"
import { startCluster, withoutSync } from "./postgres.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** A PostgreSQL that has pgvector and whose user may create databases, or "" where there is none. */
    pgvectorUrl: string
  }
}

/** Gives every test file `inject("pgvectorUrl")`: a cluster of the programs in TEST_PGVECTOR_PROGRAMS. */
export const setup = async (project: TestProject): Promise<(() => Promise<void>) | undefined> => {
  const programs = process.env.TEST_PGVECTOR_PROGRAMS
  if (!programs) {
    if (process.env.CI) throw new Error("No pgvector: set TEST_PGVECTOR_PROGRAMS")
    console.warn("No pgvector: its tests are left out (set TEST_PGVECTOR_PROGRAMS)")
    project.provide("pgvectorUrl", "")
    return undefined
  }
  const cluster = await startCluster(programs, { initdb: "", server: withoutSync })
  project.provide("pgvectorUrl", cluster.url)
  return cluster.stop
}
