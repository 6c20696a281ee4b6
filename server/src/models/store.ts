import type { Insertable, Selectable } from "kysely"
import { readInChunks } from "../db/chunked-queries.ts"
import type { Database, Reader, Tx } from "../db/database.ts"
import type { ModelContentsRow, ModelRow } from "../db/tables.ts"
import type { Principal } from "../grants/access.ts"
import type { Grants } from "../grants/grants.ts"
import type { AccessGrant } from "../grants/schema.ts"
import { Role } from "../users/schema.ts"
import type { ModelChanges, ModelSummary, WorkspaceModel } from "./schema.ts"

/**
 * Needed only by requests that use the model. Stored in its own table, so that lists never read it.
 */
export interface ModelContents {
  params: WorkspaceModel["params"]
  /** Everything except what a `ModelSummary` contains. */
  meta: Record<string, unknown>
  /** The combined length of both as JSON, in characters. */
  length: number
}

const toSummary = (row: Selectable<ModelRow>, access_grants: AccessGrant[] = []): ModelSummary => ({
  ...row,
  // Models saved by an older version lack the newer fields.
  meta: { starters: [], claude_alias: false, ...JSON.parse(row.meta) },
  is_active: row.is_active === 1,
  access_grants,
})

const toContents = ({ meta, params }: Omit<ModelContentsRow, "model_id">): ModelContents => ({
  meta: JSON.parse(meta),
  params: JSON.parse(params),
  length: meta.length + params.length,
})

export const toWorkspaceModel = (
  summary: ModelSummary,
  { meta, params }: Pick<ModelContents, "meta" | "params">,
): WorkspaceModel => ({ ...summary, meta: { ...meta, ...summary.meta }, params })

/** `meta` is stored in two columns: `models.meta` and, next to `params`, `model_contents.meta`. */
const splitMetaColumns = (meta: WorkspaceModel["meta"]) => {
  const { description, tags, starters, claude_alias, ...rest } = meta
  return {
    listed: JSON.stringify({ description, tags, starters, claude_alias }),
    rest: JSON.stringify(rest),
  }
}

const toRow = ({ access_grants, params, ...model }: WorkspaceModel): Insertable<ModelRow> => ({
  ...model,
  meta: splitMetaColumns(model.meta).listed,
  is_active: model.is_active ? 1 : 0,
})

/** A model's share of its owner's storage, in bytes. */
export const modelBytes = ({ meta, params }: { meta: object; params: object }): number =>
  Buffer.byteLength(JSON.stringify(meta)) + Buffer.byteLength(JSON.stringify(params))

export const createModelStore = ({ db, grants }: { db: Database; grants: Grants }) => {
  /** In no particular order; unknown ids are omitted. */
  const summaries = async (
    ids: readonly string[],
    reader: Reader = db.read,
  ): Promise<ModelSummary[]> => {
    const rows = await reader.selectFrom("models").selectAll().where("id", "in", ids).execute()
    const access = await grants.groupByResource("model", reader, ids)
    return rows.map((row) => toSummary(row, access.get(row.id)))
  }

  const summary = async (id: string, reader?: Reader): Promise<ModelSummary | undefined> =>
    (await summaries([id], reader))[0]

  const contents = async (
    id: string,
    reader: Reader = db.read,
  ): Promise<ModelContents | undefined> => {
    const row = await reader
      .selectFrom("model_contents")
      .select(["meta", "params"])
      .where("model_id", "=", id)
      .executeTakeFirst()
    return row && toContents(row)
  }

  return {
    summaries,
    summary,
    contents,

    /** The ids of all models, in byte order. */
    listIds: async (): Promise<string[]> => {
      const rows = await db.read.selectFrom("models").select("id").orderBy("id").execute()
      return rows.map(({ id }) => id)
    },

    byId: async (id: string, reader?: Reader): Promise<WorkspaceModel | undefined> => {
      const found = await summary(id, reader)
      const rest = found && (await contents(id, reader))
      return rest && toWorkspaceModel(found, rest)
    },

    /** Which of these ids are in use. */
    existingIds: async (tx: Tx, ids: readonly string[]): Promise<Set<string>> => {
      const rows = await tx.selectFrom("models").select("id").where("id", "in", ids).execute()
      return new Set(rows.map(({ id }) => id))
    },

    getBaseModelId: async (tx: Tx, id: string): Promise<string | undefined> => {
      const query = tx.selectFrom("models").select("base_model_id").where("id", "=", id)
      return (await query.executeTakeFirst())?.base_model_id
    },

    countModels: async (tx: Tx, userId: string): Promise<{ ofUser: number; total: number }> => {
      const query = tx.selectFrom("models").select(({ fn }) => fn.countAll<number>().as("count"))
      const { count: total } = await query.executeTakeFirstOrThrow()
      const ownQuery = query.where("user_id", "=", userId)
      const { count: ofUser } = await ownQuery.executeTakeFirstOrThrow()
      return { ofUser, total }
    },

    countGrants: async (tx: Tx, userId: string): Promise<{ ofUser: number; total: number }> => {
      const query = tx
        .selectFrom("access_grants")
        .select(({ fn }) => fn.countAll<number>().as("count"))
        .where("resource_type", "=", "model")
      const { count: total } = await query.executeTakeFirstOrThrow()
      const { count: ofUser } = await query
        .where("resource_id", "in", (eb) =>
          eb.selectFrom("models").select("id").where("user_id", "=", userId),
        )
        .executeTakeFirstOrThrow()
      return { ofUser: Number(ofUser), total: Number(total) }
    },

    /** The roles and groups that determine these users' access. */
    loadOwners: async (ids: readonly string[], reader: Reader = db.read): Promise<Principal[]> => {
      const users = await reader
        .selectFrom("users")
        .select(["id", "role"])
        .where("id", "in", ids)
        .execute()
      const memberships = await reader
        .selectFrom("group_members")
        .selectAll()
        .where("user_id", "in", ids)
        .execute()
      const groupsByUser = Map.groupBy(memberships, ({ user_id }) => user_id)
      return users.map(({ id, role }) => ({
        user: { id, role: Role.parse(role) },
        groups: new Set(groupsByUser.get(id)?.map(({ group_id }) => group_id)),
      }))
    },

    /** @returns false if the id is taken */
    insert: async (tx: Tx, model: WorkspaceModel): Promise<boolean> => {
      const inserted = await tx
        .insertInto("models")
        .values(toRow(model))
        .onConflict((conflict) => conflict.column("id").doNothing())
        .returning("id")
        .executeTakeFirst()
      if (!inserted) return false
      const params = JSON.stringify(model.params)
      await tx
        .insertInto("model_contents")
        .values({ model_id: model.id, meta: splitMetaColumns(model.meta).rest, params })
        .execute()
      await grants.replace(tx, "model", model.id, model.access_grants)
      return true
    },

    /** Writes only the fields that are present. */
    update: async (
      tx: Tx,
      id: string,
      { access_grants, meta, params, is_active, ...fields }: ModelChanges & { updated_at: number },
    ): Promise<void> => {
      const split = meta && splitMetaColumns(meta)
      const modelColumns = {
        ...fields,
        ...(split && { meta: split.listed }),
        ...(is_active !== undefined && ({ is_active: is_active ? 1 : 0 } as const)),
      }
      await tx.updateTable("models").set(modelColumns).where("id", "=", id).execute()
      const contentColumns = {
        ...(split && { meta: split.rest }),
        ...(params && { params: JSON.stringify(params) }),
      }
      if (split || params) {
        await tx
          .updateTable("model_contents")
          .set(contentColumns)
          .where("model_id", "=", id)
          .execute()
      }
      if (access_grants) await grants.replace(tx, "model", id, access_grants)
    },

    /** @returns the bytes that one user's models take of their storage */
    countBytes: async (reader: Reader, userId: string): Promise<number> => {
      const query = reader
        .selectFrom("models")
        .innerJoin("model_contents", "model_contents.model_id", "models.id")
        .select(["models.meta as listed", "model_contents.meta", "params"])
      const rows = await query.where("user_id", "=", userId).execute()
      return rows.reduce((total, { listed, meta, params }) => {
        return (
          total + [listed, meta, params].reduce((sum, text) => sum + Buffer.byteLength(text), 0)
        )
      }, 0)
    },

    idsOf: async (tx: Tx, userId: string): Promise<string[]> => {
      const query = tx.selectFrom("models").select("id").where("user_id", "=", userId)
      return (await query.orderBy("id").execute()).map(({ id }) => id)
    },

    changeOwner: async (
      tx: Tx,
      ids: readonly string[],
      set: { user_id: string; updated_at: number },
    ): Promise<void> => {
      await readInChunks(ids, (chunk) =>
        tx.updateTable("models").set(set).where("id", "in", chunk).returning("id").execute(),
      )
    },

    remove: async (tx: Tx, id: string): Promise<void> => {
      await tx.deleteFrom("models").where("id", "=", id).execute()
      await grants.replace(tx, "model", id, [])
    },
  }
}

export type ModelStore = ReturnType<typeof createModelStore>
