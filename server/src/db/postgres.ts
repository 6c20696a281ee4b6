import { Socket } from "node:net"
import { Kysely, PostgresDialect, sql } from "kysely"
import pg from "pg"
import { createSemaphore } from "../concurrency/semaphore.ts"
import { createConnectionShares } from "./connection-shares.ts"
import {
  createTransact,
  createTransactLocked,
  type Database,
  type EssentialWrites,
  type Tx,
} from "./database.ts"
import { joinJsonArray } from "./json-subquery.ts"
import { withPreparedStatements } from "./prepared-statements.ts"
import type { Tables } from "./tables.ts"
import { createTransactionMutex } from "./transaction-mutex.ts"

const int8 = 20
const poolSize = 10
const relaxedPoolSize = 3
const maxExclusiveRuns = 3
const connectTimeoutMs = 3000
const defaultStatementTimeoutMs = 15_000
/**
 * A server silent for longer than any statement may take is considered dead, whatever TCP reports.
 */
const silenceTimeoutFactor = 1.2

export interface PostgresOptions {
  statementTimeoutMs?: number
}

interface PoolOptions extends PostgresOptions {
  max: number
  /** Session options, in the format of PostgreSQL's command line. */
  session?: string
}

/** 64-bit columns hold counts and times, all below 2^53. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) => (oid === int8 ? Number : pg.types.getTypeParser(oid, format)),
}

/** A socket that is destroyed after `ms` without data from the server. */
export const createTimeoutSocket = (ms: number) => (): Socket => {
  const socket = new Socket()
  socket.on("error", () => {})
  socket.setTimeout(ms, () => socket.destroy(new Error("Connection terminated by silence")))
  return socket
}

/**
 * A lost connection fails its running query and is replaced. It also emits an `error` event, on the
 * pool while idle and on the client while in use; without a listener, that would crash the process.
 */
const ignoreConnectionErrors = (pool: pg.Pool): void => {
  pool.on("error", () => {})
  pool.on("connect", (client) => client.on("error", () => {}))
}

/** @param options in addition to those that all pools share */
const openPool = (url: string, options: pg.PoolConfig): pg.Pool => {
  const pool = new pg.Pool({
    connectionString: url,
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
    types,
    ...options,
  })
  ignoreConnectionErrors(pool)
  return pool
}

/** Opens a pool without a statement timeout, for migrations and exports. */
export const openPostgresWithoutTimeout = (url: string): Kysely<Tables> => {
  const pool = openPool(url, { max: 2, application_name: "portico, long work" })
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
}

const openPostgresWithTimeout = (
  url: string,
  { max, session = "", ...options }: PoolOptions,
): Kysely<Tables> => {
  const { statementTimeoutMs = defaultStatementTimeoutMs } = options
  const pool = openPool(url, {
    max,
    // Compiling a report's expressions takes seconds, and running them less than that.
    options: ["-c jit=off", session].join(" "),
    statement_timeout: statementTimeoutMs,
    application_name: "portico",
    stream: createTimeoutSocket(statementTimeoutMs * silenceTimeoutFactor),
  })
  return new Kysely<Tables>({
    dialect: new PostgresDialect({
      pool: withPreparedStatements(pool, createConnectionShares(max)),
    }),
  })
}

const acquireLock = async (tx: Tx, lock: string): Promise<void> => {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`portico:${lock}`}, 0))`.execute(tx)
}

/** For a worker thread that writes independently of the main pools. */
export const openPostgresTransact = (url: string): Database["transact"] =>
  createTransact(openPostgresWithTimeout(url, { max: 1 }), {
    runSerialized: createTransactionMutex(),
    acquireLock,
  })

/** One statement for any number of rows, which the server plans once. */
const createAppend =
  (db: Kysely<Tables>): Database["append"] =>
  async (table, rows) => {
    const into = sql.table(table)
    // Columns are named, since a newer process may have added one.
    const columns = sql.join(Object.keys(JSON.parse(rows[0] ?? "{}")).map((name) => sql.ref(name)))
    await sql`insert into ${into} (${columns})
      select ${columns} from json_populate_recordset(null::${into}, ${joinJsonArray(rows)})
      on conflict (id) do nothing`.execute(db)
  }

/** Opens PostgreSQL at `url`; connects on the first query. */
export const openPostgres = (url: string, options: PostgresOptions = {}): Database => {
  const db = openPostgresWithTimeout(url, { ...options, max: poolSize })
  // A separate pool: setting this in every transaction would cost as much as waiting for the disk.
  const session = "-c synchronous_commit=off"
  const relaxed = openPostgresWithTimeout(url, { ...options, max: relaxedPoolSize, session })
  // Each run holds a connection, so only a few run concurrently, to leave connections for `work`.
  const exclusiveRuns = createSemaphore({ maxConcurrent: maxExclusiveRuns, maxConcurrentPerKey: 1 })
  const serialization = { runSerialized: createTransactionMutex(), acquireLock }
  const essential: EssentialWrites = {
    transact: createTransact(db, serialization),
    transactLocked: createTransactLocked(db, serialization),
    transactRelaxed: createTransact(relaxed, serialization),
    execute: (statement) => statement(db),
  }
  return {
    dialect: "postgres",
    file: null,
    url,
    read: db,
    backgroundReader: db,
    // The server's disk is not visible from here.
    ...essential,
    essential,
    append: createAppend(relaxed),
    runExternalWrite: (work) => work(),
    acquireLock,
    runExclusive: (lock, work) =>
      exclusiveRuns.run({ key: lock }, () =>
        db.transaction().execute(async (tx) => {
          await acquireLock(tx, lock)
          return work()
        }),
      ),
    runWithoutTimeout: async (work) => {
      const connection = openPostgresWithoutTimeout(url)
      try {
        return await connection.connection().execute(work)
      } finally {
        await connection.destroy()
      }
    },
    probe: async () => {
      await db.transaction().execute(async (tx) => {
        await sql`create temporary table portico_probe (bytes text) on commit drop`.execute(tx)
        await sql`insert into portico_probe values ('probe')`.execute(tx)
      })
    },
    freeSpace: async () => {},
    close: async () => {
      await Promise.all([db.destroy(), relaxed.destroy()])
    },
  }
}
