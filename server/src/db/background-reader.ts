import {
  type DatabaseConnection,
  type Driver,
  Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely"
import { createWorkerClient } from "../background/worker-client.ts"
import type { Tables } from "./tables.ts"

export interface BackgroundQuery {
  sql: string
  parameters: readonly unknown[]
}

/** Reports and searches tend to come in groups, so the thread stays for a while. */
const idleMs = 60_000

class BackgroundReadDriver implements Driver {
  /** Kysely gives the rows their type; the thread does not know it. */
  readonly #thread: ReturnType<typeof createWorkerClient<BackgroundQuery, never[]>>

  constructor(path: string) {
    this.#thread = createWorkerClient(
      new URL("./background-reader-worker.ts", import.meta.url),
      { path },
      idleMs,
    )
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    return {
      executeQuery: async ({ sql, parameters }) => ({
        rows: await this.#thread.request({ sql, parameters }),
      }),
      streamQuery: () => {
        throw new Error("The background reader does not support streaming")
      },
    }
  }

  async releaseConnection(): Promise<void> {}

  async beginTransaction(): Promise<void> {
    throw new Error("The background reader is read-only")
  }

  async commitTransaction(): Promise<void> {}

  async rollbackTransaction(): Promise<void> {}

  destroy(): Promise<void> {
    return this.#thread.close()
  }
}

/**
 * Reads the embedded database on a worker thread, for queries that scan many rows and would
 * otherwise block the event loop. Queries run one at a time.
 */
export const createBackgroundReader = (path: string): Kysely<Tables> =>
  new Kysely({
    dialect: {
      createDriver: () => new BackgroundReadDriver(path),
      createAdapter: () => new SqliteAdapter(),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  })
