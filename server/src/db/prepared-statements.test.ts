import { Kysely, PostgresDialect, sql } from "kysely"
import pg from "pg"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { hasPostgres, postgresDatabase, type TestDatabase } from "../../test/harness/databases.ts"
import { createConnectionShares } from "./connection-shares.ts"
import { withPreparedStatements } from "./prepared-statements.ts"

interface Tables {
  things: { id: number; name: string }
}

const repetitions = 12
const postgres = postgresDatabase

describe.runIf(hasPostgres)("frequent statements on PostgreSQL", () => {
  let location: TestDatabase
  let db: Kysely<Tables>
  let other: pg.Client

  beforeEach(async () => {
    if (!postgres) throw new Error("No PostgreSQL available")
    location = await postgres.createDatabase()
    other = new pg.Client({ connectionString: location.url })
    await other.connect()
    await other.query("create table things (id integer primary key, name text)")
    await other.query("insert into things values (1, 'one'), (2, 'two')")
    const pool = new pg.Pool({ connectionString: location.url, max: 1 })
    // The database may be removed before the server has seen the end of the connection.
    pool.on("connect", (client) => client.on("error", () => {}))
    db = new Kysely<Tables>({
      dialect: new PostgresDialect({
        pool: withPreparedStatements(pool, createConnectionShares(1)),
      }),
    })
  })
  afterEach(async () => {
    await db.destroy()
    await other.end()
    await location.remove()
  })

  const find = (id: number, from: Kysely<Tables> = db) =>
    from.selectFrom("things").selectAll().where("id", "=", id).execute()
  const findOften = async (): Promise<void> => {
    for (let turn = 0; turn < repetitions; turn++) expect(await find(1)).toHaveLength(1)
  }
  const preparedStatements = async (): Promise<string[]> => {
    const found = await sql<{ statement: string }>`
      select statement from pg_prepared_statements where name like 'portico%'`.execute(db)
    return found.rows.map(({ statement }) => statement)
  }

  it("are prepared on the connection and run with each call's values", async () => {
    expect(await find(1)).toEqual([{ id: 1, name: "one" }])
    expect(await preparedStatements()).toEqual([])
    await findOften()
    expect(await preparedStatements()).toEqual(['select * from "things" where "id" = $1'])
    expect(await find(2)).toEqual([{ id: 2, name: "two" }])
    expect(await find(3)).toEqual([])
  })

  it("are not prepared if their values include a list", async () => {
    for (let turn = 0; turn < repetitions; turn++) {
      const found = await sql`select id from things where id = any(${[1, 2]})`.execute(db)
      expect(found.rows).toHaveLength(2)
      const ids = Array.from({ length: 50 }, (_, id) => id)
      const written = await db.selectFrom("things").select("id").where("id", "in", ids).execute()
      expect(written).toHaveLength(2)
    }
    expect(await preparedStatements()).toEqual([])
  })

  it("keep working when another process's upgrade adds a column", async () => {
    await findOften()
    await other.query("alter table things add column size integer default 7")
    expect(await find(1)).toEqual([{ id: 1, name: "one", size: 7 }])
    expect(await find(2)).toEqual([{ id: 2, name: "two", size: 7 }])
  })

  it("recover after a transaction is the first to see an upgrade", async () => {
    await findOften()
    await other.query("alter table things add column size integer default 7")
    await expect(db.transaction().execute((tx) => find(1, tx))).rejects.toThrow()
    const found = await db.transaction().execute((tx) => find(1, tx))
    expect(found).toEqual([{ id: 1, name: "one", size: 7 }])
  })

  it("keep working after the server drops them", async () => {
    await findOften()
    await sql`deallocate all`.execute(db)
    expect(await find(2)).toEqual([{ id: 2, name: "two" }])
  })

  it("fail as unprepared statements do", async () => {
    const add = (id: number) => db.insertInto("things").values({ id, name: "new" }).execute()
    for (let id = 10; id < 10 + repetitions; id++) await add(id)
    await expect(add(10)).rejects.toMatchObject({ code: "23505" })
    await add(100)
    expect(await find(100)).toHaveLength(1)
  })
})
