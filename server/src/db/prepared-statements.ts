import type { PostgresCursor, PostgresPool, PostgresPoolClient, PostgresQueryResult } from "kysely"
import type pg from "pg"
import { codeOf } from "./contention.ts"

/** So often a statement is sent before it is worth keeping. */
const timesFirst = 10
/** Each is kept by every connection's server process, with its plan. */
const maxEntries = 200
const maxCounted = 1000
const maxText = 5000
/** More are a list that is written out. */
const maxValues = 30

/** The result's columns are others than they were, or the statement is not there (SQLSTATE). */
const unfit = new Set(["0A000", "26000"])

/** Names for statements that come often; each process of ours gives its own, each connection keeps them. */
const createNames = () => {
  const named = new Map<string, string | undefined>()
  let counts = new Map<string, number>()

  return {
    nameOf: (text: string): string | undefined => {
      if (named.has(text)) return named.get(text)
      if (named.size >= maxEntries || text.length > maxText) return undefined
      const count = (counts.get(text) ?? 0) + 1
      if (counts.size >= maxCounted) counts = new Map()
      counts.set(text, count)
      if (count < timesFirst) return undefined
      counts.delete(text)
      const name = `portico_${named.size}`
      named.set(text, name)
      return name
    },

    /** From now on it is sent without a name. */
    drop: (text: string): void => void named.set(text, undefined),
  }
}

type Names = ReturnType<typeof createNames>

/**
 * By callback: where `pg` makes the promise, each query is held by the one before it until all
 * memory is gone through, and every small collection of garbage moves what it finds of them.
 */
const send = (client: pg.PoolClient, config: pg.QueryConfig): Promise<pg.QueryResult> =>
  new Promise((resolve, reject) => {
    void client.query(config, (error: Error | null, result) => {
      if (error) reject(error)
      else resolve(result)
    })
  })

/**
 * How long a list is, and how many rows it is looked for in, decides on the best plan: one for all
 * cases read all members of a large group to find a hundred of them.
 */
const isList = (values: readonly unknown[]): boolean =>
  values.length > maxValues || values.some(Array.isArray)

class PreparingClient implements PostgresPoolClient {
  readonly #client: pg.PoolClient
  readonly #names: Names

  constructor(client: pg.PoolClient, names: Names) {
    this.#client = client
    this.#names = names
  }

  query<R>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<R>>
  query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>
  query(text: unknown, values: readonly unknown[] = []): unknown {
    if (typeof text !== "string") throw new Error("cursors are not used")
    return this.#query(text, [...values])
  }

  async #query(text: string, values: unknown[]): Promise<pg.QueryResult> {
    const name = isList(values) ? undefined : this.#names.nameOf(text)
    if (name === undefined) return send(this.#client, { text, values })
    try {
      return await send(this.#client, { name, text, values })
    } catch (error) {
      if (!unfit.has(String(codeOf(error)))) throw error
      this.#names.drop(text)
      // Nothing was done yet. In a transaction this fails too, and the transaction with it.
      return send(this.#client, { text, values })
    }
  }

  release(destroy?: boolean): void {
    this.#client.release(destroy)
  }
}

/**
 * A pool for Kysely whose statements are read and planned once a connection in place of each time,
 * from the tenth time on.
 */
export const preparing = (pool: pg.Pool): PostgresPool => {
  const names = createNames()
  const adapted = new WeakMap<pg.PoolClient, PreparingClient>()
  return {
    options: pool.options,
    end: () => pool.end(),
    connect: async () => {
      const client = await pool.connect()
      const known = adapted.get(client) ?? new PreparingClient(client, names)
      adapted.set(client, known)
      return known
    },
  }
}
