import { Socket } from "node:net"
import { Kysely, PostgresDialect, sql } from "kysely"
import pg from "pg"
import { createTurns } from "../limits/mutex.ts"
import { type Database, type Tx, transactOn } from "./database.ts"
import { arrayOf } from "./json.ts"
import { preparing } from "./prepared-statements.ts"
import type { Tables } from "./tables.ts"

const int8 = 20
const poolSize = 10
const loosePoolSize = 3
const aloneAtOnce = 3
const connectTimeoutMs = 3000
const defaultStatementTimeoutMs = 15_000
/** A server that is silent for longer than any statement may take is gone, whatever TCP thinks. */
const silencePerTimeout = 1.2

export interface PostgresOptions {
  statementTimeoutMs?: number
}

interface PoolOptions extends PostgresOptions {
  max: number
  /** Options of the session, as the command line of PostgreSQL takes them. */
  session?: string
}

/** Every 64-bit column holds a count or a time, all below 2^53. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) => (oid === int8 ? Number : pg.types.getTypeParser(oid, format)),
}

/** A socket that gives up on a server that says nothing for `ms`. */
export const impatientSocket = (ms: number) => (): Socket => {
  const socket = new Socket()
  socket.on("error", () => {})
  socket.setTimeout(ms, () => socket.destroy(new Error("Connection terminated by silence")))
  return socket
}

/**
 * A connection that is lost fails the query that runs on it, and is replaced. It also says so as an
 * event, from the pool while idle and from itself while in use; unheard, that would end us.
 */
const surviveErrors = (pool: pg.Pool): void => {
  pool.on("error", () => {})
  pool.on("connect", (client) => client.on("error", () => {}))
}

/** @param options beside what all connections have in common */
const openPool = (url: string, options: pg.PoolConfig): pg.Pool => {
  const pool = new pg.Pool({
    connectionString: url,
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
    types,
    ...options,
  })
  surviveErrors(pool)
  return pool
}

/** For migrations and what reads everything: as long as they take. */
export const openPatiently = (url: string): Kysely<Tables> => {
  const pool = openPool(url, { max: 2, application_name: "portico, long work" })
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
}

const openPromptly = (url: string, { max, session, ...options }: PoolOptions): Kysely<Tables> => {
  const { statementTimeoutMs = defaultStatementTimeoutMs } = options
  const pool = openPool(url, {
    max,
    ...(session && { options: session }),
    statement_timeout: statementTimeoutMs,
    application_name: "portico",
    stream: impatientSocket(statementTimeoutMs * silencePerTimeout),
  })
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool: preparing(pool) }) })
}

/** For a thread that writes beside the process's own pools. */
export const openPostgresWriter = (url: string): Kysely<Tables> => openPromptly(url, { max: 1 })

/** By one statement for any number of rows, which the server plans once. */
const appendOn =
  (db: Kysely<Tables>): Database["append"] =>
  async (table, rows) => {
    const into = sql.table(table)
    // By name: a process that is newer than this one may have added a column.
    const columns = sql.join(Object.keys(JSON.parse(rows[0] ?? "{}")).map((name) => sql.ref(name)))
    await sql`insert into ${into} (${columns})
      select ${columns} from json_populate_recordset(null::${into}, ${arrayOf(rows)})
      on conflict (id) do nothing`.execute(db)
  }

/** PostgreSQL at `url`. Opening does not connect; the first query does. */
export const openPostgres = (url: string, options: PostgresOptions = {}): Database => {
  const db = openPromptly(url, { ...options, max: poolSize })
  // To say in each transaction that it need not wait for the disk would take as long as waiting.
  const session = "-c synchronous_commit=off"
  const loose = openPromptly(url, { ...options, max: loosePoolSize, session })
  const inTurn = createTurns()
  const exclusive = async (tx: Tx, lock: string): Promise<void> => {
    await sql`select pg_advisory_xact_lock(hashtextextended(${`portico:${lock}`}, 0))`.execute(tx)
  }
  return {
    dialect: "postgres",
    file: null,
    url,
    read: db,
    aside: db,
    transact: transactOn(db),
    transactLoosely: transactOn(loose),
    append: appendOn(loose),
    handOver: (work) => work(),
    execute: (statement) => statement(db),
    exclusive,
    // Each holds a connection while it works: a few at a time, so that some are left for the work.
    alone: (lock, work) =>
      inTurn(`${(lock.at(-1)?.charCodeAt(0) ?? 0) % aloneAtOnce}`, () =>
        db.transaction().execute(async (tx) => {
          await exclusive(tx, lock)
          return work()
        }),
      ),
    patiently: async (work) => {
      const patient = openPatiently(url)
      try {
        return await patient.connection().execute(work)
      } finally {
        await patient.destroy()
      }
    },
    probe: async () => {
      await db.transaction().execute(async (tx) => {
        await sql`create temporary table portico_probe (bytes text) on commit drop`.execute(tx)
        await sql`insert into portico_probe values ('probe')`.execute(tx)
      })
    },
    relieve: async () => {},
    close: async () => {
      await Promise.all([db.destroy(), loose.destroy()])
    },
  }
}
