import type { ExpressionBuilder, Selectable } from "kysely"
import type { Database, Reader, Tx } from "../db/database.ts"
import { foldCase } from "../db/fold-case.ts"
import { readPage } from "../db/paged-queries.ts"
import type { PromptRow } from "../db/prompt-tables.ts"
import type { Tables } from "../db/tables.ts"
import { columnContains } from "../db/text-matching.ts"
import { tryUniqueWrite } from "../db/write-conflicts.ts"
import { filterOwnOrGranted, filterReadable, selectWritable } from "../grants/access-conditions.ts"
import type { Grants } from "../grants/grants.ts"
import { type AccessGrant, everyonePrincipalId } from "../grants/schema.ts"
import type { Caller } from "../http/caller.ts"
import type { Page } from "../http/pagination.ts"
import type { Prompt, PromptChanges, PromptListItem, PromptListQuery } from "./schema.ts"

/** A prompt's share of its owner's storage, in bytes. */
export const promptBytes = ({ title, content }: Pick<Prompt, "title" | "content">): number =>
  Buffer.byteLength(title) + Buffer.byteLength(content)

const toPrompt = (
  { title_key, ...row }: Selectable<PromptRow>,
  access_grants: AccessGrant[],
): Prompt => ({ ...row, access_grants })

const sortColumns = {
  command: "command",
  title: "title_key",
  created_at: "prompts.created_at",
  updated_at: "prompts.updated_at",
} as const

type PromptExpressions = ExpressionBuilder<Tables, "prompts">

/** The grants on the prompt of the current row. */
const grantsOfPrompt = (eb: PromptExpressions) =>
  eb
    .selectFrom("access_grants")
    .where("resource_type", "=", "prompt")
    .whereRef("resource_id", "=", "prompts.id")

export const createPromptStore = ({ db, grants }: { db: Database; grants: Grants }) => {
  /** Administrators can read all prompts; `granted` omits those that nobody shared with them. */
  const readableBy = (caller: Caller, { granted }: PromptListQuery) => {
    const filter = granted ? filterOwnOrGranted : filterReadable
    return filter(db.read.selectFrom("prompts"), "prompt", caller)
  }

  return {
    byId: async (id: string, reader: Reader = db.read): Promise<Prompt | undefined> => {
      const prompts = reader.selectFrom("prompts").selectAll().where("id", "=", id)
      const row = await prompts.executeTakeFirst()
      return row && toPrompt(row, await grants.listForResource("prompt", id, reader))
    },

    list: async (
      caller: Caller,
      query: PromptListQuery,
      page: { page: number; page_size: number },
    ): Promise<Page<PromptListItem>> => {
      const { query: text } = query
      let matching = readableBy(caller, query)
      if (text) {
        matching = matching.where(({ or }) =>
          or([columnContains("command", text), columnContains("title_key", text)]),
        )
      }
      const sorted = matching
        .innerJoin("users", "users.id", "prompts.user_id")
        .selectAll("prompts")
        .select("users.name as user_name")
        .select((eb) => [
          grantsOfPrompt(eb)
            .select(({ fn }) => fn.countAll<number>().as("count"))
            .as("grant_count"),
          grantsOfPrompt(eb)
            .where("principal_id", "=", everyonePrincipalId)
            .select(({ fn }) => fn.countAll<number>().as("count"))
            .as("public_count"),
          selectWritable("prompt", caller).as("writable"),
        ])
        .orderBy(sortColumns[query.order_by], query.direction)
        .orderBy("prompts.id", query.direction)
      const { items: rows, total } = await readPage(sorted, page)
      const items = rows.map(({ title_key, public_count, grant_count, ...row }) => ({
        ...row,
        grant_count: Number(grant_count),
        is_public: Number(public_count) > 0,
        writable: row.writable === 1,
      }))
      return { items, total }
    },

    /**
     * @returns false if the owner has another prompt with the same command; `tx` can then only be
     * rolled back
     */
    insert: async (tx: Tx, { access_grants, ...prompt }: Prompt): Promise<boolean> => {
      await grants.replace(tx, "prompt", prompt.id, access_grants)
      const inserted = await tx
        .insertInto("prompts")
        .values({ ...prompt, title_key: foldCase(prompt.title) })
        .onConflict((conflict) => conflict.columns(["user_id", "command"]).doNothing())
        .returning("id")
        .executeTakeFirst()
      return inserted !== undefined
    },

    /**
     * Writes only the given changes.
     * @returns false if the owner has another prompt with the same command; `tx` can then only be
     * rolled back
     */
    update: async (
      tx: Tx,
      id: string,
      { access_grants, ...changes }: PromptChanges & { updated_at: number },
    ): Promise<boolean> => {
      const { title } = changes
      const row = { ...changes, ...(title !== undefined && { title_key: foldCase(title) }) }
      if (access_grants) await grants.replace(tx, "prompt", id, access_grants)
      return tryUniqueWrite(() => tx.updateTable("prompts").set(row).where("id", "=", id).execute())
    },

    remove: async (tx: Tx, id: string): Promise<void> => {
      await grants.replace(tx, "prompt", id, [])
      await tx.deleteFrom("prompts").where("id", "=", id).execute()
    },
  }
}
