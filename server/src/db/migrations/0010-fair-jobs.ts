import { type Kysely, sql } from "kysely"
import { columnTypes } from "../column-types.ts"

/** Adds owners to jobs, each with an equal share of processing time. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  const { text, integer } = columnTypes(db)
  await db.schema
    .alterTable("jobs")
    .addColumn("owner", text, (column) => column.notNull().defaultTo(""))
    .execute()
  for (const name of ["slow", "revision"]) {
    await db.schema
      .alterTable("jobs")
      .addColumn(name, integer, (column) => column.notNull().defaultTo(0))
      .execute()
  }
  await db.schema
    .createTable("job_owners")
    .addColumn("kind", text, (column) => column.notNull())
    .addColumn("owner", text, (column) => column.notNull())
    .addColumn("virtual_time", integer, (column) => column.notNull())
    .addPrimaryKeyConstraint("job_owners_key", ["kind", "owner"])
    .execute()
  // An embedding's target is its model and its file; a file's id is a UUID of 36 characters.
  await sql`update jobs set owner = coalesce(
    (select user_id from files where files.id = substr(jobs.target, length(jobs.target) - 35)),
    '')`.execute(db)
  await sql`insert into job_owners (kind, owner, virtual_time)
    select distinct kind, owner, 0 from jobs`.execute(db)
  await db.schema.dropIndex("jobs_due").execute()
  await db.schema
    .createIndex("jobs_due")
    .on("jobs")
    .columns(["kind", "slow", "run_at"])
    .where(sql.ref("holder"), "is", null)
    .execute()
  await db.schema
    .createIndex("jobs_of_owner")
    .on("jobs")
    .columns(["kind", "owner", "slow", "run_at", "id"])
    .where(sql.ref("holder"), "is", null)
    .execute()
  await db.schema
    .createIndex("jobs_leased")
    .on("jobs")
    .columns(["kind", "turn"])
    .where(sql.ref("holder"), "is not", null)
    .execute()
  await db.schema
    .createIndex("job_owners_order")
    .on("job_owners")
    .columns(["kind", "virtual_time", "owner"])
    .execute()
}
