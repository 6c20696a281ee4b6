import { hash } from "node:crypto"
import { setTimeout as wait } from "node:timers/promises"
import type { Bus } from "../bus/bus.ts"
import type { Config } from "../config/config.ts"
import type { Kind, Provider, ProviderModel } from "../providers/provider.ts"
import { createUpstream, type Upstream } from "./connection.ts"
import type { ConnectionConfig } from "./schema.ts"
import type { ConnectionStore } from "./store.ts"

/**
 * How often to check which models are in memory; used only with several runtimes, to balance load.
 */
const loadedMs = 5000
/** The longest that a request for an unknown model waits for the refreshed lists. */
const askAgainMs = 1000
/** Minimum interval between two such refreshes; later requests wait for the next one. */
const askAgainPauseMs = 500

/** A model on one connection. */
export interface Offer {
  /** The id that callers use, including the connection's prefix. */
  id: string
  upstream: Upstream
  model: ProviderModel
}

interface Deps {
  config: Config
  store: ConnectionStore
  providers: Record<Kind, Provider>
  bus: Bus
  now: () => number
}

const always = (kind: Kind, url: string, key: string, index: number): ConnectionConfig => ({
  id: `env-${kind}-${index}`,
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
const keptAs = ({ id, source, base_url }: ConnectionConfig): string =>
  source === "environment" ? `${id} ${hash("sha256", base_url).slice(0, 16)}` : id

/** The connections configured by environment variables, in their order. */
export const environmentConnections = ({ runtimes, providers }: Config): ConnectionConfig[] => [
  ...runtimes.map((url, index) => always("ollama", url, "", index)),
  ...providers.map(({ url, key }, index) => always("openai", url, key, index)),
]

export const offeredId = ({ id_prefix }: ConnectionConfig, name: string): string =>
  id_prefix === null ? name : `${id_prefix}.${name}`

const passed = async (ms: number, signal?: AbortSignal): Promise<void> => {
  if (ms > 0) await wait(ms, undefined, { ...(signal && { signal }) }).catch(() => {})
}

/**
 * The connections in use and their models, all in memory: no request waits for a slow connection.
 */
export const createRegistry = async ({ config, store, providers, bus, now }: Deps) => {
  const listeners = new Set<() => void>()
  const upstreamById = new Map<string, Upstream>()
  let ordered: Upstream[] = []
  let offersById = new Map<string, Offer[]>()
  let closed = false
  let loading: Promise<void> = Promise.resolve()
  let asking: Promise<void> | undefined
  let askedAt = Number.NEGATIVE_INFINITY

  const rebuild = (): void => {
    offersById = new Map()
    for (const upstream of ordered) {
      for (const model of upstream.models()) {
        const id = offeredId(upstream.config, model.name)
        const offer = { id, upstream, model }
        const known = offersById.get(id)
        if (known) known.push(offer)
        else offersById.set(id, [offer])
      }
    }
    for (const listener of listeners) listener()
  }

  const changed = (upstream: Upstream): void => {
    rebuild()
    if (!upstream.available()) return
    // Only speeds up the next start; if it fails, that start reads the list again.
    void store.keepModels(keptAs(upstream.config), upstream.listed(), now()).catch(() => {})
  }

  const open = (connection: ConnectionConfig, lastModels: readonly ProviderModel[]): Upstream => {
    const upstream = createUpstream({
      config: connection,
      provider: providers[connection.kind],
      patience: {
        connect: config.UPSTREAM_CONNECT_TIMEOUT,
        firstByte: config.UPSTREAM_FIRST_BYTE_TIMEOUT,
        idle: config.UPSTREAM_IDLE_TIMEOUT,
      },
      lastModels,
      changed,
      now,
    })
    void upstream.refresh()
    return upstream
  }

  const reload = async (): Promise<void> => {
    const stored = await store.list()
    const last = await store.lastModels()
    if (closed) return
    const wanted = [...environmentConnections(config), ...stored].filter(({ enabled }) => enabled)
    const wantedIds = new Set(wanted.map(({ id }) => id))
    for (const [id, upstream] of upstreamById) {
      if (wantedIds.has(id)) continue
      upstreamById.delete(id)
      upstream.retire()
    }
    ordered = wanted.map((connection) => {
      const known = upstreamById.get(connection.id)
      if (known && JSON.stringify(known.config) === JSON.stringify(connection)) return known
      known?.retire()
      const upstream = open(connection, known?.listed() ?? last.get(keptAs(connection)) ?? [])
      upstreamById.set(connection.id, upstream)
      return upstream
    })
    rebuild()
  }

  /** Runs reloads one after another, so that an older state never replaces a newer one. */
  const reloadInTurn = (): Promise<void> => {
    loading = loading.catch(() => {}).then(reload)
    return loading
  }

  await reloadInTurn()

  const stopListening = bus.subscribe(({ topic }) => {
    // If the database is unreachable, the current connections stay in use until the bus sends
    // `reset`.
    if (topic === "connections" || topic === "reset") void reloadInTurn().catch(() => {})
  })
  const listTimer = setInterval(() => {
    for (const upstream of ordered) if (!upstream.resting()) void upstream.refresh()
  }, config.MODEL_REFRESH_INTERVAL * 1000).unref()
  const loadedTimer = setInterval(() => {
    const runtimes = ordered.filter(({ config: { kind } }) => kind === "ollama")
    if (runtimes.length < 2) return
    for (const upstream of runtimes) if (!upstream.resting()) void upstream.refreshLoaded()
  }, loadedMs).unref()

  const refresh = async (ms: number): Promise<void> => {
    const readings = ordered.filter((upstream) => !upstream.resting()).map((u) => u.refresh())
    const enough = new AbortController()
    await Promise.race([Promise.all(readings), passed(ms, enough.signal)])
    enough.abort()
  }

  const askAgain = async (): Promise<void> => {
    if (ordered.every((upstream) => upstream.resting())) return
    await passed(askedAt + askAgainPauseMs - performance.now())
    askedAt = performance.now()
    await refresh(askAgainMs)
  }

  return {
    /** In configured order; environment connections first. */
    upstreams: (): readonly Upstream[] => ordered,
    runtimes: (): Upstream[] => ordered.filter(({ config: { kind } }) => kind === "ollama"),
    byId: (id: string): Upstream | undefined => upstreamById.get(id),
    /** Endpoints by model id, as callers use it. */
    offers: (): ReadonlyMap<string, readonly Offer[]> => offersById,
    /** Registers a callback for changes of the endpoints. */
    onChange: (listener: () => void): void => void listeners.add(listener),
    /** Applies the stored connections. Their model lists may arrive later. */
    reload: reloadInTurn,

    /** Refreshes the lists of healthy connections, and waits up to `ms` for the results. */
    refresh,

    /**
     * Refreshes the lists because a requested model is unknown; concurrent calls share one refresh.
     * Resolves when `found` returns true or the refresh ends, without waiting for slow connections.
     */
    search: (found: () => boolean): Promise<void> =>
      new Promise((resolve) => {
        const look = (): void => {
          if (found()) stop()
        }
        const stop = (): void => {
          listeners.delete(look)
          resolve()
        }
        listeners.add(look)
        asking ??= askAgain().finally(() => {
          asking = undefined
        })
        void asking.then(stop)
      }),

    close: async (): Promise<void> => {
      closed = true
      stopListening()
      clearInterval(listTimer)
      clearInterval(loadedTimer)
      await Promise.all([...upstreamById.values()].map((upstream) => upstream.close()))
    },
  }
}

export type Registry = Awaited<ReturnType<typeof createRegistry>>
