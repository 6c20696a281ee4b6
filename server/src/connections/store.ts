import type { Insertable, Selectable } from "kysely"
import { z } from "zod"
import type { Database, Reader, Tx } from "../db/database.ts"
import type { ConnectionRow } from "../db/tables.ts"
import type { Grants } from "../grants/grants.ts"
import type { AccessGrant } from "../grants/schema.ts"
import type { ProviderModel } from "../providers/provider.ts"
import { providerKinds } from "../providers/registry.ts"
import type { Secrets } from "../secrets/secrets.ts"
import type { ConnectionConfig } from "./schema.ts"

const StoredKind = z.enum(providerKinds)

interface Deps {
  db: Database
  grants: Grants
  secrets: Secrets
}

export const createConnectionStore = ({ db, grants, secrets }: Deps) => {
  const toConfig = (
    { sealed_key, sealed_headers, restricted, ...row }: Selectable<ConnectionRow>,
    access: AccessGrant[] | undefined,
  ): ConnectionConfig => ({
    ...row,
    kind: StoredKind.parse(row.kind),
    api_key: sealed_key === null ? "" : secrets.unseal(sealed_key),
    headers: sealed_headers === null ? {} : JSON.parse(secrets.unseal(sealed_headers)),
    allowed_models: row.allowed_models === null ? null : JSON.parse(row.allowed_models),
    access_grants: restricted === 1 ? (access ?? []) : null,
    enabled: row.enabled === 1,
    source: "database",
  })

  const toRow = (config: ConnectionConfig): Insertable<ConnectionRow> => {
    const { api_key, headers, access_grants, source, allowed_models, enabled, ...row } = config
    const hasHeaders = Object.keys(headers).length > 0
    return {
      ...row,
      sealed_key: api_key === "" ? null : secrets.seal(api_key),
      sealed_headers: hasHeaders ? secrets.seal(JSON.stringify(headers)) : null,
      allowed_models: allowed_models === null ? null : JSON.stringify(allowed_models),
      restricted: access_grants === null ? 0 : 1,
      enabled: enabled ? 1 : 0,
    }
  }

  return {
    list: async (reader: Reader = db.read): Promise<ConnectionConfig[]> => {
      const rows = await reader
        .selectFrom("connections")
        .selectAll()
        .orderBy("position")
        .orderBy("id")
        .execute()
      const access = await grants.groupByResource("connection", reader)
      return rows.map((row) => toConfig(row, access.get(row.id)))
    },

    save: async (tx: Tx, config: ConnectionConfig): Promise<void> => {
      const row = toRow(config)
      await tx
        .insertInto("connections")
        .values(row)
        .onConflict((conflict) => conflict.column("id").doUpdateSet(row))
        .execute()
      await grants.replace(tx, "connection", config.id, config.access_grants ?? [])
    },

    remove: async (tx: Tx, id: string): Promise<void> => {
      await tx.deleteFrom("connections").where("id", "=", id).execute()
      await tx.deleteFrom("connection_models").where("connection_id", "=", id).execute()
      await grants.replace(tx, "connection", id, [])
    },

    /** The models last seen on each connection, by connection id. */
    loadModels: async (): Promise<Map<string, ProviderModel[]>> => {
      const rows = await db.read.selectFrom("connection_models").selectAll().execute()
      return new Map(rows.map(({ connection_id, models }) => [connection_id, JSON.parse(models)]))
    },

    saveModels: async (id: string, models: readonly ProviderModel[], now: number) => {
      const row = { connection_id: id, models: JSON.stringify(models), fetched_at: now }
      await db.transact(async (tx) => {
        await tx
          .insertInto("connection_models")
          .values(row)
          .onConflict((conflict) => conflict.column("connection_id").doUpdateSet(row))
          .execute()
      })
    },
  }
}

export type ConnectionStore = ReturnType<typeof createConnectionStore>
