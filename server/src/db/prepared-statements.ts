import type { PostgresCursor, PostgresPool, PostgresPoolClient, PostgresQueryResult } from "kysely"
import type pg from "pg"
import type { ConnectionShares } from "./connection-shares.ts"
import { databaseErrorCode } from "./write-conflicts.ts"

/** Executions of a statement before it is prepared. */
const prepareAfterExecutions = 10
/** Every connection's server process keeps each statement and its plan. */
const maxPrepared = 200
const maxCounted = 1000
const maxTextLength = 5000
/** More values mean a list of variable length. */
const maxValues = 30

/** SQLSTATE: the columns of the result have changed, or the statement does not exist. */
const staleStatementCodes = new Set(["0A000", "26000"])

/** Assigns names to frequent statements: one set per process, prepared once per connection. */
const createStatementNames = () => {
  const named = new Map<string, string | undefined>()
  let counts = new Map<string, number>()

  return {
    statementName: (text: string): string | undefined => {
      if (named.has(text)) return named.get(text)
      if (named.size >= maxPrepared || text.length > maxTextLength) return undefined
      const count = (counts.get(text) ?? 0) + 1
      if (counts.size >= maxCounted) counts = new Map()
      counts.set(text, count)
      if (count < prepareAfterExecutions) return undefined
      counts.delete(text)
      const name = `portico_${named.size}`
      named.set(text, name)
      return name
    },

    /** Stops preparing a statement. */
    drop: (text: string): void => void named.set(text, undefined),
  }
}

type StatementNames = ReturnType<typeof createStatementNames>

/**
 * Uses the callback form: with `pg`'s own promises, each query stays referenced by the previous one
 * until a full garbage collection, which makes every minor collection slower.
 */
const send = (client: pg.PoolClient, config: pg.QueryConfig): Promise<pg.QueryResult> =>
  new Promise((resolve, reject) => {
    void client.query(config, (error: Error | null, result) => {
      if (error) reject(error)
      else resolve(result)
    })
  })

/**
 * The best plan depends on the list's length and the size of the table: with a generic plan,
 * looking up a hundred members of a large group read all of them.
 */
const hasListValues = (values: readonly unknown[]): boolean =>
  values.length > maxValues || values.some(Array.isArray)

class PreparingClient implements PostgresPoolClient {
  readonly #client: pg.PoolClient
  readonly #names: StatementNames
  #onRelease: () => void = () => {}

  constructor(client: pg.PoolClient, names: StatementNames) {
    this.#client = client
    this.#names = names
  }

  /** @param onRelease called when the connection is released */
  setOnRelease(onRelease: () => void): this {
    this.#onRelease = onRelease
    return this
  }

  query<R>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<R>>
  query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>
  query(text: unknown, values: readonly unknown[] = []): unknown {
    if (typeof text !== "string") throw new Error("Cursors are not supported")
    return this.#query(text, [...values])
  }

  async #query(text: string, values: unknown[]): Promise<pg.QueryResult> {
    const name = hasListValues(values) ? undefined : this.#names.statementName(text)
    if (name === undefined) return send(this.#client, { text, values })
    try {
      return await send(this.#client, { name, text, values })
    } catch (error) {
      if (!staleStatementCodes.has(String(databaseErrorCode(error)))) throw error
      this.#names.drop(text)
      // The statement was not executed, so it can be retried. In a transaction the retry fails too,
      // and the transaction with it.
      return send(this.#client, { text, values })
    }
  }

  release(destroy?: boolean): void {
    this.#client.release(destroy)
    this.#onRelease()
  }
}

/**
 * Wraps a pool for Kysely so that frequent statements are parsed and planned once per connection,
 * from their tenth execution, and that each user holds only a share of the connections.
 */
export const withPreparedStatements = (pool: pg.Pool, shares: ConnectionShares): PostgresPool => {
  const names = createStatementNames()
  const wrapperByClient = new WeakMap<pg.PoolClient, PreparingClient>()
  const connect = async (onRelease: () => void): Promise<PreparingClient> => {
    try {
      const client = await pool.connect()
      const known = wrapperByClient.get(client) ?? new PreparingClient(client, names)
      wrapperByClient.set(client, known)
      return known.setOnRelease(onRelease)
    } catch (error) {
      onRelease()
      throw error
    }
  }
  return {
    options: pool.options,
    end: () => pool.end(),
    connect: async () => connect(await shares.acquire()),
  }
}
