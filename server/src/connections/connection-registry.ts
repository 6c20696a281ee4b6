import { hash } from "node:crypto"
import { setTimeout as wait } from "node:timers/promises"
import type { BackgroundTasks } from "../background/background-tasks.ts"
import type { Bus } from "../bus/bus.ts"
import { createMutex } from "../concurrency/mutex.ts"
import type { Config } from "../config/config.ts"
import type { ConfiguredConnection } from "../config/provider-config.ts"
import type { Transports } from "../outbound/transports.ts"
import type { ProviderModel } from "../providers/provider.ts"
import { providerKinds } from "../providers/registry.ts"
import { type Connection, createConnection } from "./connection.ts"
import type { ConnectionConfig } from "./schema.ts"
import type { ConnectionStore } from "./store.ts"

/**
 * How often to check which models are in memory; used only with several runtimes, to balance load.
 */
const loadedRefreshMs = 5000
/** The longest that a request for an unknown model waits for the refreshed lists. */
const searchTimeoutMs = 1000
const defaultMinModelSearchIntervalMs = 500

/** A model on one connection. */
export interface Endpoint {
  /** The id that callers use, including the connection's prefix. */
  id: string
  connection: Connection
  model: ProviderModel
}

export interface ModelSearchOptions {
  /**
   * Minimum interval between two refreshes for requests with an unknown model; later requests wait
   * for the next one.
   */
  minModelSearchIntervalMs?: number
}

interface Deps extends ModelSearchOptions {
  background: BackgroundTasks
  config: Config
  store: ConnectionStore
  transports: Transports
  bus: Bus
  now: () => number
}

const environmentIdPrefix = "env-"

/** Whether it is that of a connection from the environment, which the database does not know. */
export const isEnvironmentId = (id: string): boolean => id.startsWith(environmentIdPrefix)

const environmentConnection = (
  { kind, url, key }: ConfiguredConnection,
  index: number,
): ConnectionConfig => ({
  id: `${environmentIdPrefix}${kind}-${index}`,
  kind,
  name: new URL(url).host,
  base_url: url,
  api_key: key,
  headers: {},
  id_prefix: null,
  allowed_models: null,
  connect_timeout: null,
  first_byte_timeout: null,
  idle_timeout: null,
  access_grants: null,
  enabled: true,
  position: index,
  source: "environment",
  created_at: 0,
  updated_at: 0,
})

/**
 * The key under which a connection's models are saved for the next start. Environment connections
 * are only numbered, so theirs includes the address: another address has other models.
 */
const modelCacheKey = ({ id, source, base_url }: ConnectionConfig): string =>
  source === "environment" ? `${id} ${hash("sha256", base_url).slice(0, 16)}` : id

/** The connections configured by environment variables, in their order. */
export const environmentConnections = ({ connections }: Config): ConnectionConfig[] =>
  providerKinds.flatMap((kind) =>
    connections.filter((connection) => connection.kind === kind).map(environmentConnection),
  )

export const prefixedModelId = (
  { id_prefix }: Pick<ConnectionConfig, "id_prefix">,
  name: string,
): string => (id_prefix === null ? name : `${id_prefix}.${name}`)

/**
 * The connections in use and their models, all in memory: no request waits for a slow connection.
 */
export interface ConnectionRegistry {
  /** In configured order; environment connections first. */
  connections(): readonly Connection[]
  /** The connections that report which models are in memory. */
  runtimes(): readonly Connection[]
  byId(id: string): Connection | undefined
  /** Endpoints by model id, as callers use it. */
  endpoints(): ReadonlyMap<string, readonly Endpoint[]>
  /** Registers a callback for changes of the endpoints. */
  onChange(listener: () => void): void
  /** Applies the stored connections. Their model lists may arrive later. */
  reload(): Promise<void>
  /** Refreshes the lists of healthy connections, and waits up to `ms` for the results. */
  refresh(ms: number): Promise<void>
  /**
   * Refreshes the lists because a requested model is unknown; concurrent calls share one refresh.
   * Resolves when `isFound` returns true or the refresh ends, without waiting for slow connections.
   */
  waitForModel(isFound: () => boolean): Promise<void>
  close(): void
}

export const createConnectionRegistry = async (deps: Deps): Promise<ConnectionRegistry> => {
  const { background, config, store, transports, bus, now } = deps
  const { minModelSearchIntervalMs = defaultMinModelSearchIntervalMs } = deps
  const listeners = new Set<() => void>()
  const connectionById = new Map<string, Connection>()
  let orderedConnections: Connection[] = []
  let endpointsById = new Map<string, Endpoint[]>()
  const runExclusive = createMutex()
  let searching: Promise<void> | undefined
  let searchedAt = Number.NEGATIVE_INFINITY

  const listRuntimes = (): Connection[] =>
    orderedConnections.filter(({ provider }) => provider.listLoaded !== null)

  const rebuild = (): void => {
    endpointsById = new Map()
    for (const connection of orderedConnections) {
      for (const model of connection.models()) {
        const id = prefixedModelId(connection.config, model.name)
        const endpoint = { id, connection, model }
        const known = endpointsById.get(id)
        if (known) known.push(endpoint)
        else endpointsById.set(id, [endpoint])
      }
    }
    for (const listener of listeners) listener()
  }

  const onConnectionChange = (connection: Connection): void => {
    rebuild()
    if (!connection.isAvailable()) return
    // Only speeds up the next start; if it fails, that start reads the list again.
    void background.runInBackground("save a list of models", () =>
      store.saveModels(modelCacheKey(connection.config), connection.allModels(), now()),
    )
  }

  const openConnection = (
    connectionConfig: ConnectionConfig,
    lastModels: readonly ProviderModel[],
  ): Connection => {
    const connection = createConnection({
      config: connectionConfig,
      timeouts: {
        connect: config.UPSTREAM_CONNECT_TIMEOUT,
        firstByte: config.UPSTREAM_FIRST_BYTE_TIMEOUT,
        idle: config.UPSTREAM_IDLE_TIMEOUT,
      },
      transports,
      lastModels,
      onChange: () => onConnectionChange(connection),
      now,
    })
    void connection.refresh()
    return connection
  }

  const reload = async (): Promise<void> => {
    const stored = await store.list()
    const lastModelsByKey = await store.loadModels()
    if (background.signal.aborted) return
    const enabled = [...environmentConnections(config), ...stored].filter((each) => each.enabled)
    const enabledIds = new Set(enabled.map(({ id }) => id))
    for (const [id, connection] of connectionById) {
      if (enabledIds.has(id)) continue
      connectionById.delete(id)
      connection.retire()
    }
    orderedConnections = enabled.map((connectionConfig) => {
      const { id } = connectionConfig
      const known = connectionById.get(id)
      if (known && JSON.stringify(known.config) === JSON.stringify(connectionConfig)) return known
      known?.retire()
      const connection = openConnection(
        connectionConfig,
        known?.allModels() ?? lastModelsByKey.get(modelCacheKey(connectionConfig)) ?? [],
      )
      connectionById.set(id, connection)
      return connection
    })
    rebuild()
  }

  /** Runs reloads one after another, so that an older state never replaces a newer one. */
  const reloadInOrder = (): Promise<void> => runExclusive(reload)

  await reloadInOrder()

  bus.subscribe("reload connections", ({ topic }) => {
    // If this fails, the current connections stay in use until the bus tries again.
    return topic === "connections" || topic === "reset" ? reloadInOrder() : undefined
  })
  // Neither is awaited: a slow connection must not delay the others. Failures count for its health.
  background.every(config.MODEL_REFRESH_INTERVAL * 1000, "refresh lists of models", () => {
    for (const connection of orderedConnections)
      if (!connection.isResting()) void connection.refresh()
  })
  background.every(loadedRefreshMs, "refresh loaded models", () => {
    const runtimes = listRuntimes()
    if (runtimes.length < 2) return
    for (const connection of runtimes) if (!connection.isResting()) void connection.refreshLoaded()
  })

  const refresh = async (ms: number): Promise<void> => {
    const refreshes = orderedConnections
      .filter((connection) => !connection.isResting())
      .map((connection) => connection.refresh())
    const controller = new AbortController()
    const timeout = wait(ms, undefined, controller).catch(() => {}) // rejects if it is aborted
    await Promise.race([Promise.all(refreshes), timeout])
    controller.abort()
  }

  const refreshForSearch = async (): Promise<void> => {
    if (orderedConnections.every((connection) => connection.isResting())) return
    await wait(Math.max(0, searchedAt + minModelSearchIntervalMs - performance.now()))
    searchedAt = performance.now()
    await refresh(searchTimeoutMs)
  }

  return {
    connections: () => orderedConnections,
    runtimes: listRuntimes,
    byId: (id) => connectionById.get(id),
    endpoints: () => endpointsById,
    onChange: (listener) => void listeners.add(listener),
    reload: reloadInOrder,
    refresh,
    waitForModel: (isFound) =>
      new Promise((resolve) => {
        const checkFound = (): void => {
          if (isFound()) finish()
        }
        const finish = (): void => {
          listeners.delete(checkFound)
          resolve()
        }
        listeners.add(checkFound)
        searching ??= refreshForSearch().finally(() => {
          searching = undefined
        })
        void searching.then(finish)
      }),

    close: () => {
      for (const connection of connectionById.values()) connection.close()
    },
  }
}
