import type { Audit, AuditRecord } from "../audit/audit.ts"
import type { Bus } from "../bus/bus.ts"
import type { Config } from "../config/config.ts"
import type { Database, Tx } from "../db/database.ts"
import { fail } from "../errors.ts"
import { omitUnchangedGrants } from "../grants/omit-unchanged-grants.ts"
import type { Actor } from "../http/caller.ts"
import { type DeletionConfirmation, requireUnused } from "../http/in-use.ts"
import { referenceOf, type TranslatableMessage, translatable } from "../i18n/message.ts"
import type { Transports } from "../outbound/transports.ts"
import { providerKinds, providers } from "../providers/registry.ts"
import { type Affected, describeAffected } from "../users/affected-objects.ts"
import { auditState } from "./audit-details.ts"
import { createModelListClient } from "./connection.ts"
import { type ConnectionRegistry, environmentConnections } from "./connection-registry.ts"
import { type Diagnosis, diagnose, listTimeoutMs } from "./diagnosis.ts"
import {
  type ConnectionChanges,
  type ConnectionConfig,
  type ConnectionHealth,
  type ConnectionTestResult,
  type ConnectionView,
  maskSecrets,
  type NewConnection,
  type ProviderInfo,
} from "./schema.ts"
import type { ConnectionStore } from "./store.ts"

interface Deps {
  config: Config
  db: Database
  store: ConnectionStore
  registry: ConnectionRegistry
  transports: Transports
  audit: Audit
  bus: Bus
  newId: () => string
  now: () => number
  /** What would no longer work without a connection. */
  dependentsOf: (tx: Tx, id: string) => Promise<Affected[]>
}

const inUseReason = "Models are based on what only this connection offers."

const disabledHealth: ConnectionHealth = {
  status: "disabled",
  last_error: null,
  last_error_reference: null,
  last_error_details: null,
  last_ok_at: null,
  models: 0,
  running: 0,
}

const describeModels = (count: number): TranslatableMessage => {
  if (count === 0) return translatable("connected_without_models")
  return count === 1
    ? translatable("connected_with_one_model")
    : translatable("connected_with_models", { count })
}

export const createConnections = (deps: Deps) => {
  const { config, db, store, registry, transports, audit, bus, newId, now, dependentsOf } = deps

  const listConfigs = async (reader?: Tx): Promise<ConnectionConfig[]> => [
    ...environmentConnections(config),
    ...(await store.list(reader)),
  ]

  const getConfig = async (id: string, reader?: Tx): Promise<ConnectionConfig> =>
    (await listConfigs(reader)).find((connection) => connection.id === id) ??
    fail("not_found", `Connection ${id} not found.`)

  /** Locks connections until `tx` ends, so that concurrent changes see each other's results. */
  const lockChangeable = async (tx: Tx, id: string): Promise<ConnectionConfig> => {
    await db.acquireLock(tx, "connections")
    const connection = await getConfig(id, tx)
    if (connection.source === "environment") {
      const [variable] = providers[connection.kind].variables.urls
      fail("conflict", translatable("connection_from_environment", { variable }))
    }
    return connection
  }

  const toView = (connection: ConnectionConfig): ConnectionView =>
    maskSecrets(connection, registry.byId(connection.id)?.health() ?? disabledHealth)

  const save = async (
    tx: Tx,
    connection: ConnectionConfig,
    change: Omit<AuditRecord, "target">,
  ): Promise<ConnectionConfig> => {
    await store.save(tx, connection)
    const target = { type: "connection", id: connection.id }
    await audit.record(tx, { ...change, target })
    await bus.publish(tx, { topic: "connections" })
    return connection
  }

  /** Waits until the connection is in use, so that the response reflects it. */
  const reloadAndView = async (connection: ConnectionConfig): Promise<ConnectionView> => {
    await registry.reload()
    return toView(connection)
  }

  return {
    listProviders: (): ProviderInfo[] =>
      providerKinds.map((kind) => {
        const { label, defaultUrl, presets, variables } = providers[kind]
        const [variable] = variables.urls
        return {
          kind,
          label: label.text,
          label_reference: referenceOf(label),
          default_url: defaultUrl,
          presets: [...presets],
          variable,
        }
      }),

    list: async (): Promise<ConnectionView[]> => (await listConfigs()).map(toView),
    /** The names of all by id, from the environment too. */
    names: async (): Promise<ReadonlyMap<string, string>> =>
      new Map((await listConfigs()).map(({ id, name }) => [id, name])),
    get: async (id: string): Promise<ConnectionView> => toView(await getConfig(id)),

    create: async (actor: Actor, input: NewConnection): Promise<ConnectionView> => {
      const times = { created_at: now(), updated_at: now() }
      const connection = { ...input, id: newId(), source: "database" as const, ...times }
      const change = { actor, action: "connection.created", after: auditState(connection) }
      return reloadAndView(await db.transact((tx) => save(tx, connection, change)))
    },

    update: async (
      actor: Actor,
      id: string,
      changes: ConnectionChanges,
    ): Promise<ConnectionView> => {
      const set = Object.fromEntries(Object.entries(changes).filter(([, v]) => v !== undefined))
      const change = { actor, action: "connection.updated", changed: Object.keys(set) }
      const updated = await db.transact(async (tx) => {
        const before = await lockChangeable(tx, id)
        const after = { ...before, ...set, updated_at: now() }
        return save(tx, after, {
          ...change,
          ...omitUnchangedGrants(auditState(before), auditState(after)),
        })
      })
      return reloadAndView(updated)
    },

    /** @throws {Failure} `in_use` if models need it, unless the deletion was confirmed */
    remove: async (actor: Actor, id: string, confirmation: DeletionConfirmation): Promise<void> => {
      await db.essential.transact(async (tx) => {
        const { name } = await lockChangeable(tx, id)
        await db.acquireLock(tx, "models")
        const dependents = await describeAffected(tx, await dependentsOf(tx, id))
        requireUnused(dependents, confirmation, inUseReason)
        await store.remove(tx, id)
        const target = { type: "connection", id }
        await audit.record(tx, { actor, action: "connection.deleted", target, before: { name } })
        await bus.publish(tx, { topic: "connections" })
      })
      await registry.reload()
    },

    getConfig: (id: string): Promise<ConnectionConfig> => getConfig(id),

    /** Requests an upstream's models, saved or not, and describes the result. */
    test: async (connection: NewConnection): Promise<ConnectionTestResult> => {
      const provider = providers[connection.kind]
      const connect = connection.connect_timeout ?? config.UPSTREAM_CONNECT_TIMEOUT
      const timeouts = { connect, firstByte: listTimeoutMs / 1000, idle: listTimeoutMs / 1000 }
      const transport = transports.open({ baseUrl: connection.base_url, timeouts })
      const headers = { ...provider.credentialHeaders(connection.api_key), ...connection.headers }
      const started = performance.now()
      const report = (
        ok: boolean,
        { message, details }: Diagnosis,
        models: string[],
      ): ConnectionTestResult => ({
        ok,
        message: message.text,
        message_reference: referenceOf(message),
        details,
        models,
        duration_ms: Math.round(performance.now() - started),
      })
      try {
        const found = await provider.listModels(createModelListClient(transport, headers), [])
        const models = found.map(({ name }) => name)
        return report(true, { message: describeModels(models.length), details: null }, models)
      } catch (error) {
        return report(false, diagnose(error, connection), [])
      } finally {
        transport.close()
      }
    },
  }
}

export type Connections = ReturnType<typeof createConnections>
