import {
  type DatabaseConnection,
  type Driver,
  Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely"
import type { Tables } from "./tables.ts"
import { createThread } from "./worker-client.ts"

export interface Query {
  sql: string
  parameters: readonly unknown[]
}

/** A report or a search is seldom the last one. */
const idleMs = 60_000

class ReadOnly implements Driver {
  /** Rows have the type that whoever asks gives them. */
  readonly #thread: ReturnType<typeof createThread<Query, never[]>>

  constructor(path: string) {
    this.#thread = createThread(
      new URL("./background-reader-worker.ts", import.meta.url),
      { path },
      idleMs,
    )
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    return {
      executeQuery: async ({ sql, parameters }) => ({
        rows: await this.#thread.ask({ sql, parameters }),
      }),
      streamQuery: () => {
        throw new Error("rows are read aside whole")
      },
    }
  }

  async releaseConnection(): Promise<void> {}

  async beginTransaction(): Promise<void> {
    throw new Error("nothing is written aside")
  }

  async commitTransaction(): Promise<void> {}

  async rollbackTransaction(): Promise<void> {}

  destroy(): Promise<void> {
    return this.#thread.close()
  }
}

/**
 * Reads the embedded database in a thread, for queries that go through a great many rows: on the
 * loop every request would wait for them. They wait for each other.
 */
export const readAside = (path: string): Kysely<Tables> =>
  new Kysely({
    dialect: {
      createDriver: () => new ReadOnly(path),
      createAdapter: () => new SqliteAdapter(),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  })
