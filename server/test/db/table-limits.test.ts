import { sql } from "kysely"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { variableNames } from "../../src/config/config.ts"
import { chooseDatabases, type OpenedDatabase } from "../harness/databases.ts"
import { tableLimits } from "./table-limits.ts"

const tablesOf = {
  sqlite: sql<{ name: string }>`select name from sqlite_schema
    where type = 'table' and name not like 'sqlite_%'`,
  postgres: sql<{ name: string }>`select tablename as name from pg_tables
    where schemaname = current_schema()`,
}

/** Excludes the migrator's own tables and those created for each embedding model. */
const isGatewayTable = (name: string): boolean => !/^kysely_|^passage_vectors_/.test(name)

describe.each(chooseDatabases())("the table of limits on $name", ({ open }) => {
  let database: OpenedDatabase

  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.remove())

  it("covers every table of the schema, and no others", async () => {
    const { db } = database
    const { rows } = await tablesOf[db.dialect].execute(db.read)
    const names = rows.map(({ name }) => name).filter(isGatewayTable)
    expect(Object.keys(tableLimits).toSorted()).toEqual(names.toSorted())
  })

  it("names only settings that exist", () => {
    const settings = Object.values(tableLimits).flatMap((limit) =>
      limit.kind === "count" && typeof limit.max === "string" ? [limit.max] : [],
    )
    expect(settings.length).toBeGreaterThan(3)
    expect(variableNames).toEqual(expect.arrayContaining(settings))
  })
})
