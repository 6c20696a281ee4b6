import type { Insertable, Selectable } from "kysely"
import type { Database, Reader, Tx } from "../db/database.ts"
import type { FunctionRow, FunctionVersionRow } from "../db/function-tables.ts"
import type { Grants } from "../grants/grants.ts"
import type { AccessGrant } from "../grants/schema.ts"
import type { Secrets } from "../secrets/secrets.ts"
import type { FunctionSummary, FunctionVersion, FunctionVersionSource, Manifest } from "./schema.ts"

export type SettingValues = Record<string, string | number | boolean>

/** A function's latest version with the settings set by an administrator. */
export interface StoredFunction extends Omit<FunctionSummary, "models" | "filter" | "settings"> {
  /** JavaScript, with the types removed. */
  code: string
  manifest: Manifest
  values: SettingValues
}

/** A validated source. */
export interface ValidatedSource {
  content: string
  code: string
  manifest: Manifest
}

export interface NewVersion extends ValidatedSource {
  user_id: string
  restored_from: number | null
  created_at: number
}

interface Deps {
  db: Database
  grants: Grants
  secrets: Secrets
}

type FunctionRowWithSource = Selectable<FunctionRow> & Pick<FunctionVersionRow, "code" | "manifest">

const versionFields = ["version", "name", "user_id", "restored_from", "created_at"] as const

export const createFunctionStore = ({ db, grants, secrets }: Deps) => {
  const toFunction = (
    { sealed_values, ...row }: FunctionRowWithSource,
    access_grants: AccessGrant[] = [],
  ): StoredFunction => ({
    ...row,
    is_active: row.is_active === 1,
    meta: JSON.parse(row.meta),
    hosts: JSON.parse(row.hosts),
    filter_models: JSON.parse(row.filter_models),
    manifest: JSON.parse(row.manifest),
    values: sealed_values === null ? {} : JSON.parse(secrets.unseal(sealed_values)),
    access_grants,
  })

  const toRow = (stored: StoredFunction): Insertable<FunctionRow> => {
    const { access_grants, code, manifest, values, ...row } = stored
    const anyValue = Object.keys(values).length > 0
    return {
      ...row,
      is_active: row.is_active ? 1 : 0,
      meta: JSON.stringify(row.meta),
      hosts: JSON.stringify(row.hosts),
      filter_models: JSON.stringify(row.filter_models),
      sealed_values: anyValue ? secrets.seal(JSON.stringify(values)) : null,
    }
  }

  const selectLatest = (reader: Reader) =>
    reader
      .selectFrom("functions")
      .innerJoin("function_versions", (join) =>
        join
          .onRef("function_versions.function_id", "=", "functions.id")
          .onRef("function_versions.version", "=", "functions.version"),
      )

  const selectWithSource = (reader: Reader) =>
    selectLatest(reader)
      .selectAll("functions")
      .select(["function_versions.code", "function_versions.manifest"])

  return {
    list: async (reader: Reader = db.read): Promise<StoredFunction[]> => {
      const rows = await selectWithSource(reader).orderBy("functions.id").execute()
      const grantsById = await grants.groupByResource("function", reader)
      return rows.map((row) => toFunction(row, grantsById.get(row.id)))
    },

    /** The latest source of each function, by function id. */
    contents: async (): Promise<Map<string, string>> => {
      const rows = await selectLatest(db.read).select(["functions.id", "content"]).execute()
      return new Map(rows.map(({ id, content }) => [id, content]))
    },

    byId: async (id: string, reader: Reader = db.read): Promise<StoredFunction | undefined> => {
      const row = await selectWithSource(reader).where("functions.id", "=", id).executeTakeFirst()
      return row && toFunction(row, await grants.listForResource("function", id, reader))
    },

    /** @returns false if the id is already in use */
    insert: async (tx: Tx, stored: StoredFunction): Promise<boolean> => {
      const inserted = await tx
        .insertInto("functions")
        .values(toRow(stored))
        .onConflict((conflict) => conflict.column("id").doNothing())
        .returning("id")
        .executeTakeFirst()
      if (!inserted) return false
      await grants.replace(tx, "function", stored.id, stored.access_grants)
      return true
    },

    update: async (tx: Tx, stored: StoredFunction): Promise<void> => {
      const { id, ...row } = toRow(stored)
      await tx.updateTable("functions").set(row).where("id", "=", id).execute()
      await grants.replace(tx, "function", id, stored.access_grants)
    },

    remove: async (tx: Tx, id: string): Promise<void> => {
      await tx.deleteFrom("functions").where("id", "=", id).execute()
      await grants.replace(tx, "function", id, [])
    },

    addVersion: async (
      tx: Tx,
      { id, version, name }: Pick<StoredFunction, "id" | "version" | "name">,
      { manifest, ...source }: NewVersion,
    ): Promise<void> => {
      await tx
        .insertInto("function_versions")
        .values({ function_id: id, version, name, ...source, manifest: JSON.stringify(manifest) })
        .execute()
    },

    /** Latest first. */
    versions: (id: string): Promise<FunctionVersion[]> =>
      db.read
        .selectFrom("function_versions")
        .select(versionFields)
        .where("function_id", "=", id)
        .orderBy("version", "desc")
        .execute(),

    version: (
      id: string,
      version: number,
      reader: Reader = db.read,
    ): Promise<FunctionVersionSource | undefined> =>
      reader
        .selectFrom("function_versions")
        .select([...versionFields, "content"])
        .where("function_id", "=", id)
        .where("version", "=", version)
        .executeTakeFirst(),
  }
}

export type FunctionStore = ReturnType<typeof createFunctionStore>
