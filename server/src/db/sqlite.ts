import { chmodSync, mkdirSync } from "node:fs"
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite"
import { setImmediate as yieldToEventLoop } from "node:timers/promises"
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  type LimitNode,
  SqliteAdapter,
  type SqliteDialectConfig,
  SqliteDriver,
  SqliteIntrospector,
  SqliteQueryCompiler,
  sql,
} from "kysely"
import type { BackgroundTasks } from "../background/background-tasks.ts"
import { createKeyedMutex } from "../concurrency/mutex.ts"
import { createAppender } from "./appender.ts"
import { createBackgroundReader } from "./background-reader.ts"
import { createCheckpointer } from "./checkpointer.ts"
import {
  type CommandDatabase,
  createTransact,
  createTransactLocked,
  type Database,
  type EssentialWrites,
} from "./database.ts"
import { createReserve } from "./disk-space.ts"
import { joinJsonArray } from "./json-subquery.ts"
import { createSpaceGuard } from "./space-guard.ts"
import { databasePath, openSqliteFile, preparePragma } from "./sqlite-file.ts"
import type { Tables } from "./tables.ts"
import { createTransactionMutex } from "./transaction-mutex.ts"
import { createWalSync } from "./wal-sync.ts"

const maxCachedStatements = 500
const reserveRetryMs = 30_000

type SqliteDatabase = Exclude<SqliteDialectConfig["database"], (...args: never[]) => unknown>

interface Prepared {
  statement: StatementSync
  /** Whether it returns rows. */
  reader: boolean
}

/** Adapts node:sqlite to Kysely's SQLite driver and caches prepared statements. */
const adapt = (database: DatabaseSync): SqliteDatabase => {
  const statements = new Map<string, Prepared>()
  const prepare = (sql: string): Prepared => {
    const known = statements.get(sql)
    if (known) return known
    const statement = database.prepare(sql)
    const prepared = { statement, reader: statement.columns().length > 0 }
    if (statements.size >= maxCachedStatements) statements.clear()
    statements.set(sql, prepared)
    return prepared
  }
  return {
    close: () => {
      statements.clear()
      database.close()
    },
    prepare: (sql) => {
      const { statement, reader } = prepare(sql)
      const values = (parameters: readonly unknown[]) => parameters as SQLInputValue[]
      return {
        reader,
        all: (parameters) => statement.all(...values(parameters)),
        run: (parameters) => {
          const { changes, lastInsertRowid } = statement.run(...values(parameters))
          return { changes: BigInt(changes), lastInsertRowid: BigInt(lastInsertRowid) }
        },
        iterate: (parameters) => statement.iterate(...values(parameters)),
      }
    },
  }
}

/** Takes the write lock at `begin`: a deferred transaction can fail midway with SQLITE_BUSY. */
class ImmediateDriver extends SqliteDriver {
  readonly #database: DatabaseSync

  constructor(database: DatabaseSync) {
    super({ database: adapt(database) })
    this.#database = database
  }

  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw("begin immediate"))
  }

  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    // On a full disk SQLite rolls back by itself; a second rollback would fail and mask the error.
    if (this.#database.isTransaction) await super.rollbackTransaction(connection)
  }
}

/** SQLite's DDL is transactional, which Kysely does not assume. */
class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true
  }
}

/**
 * With a bare parameter as its limit, SQLite plans by the value and recompiles the statement
 * whenever it changes, which costs more than running most statements. An expression avoids that.
 */
class StablePlanCompiler extends SqliteQueryCompiler {
  override visitLimit(node: LimitNode): void {
    super.visitLimit(node)
    this.append(" + 0")
  }
}

const createDialect = (createDriver: () => Driver): Dialect => ({
  createDriver,
  createAdapter: () => new TransactionalAdapter(),
  createIntrospector: (db) => new SqliteIntrospector(db),
  createQueryCompiler: () => new StablePlanCompiler(),
})

const openReader = (database: DatabaseSync): Kysely<Tables> =>
  new Kysely({ dialect: createDialect(() => new SqliteDriver({ database: adapt(database) })) })

const openWriter = (database: DatabaseSync): Kysely<Tables> =>
  new Kysely({ dialect: createDialect(() => new ImmediateDriver(database)) })

/** Transactions are serialized by the only writer. */
const acquireLock = async (): Promise<void> => {}

/**
 * Opens a connection for another thread that writes; the thread's owner flushes its commits to
 * disk.
 */
export const openSqliteTransact = (path: string): Database["transact"] => {
  const database = openSqliteFile(path, false)
  const checkSpace = createSpaceGuard(path, database)
  const serialization = { runSerialized: createTransactionMutex(), acquireLock }
  return createTransact(openWriter(database), { ...serialization, checkSpace })
}

/**
 * Opens the embedded database for a command that runs beside the gateway. Its transactions must be
 * short, because the gateway's event loop waits for them.
 */
export const openSqliteForCommand = (path: string): CommandDatabase => {
  const transact = openSqliteTransact(path)
  const backgroundReader = openReader(openSqliteFile(path, true))
  return {
    dialect: "sqlite",
    backgroundReader,
    transactRelaxed: transact,
    transactLocked: (_locks, work) => transact(work),
    close: () => backgroundReader.destroy(),
  }
}

const createRelaxedTransact =
  (transact: Database["transact"]): Database["transactRelaxed"] =>
  async (work) => {
    const result = await transact(work)
    // None of the awaits above yields to the event loop; without this, a job would run to its end
    // in one turn.
    await yieldToEventLoop()
    return result
  }

/** Opens a connection that reads the database as of now. */
export const openSqliteSnapshot = (path: string): Kysely<Tables> => {
  const database = openSqliteFile(path, true)
  database.exec("begin")
  return openReader(database)
}

/**
 * Opens the embedded database in `dataDir`, in WAL mode; durable commits reach the disk before they
 * are reported.
 */
export const openSqlite = (
  dataDir: string,
  background: BackgroundTasks,
): Database & { writer: Kysely<Tables> } => {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const path = databasePath(dataDir)
  const reserve = createReserve(dataDir)
  const writeConnection = openSqliteFile(path, false)
  chmodSync(path, 0o600)
  const writer = openWriter(writeConnection)
  const readConnection = openSqliteFile(path, true)
  const read = openReader(readConnection)
  const backgroundReader = createBackgroundReader(path)
  const appender = createAppender(path)
  const checkpointer = createCheckpointer({ path, reader: readConnection, background })
  const walSync = createWalSync(`${path}-wal`, checkpointer.flushLog)
  let reserveTimer: NodeJS.Timeout | undefined
  const ensureReserve = async (): Promise<void> => {
    if (!(await reserve.ensure()))
      reserveTimer = setTimeout(() => void ensureReserve(), reserveRetryMs).unref()
  }
  void ensureReserve()
  const checkSpace = createSpaceGuard(path, writeConnection)
  const serialization = { runSerialized: createTransactionMutex(), acquireLock }
  const durable = { ...serialization, flush: walSync.sync }
  const createWrites = (checkSpace: () => void): EssentialWrites => ({
    transact: createTransact(writer, { ...durable, checkSpace }),
    transactLocked: createTransactLocked(writer, { ...durable, checkSpace }),
    transactRelaxed: createRelaxedTransact(
      createTransact(writer, { ...serialization, checkSpace }),
    ),
    execute: async (statement) => {
      checkSpace()
      const result = await statement(writer)
      await walSync.sync()
      return result
    },
  })
  /**
   * Pauses this thread's writers while another thread writes: waiting for its lock would block the
   * event loop.
   */
  const pauseWriters = <T>(work: () => Promise<T>): Promise<T> => writer.connection().execute(work)
  return {
    dialect: "sqlite",
    file: path,
    url: null,
    read,
    backgroundReader,
    writer,
    ...createWrites(checkSpace),
    essential: createWrites(() => {}),
    append: async (table, rows) => {
      await appender.ready()
      checkSpace()
      const batch = { table, rows: joinJsonArray(rows) }
      await pauseWriters(() => appender.append(batch))
    },
    runExternalWrite: async (work) => {
      const result = await pauseWriters(work)
      await walSync.sync()
      return result
    },
    acquireLock,
    // The data folder is locked to this process, so an in-process mutex suffices.
    runExclusive: createKeyedMutex(),
    runWithoutTimeout: (work) => writer.connection().execute(work),
    probe: async () => {
      checkSpace()
      const version = preparePragma(writeConnection, "user_version")()
      // SQLite writes this even if the value is unchanged.
      await sql.raw(`pragma user_version = ${version}`).execute(writer)
      await walSync.sync()
    },
    freeSpace: async () => {
      reserve.release()
      clearTimeout(reserveTimer)
      reserveTimer = setTimeout(() => void ensureReserve(), reserveRetryMs).unref()
      await checkpointer.truncateLog()
    },
    close: async () => {
      clearTimeout(reserveTimer)
      await reserve.close()
      await appender.close()
      await checkpointer.close()
      await walSync.close()
      await backgroundReader.destroy()
      await read.destroy()
      await writer.destroy()
    },
  }
}
