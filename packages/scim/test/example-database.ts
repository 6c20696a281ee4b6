import { DatabaseSync } from "node:sqlite"
import {
  DummyDriver,
  Kysely,
  type RawBuilder,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  sql,
} from "kysely"
import { foldCase } from "../src/fold-case.ts"
import { isObject, type ScimJson } from "../src/json-values.ts"

type SqlValue = string | number | null

/** Compiles queries, which the database of the example executes. */
const compiler = new Kysely<never>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
})

const schema = `
  create table users (
    id text, externalId text, created integer, lastModified integer, userName text,
    familyName text, givenName text, displayName text, nickName text, title text, userType text,
    active integer
  );
  create table emails (owner text, value text, display text, type text, "primary" integer);
  create table ims (owner text, value text, display text, type text, "primary" integer);
  create table groups (owner text, value text, display text, type text, "primary" integer);
`

const fold = (value: unknown): SqlValue => (typeof value === "string" ? foldCase(value) : null)
const time = (value: unknown): SqlValue => (value === undefined ? null : Date.parse(String(value)))
const bit = (value: unknown): SqlValue => (value === undefined ? null : Number(value))
const objectOf = (value: unknown): ScimJson => (isObject(value) ? value : {})

/** An SQLite database in memory with users of the example type, in the order of their ids. */
export const createExampleDatabase = (users: readonly ScimJson[]) => {
  const database = new DatabaseSync(":memory:")
  database.exec(schema)
  const insert = (table: string, values: SqlValue[]) =>
    database.prepare(`insert into ${table} values (${values.map(() => "?")})`).run(...values)

  for (const user of users) {
    const { name, meta } = { name: objectOf(user.name), meta: objectOf(user.meta) }
    const id = String(user.id)
    const names = [user.userName, name.familyName, name.givenName, user.displayName, user.nickName]
    insert("users", [
      id,
      typeof user.externalId === "string" ? user.externalId : null,
      time(meta.created),
      time(meta.lastModified),
      ...[...names, user.title, user.userType].map(fold),
      bit(user.active),
    ])
    for (const table of ["emails", "ims", "groups"]) {
      const items = user[table]
      for (const item of (Array.isArray(items) ? items : []).map(objectOf)) {
        const texts = [item.value, item.display, item.type].map(fold)
        insert(table, [id, ...texts, bit(item.primary)])
      }
    }
  }

  return {
    /** The ids of the users that meet a condition. */
    select: (where: RawBuilder<boolean>, order: RawBuilder<unknown> = sql`users.id`): string[] => {
      const query = sql`select users.id from users where ${where} order by ${order}`
      const { sql: text, parameters } = query.compile(compiler)
      const rows = database.prepare(text).all(...(parameters as SqlValue[]))
      return rows.map(({ id }) => String(id))
    },
    close: () => database.close(),
  }
}
