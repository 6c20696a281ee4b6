import { randomUUIDv7 } from "node:crypto"
import type { Selectable } from "kysely"
import type { ProjectRow } from "../../db/conversation-tables.ts"
import type { Database, Reader, Tx } from "../../db/database.ts"
import { foldCase } from "../../db/fold-case.ts"
import { maxRows } from "../../db/max-rows.ts"
import { countRows, readPage } from "../../db/paged-queries.ts"
import { columnContains } from "../../db/text-matching.ts"
import { tryUniqueWrite } from "../../db/write-conflicts.ts"
import type { Page } from "../../http/pagination.ts"
import type { Project, ProjectListQuery } from "./schema.ts"

export interface StoredProject extends Project {
  user_id: string
}

const toProject = ({ name_key, ...row }: Selectable<ProjectRow>): StoredProject => ({
  ...row,
  files: JSON.parse(row.files),
})

const toRow = (project: StoredProject): ProjectRow => ({
  ...project,
  name_key: foldCase(project.name),
  files: JSON.stringify(project.files),
})

/**
 * Creates the project that a chat's folder belongs to, if there is none. At the limit of projects,
 * the folder remains a name without instructions and files.
 */
export const ensureProject = async (
  tx: Tx,
  userId: string,
  { folder, now }: { folder: string | null; now: number },
): Promise<void> => {
  if (folder === null) return
  const owned = tx.selectFrom("projects").where("user_id", "=", userId)
  if (await owned.select("id").where("name", "=", folder).executeTakeFirst()) return
  if ((await countRows(owned)) >= maxRows.projectsPerUser) return
  const times = { created_at: now, updated_at: now }
  const project = { id: randomUUIDv7(), user_id: userId, name: folder, model: null, ...times }
  await tx
    .insertInto("projects")
    .values(toRow({ ...project, instructions: "", files: [] }))
    .onConflict((conflict) => conflict.columns(["user_id", "name"]).doNothing())
    .execute()
}

export const createProjectStore = (db: Database) => ({
  byId: async (id: string, reader: Reader = db.read): Promise<StoredProject | undefined> => {
    const projects = reader.selectFrom("projects").selectAll().where("id", "=", id)
    const row = await projects.executeTakeFirst()
    return row && toProject(row)
  },

  byName: async (userId: string, name: string): Promise<StoredProject | undefined> => {
    const row = await db.read
      .selectFrom("projects")
      .selectAll()
      .where("user_id", "=", userId)
      .where("name", "=", name)
      .executeTakeFirst()
    return row && toProject(row)
  },

  /** In alphabetical order; all of them if `query` has no page. */
  list: async (userId: string, query: ProjectListQuery): Promise<Page<StoredProject>> => {
    let found = db.read.selectFrom("projects").where("user_id", "=", userId)
    if (query.query) found = found.where(columnContains("name_key", query.query))
    const { page, page_size, direction } = query
    const sorted = found.selectAll().orderBy("name_key", direction).orderBy("id", direction)
    const all = { page: 1, page_size: maxRows.projectsPerUser }
    const { items, total } = await readPage(sorted, page === undefined ? all : { page, page_size })
    return { items: items.map(toProject), total }
  },

  /** @returns false if the user has a project of that name; `tx` can then only be rolled back */
  insert: (tx: Tx, project: StoredProject): Promise<boolean> =>
    tryUniqueWrite(() => tx.insertInto("projects").values(toRow(project)).execute()),

  /** Renames its chats' folder too. @returns as `insert` */
  update: async (tx: Tx, before: StoredProject, after: StoredProject): Promise<boolean> => {
    const { id, ...row } = toRow(after)
    const isStored = await tryUniqueWrite(() =>
      tx.updateTable("projects").set(row).where("id", "=", id).execute(),
    )
    if (!isStored || before.name === after.name) return isStored
    await tx
      .updateTable("chats")
      .set({ folder: after.name })
      .where("user_id", "=", after.user_id)
      .where("folder", "=", before.name)
      .execute()
    return true
  },

  /** Its chats stay, without a folder. */
  remove: async (tx: Tx, { id, user_id, name }: StoredProject): Promise<void> => {
    await tx.deleteFrom("projects").where("id", "=", id).execute()
    await tx
      .updateTable("chats")
      .set({ folder: null })
      .where("user_id", "=", user_id)
      .where("folder", "=", name)
      .execute()
  },
})

export type ProjectStore = ReturnType<typeof createProjectStore>
