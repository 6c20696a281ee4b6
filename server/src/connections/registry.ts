import { hash } from "node:crypto"
import { setTimeout as wait } from "node:timers/promises"
import type { Bus } from "../bus/bus.ts"
import type { Config } from "../config/config.ts"
import type { Kind, Provider, ProviderModel } from "../providers/provider.ts"
import { createUpstream, type Upstream } from "./connection.ts"
import type { ConnectionConfig } from "./schema.ts"
import type { ConnectionStore } from "./store.ts"

/** With several runtimes the choice looks at what each holds in memory, so that must be fresh. */
const loadedMs = 5000
/** The longest that anybody waits for connections to be asked again for their models. */
const askAgainMs = 1000
/** Between two such rounds; what comes meanwhile waits for the next. */
const askAgainPauseMs = 500

/** A model on one connection. */
export interface Offer {
  /** With the connection's prefix: how callers name it. */
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
 * The name under which a connection's models are kept for the next start. The environment's are
 * only numbered, so theirs goes with the address: another one in its place has other models.
 */
const keptAs = ({ id, source, base_url }: ConnectionConfig): string =>
  source === "environment" ? `${id} ${hash("sha256", base_url).slice(0, 16)}` : id

/** The connections that environment variables name, in their order. */
export const environmentConnections = ({ runtimes, providers }: Config): ConnectionConfig[] => [
  ...runtimes.map((url, index) => always("ollama", url, "", index)),
  ...providers.map(({ url, key }, index) => always("openai", url, key, index)),
]

export const offeredId = ({ id_prefix }: ConnectionConfig, name: string): string =>
  id_prefix === null ? name : `${id_prefix}.${name}`

const passed = async (ms: number, signal?: AbortSignal): Promise<void> => {
  if (ms > 0) await wait(ms, undefined, { ...(signal && { signal }) }).catch(() => {})
}

/** The connections in use and what they offer, all in memory; nobody waits for a slow one. */
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
    // Kept for the next start only; when it cannot be written, that start asks anew.
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

  /** One after another, so that an older state never lands on a newer one. */
  const reloadInTurn = (): Promise<void> => {
    loading = loading.catch(() => {}).then(reload)
    return loading
  }

  await reloadInTurn()

  const stopListening = bus.subscribe(({ topic }) => {
    // Out of reach: what is in use stays in use until the bus says `reset`.
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
    /** In configured order: the environment's first. */
    upstreams: (): readonly Upstream[] => ordered,
    runtimes: (): Upstream[] => ordered.filter(({ config: { kind } }) => kind === "ollama"),
    byId: (id: string): Upstream | undefined => upstreamById.get(id),
    /** Every model by the id that callers use. */
    offers: (): ReadonlyMap<string, readonly Offer[]> => offersById,
    /** Calls back when the offers changed. */
    onChange: (listener: () => void): void => void listeners.add(listener),
    /** Done with the connections as stored now; their lists may still be on their way. */
    reload: reloadInTurn,

    /** Asks what is not resting for its models again, and waits for the answers up to `ms`. */
    refresh,

    /**
     * Asks again because somebody looks for a model that is not there, in one round for all who do
     * so. Waits until `found`, or until the round is over; slow connections are not waited for.
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
