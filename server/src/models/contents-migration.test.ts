import { sql } from "kysely"
import { expect, it } from "vitest"
import { chooseDatabases } from "../../test/harness/databases.ts"
import { openDatabase } from "../db/open.ts"
import { createGrants } from "../grants/grants.ts"
import { createModelStore } from "./store.ts"

const params = { system: "Be brief.", a: [1, null, "\\u0000"] }
const meta = { description: "ünïcödé 😀", tags: ["a"], knowledge: [{ id: "k" }] }

it.each(chooseDatabases())(
  "keeps models whole that an older version made on $name",
  async ({ createDatabase }) => {
    const { url, dataDir, remove } = await createDatabase()
    const settings = { DATABASE_URL: url, DATA_DIR: dataDir }
    const older = await openDatabase(settings)
    await older.runWithoutTimeout(async (writer) => {
      await sql`delete from kysely_migration where name = '0014-model-contents'`.execute(writer)
      await sql`drop table model_contents`.execute(writer)
      await sql`drop index models_user`.execute(writer)
      await sql`alter table models add column params text not null default '{}'`.execute(writer)
      for (const [id, own] of Object.entries({ full: meta, bare: {} })) {
        const row = [id, "owner", id, "base", JSON.stringify(own), JSON.stringify(params), 1, 1, 1]
        await sql`insert into models
        (id, user_id, name, base_model_id, meta, params, is_active, created_at, updated_at)
        values (${sql.join(row)})`.execute(writer)
      }
    })
    await older.close()

    const db = await openDatabase(settings)
    const store = createModelStore({ db, grants: createGrants(db) })
    expect(await store.byId("full")).toMatchObject({ name: "full", meta, params })
    expect(await store.byId("bare")).toMatchObject({ meta: { description: "", tags: [] }, params })
    const listed = { description: "ünïcödé 😀", tags: ["a"], starters: [], claude_alias: false }
    expect((await store.summary("full"))?.meta).toEqual(listed)
    await db.close()
    await remove()
  },
)
