import type { Insertable, Selectable } from "kysely"
import type { Database, Reader, Tx } from "../db/database.ts"
import type { ModelRow } from "../db/tables.ts"
import type { Grants, Principal } from "../grants/grants.ts"
import type { AccessGrant } from "../grants/schema.ts"
import { Role } from "../users/schema.ts"
import type { WorkspaceModel } from "./schema.ts"

const toModel = (row: Selectable<ModelRow>, access_grants: AccessGrant[] = []): WorkspaceModel => ({
  ...row,
  meta: JSON.parse(row.meta),
  params: JSON.parse(row.params),
  is_active: row.is_active === 1,
  access_grants,
})

const toRow = ({ access_grants, ...model }: WorkspaceModel): Insertable<ModelRow> => ({
  ...model,
  meta: JSON.stringify(model.meta),
  params: JSON.stringify(model.params),
  is_active: model.is_active ? 1 : 0,
})

export const createModelStore = ({ db, grants }: { db: Database; grants: Grants }) => ({
  list: async (reader: Reader = db.read): Promise<WorkspaceModel[]> => {
    const rows = await reader.selectFrom("models").selectAll().orderBy("id").execute()
    const access = await grants.byResource("model", reader)
    return rows.map((row) => toModel(row, access.get(row.id)))
  },

  /** Those who made workspace models, with what decides over their own access. */
  owners: async (): Promise<Map<string, Principal>> => {
    const users = await db.read
      .selectFrom("users")
      .select(["id", "role"])
      .where("id", "in", (eb) => eb.selectFrom("models").select("user_id"))
      .execute()
    const memberships = await db.read
      .selectFrom("group_members")
      .selectAll()
      .where("user_id", "in", (eb) => eb.selectFrom("models").select("user_id"))
      .execute()
    const groupsByUser = Map.groupBy(memberships, ({ user_id }) => user_id)
    return new Map(
      users.map(({ id, role }) => [
        id,
        {
          user: { id, role: Role.parse(role) },
          groups: new Set(groupsByUser.get(id)?.map(({ group_id }) => group_id)),
        },
      ]),
    )
  },

  /** @returns false when the id is taken */
  insert: async (tx: Tx, model: WorkspaceModel): Promise<boolean> => {
    const inserted = await tx
      .insertInto("models")
      .values(toRow(model))
      .onConflict((conflict) => conflict.column("id").doNothing())
      .returning("id")
      .executeTakeFirst()
    if (!inserted) return false
    await grants.replace(tx, "model", model.id, model.access_grants)
    return true
  },

  update: async (tx: Tx, model: WorkspaceModel): Promise<void> => {
    const { id, ...row } = toRow(model)
    await tx.updateTable("models").set(row).where("id", "=", id).execute()
    await grants.replace(tx, "model", id, model.access_grants)
  },

  remove: async (tx: Tx, id: string): Promise<void> => {
    await tx.deleteFrom("models").where("id", "=", id).execute()
    await grants.replace(tx, "model", id, [])
  },
})

export type ModelStore = ReturnType<typeof createModelStore>
