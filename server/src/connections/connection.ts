import { type Client, createClient, type Patience, RefusedError } from "../outbound/client.ts"
import type { Provider, ProviderModel } from "../providers/provider.ts"
import { createBreaker } from "./circuit-breaker.ts"
import { redact } from "./redact.ts"
import type { ConnectionConfig, Health } from "./schema.ts"

const listTimeoutMs = 10_000

/** A connection in use: its client, its health and its models. */
export interface Upstream {
  readonly config: ConnectionConfig
  readonly provider: Provider
  readonly client: Client
  /** Sent with every request; includes the credential. */
  readonly headers: Record<string, string>
  readonly firstByteMs: number
  models(): readonly ProviderModel[]
  /** All models of the provider, including those outside `allowed_models`. */
  listed(): readonly ProviderModel[]
  /** Whether the list was requested since startup, successfully or not. */
  settled(): boolean
  /** Whether the last list request succeeded. */
  available(): boolean
  resting(): boolean
  /** Requests currently in flight. */
  running: number
  loaded(name: string): boolean
  /**
   * Call before sending a request that uses a model. @returns to be called if it ends without a
   * result
   */
  tried(): () => void
  succeeded(): void
  failed(how: "hard" | "soft", why: string): void
  /** Reads the list of models; concurrent calls share one request. @returns whether it succeeded */
  refresh(): Promise<boolean>
  refreshLoaded(): Promise<void>
  health(): Health
  /** Stops using the connection; requests in flight may finish. */
  retire(): void
  /** Stops using the connection and aborts its requests. */
  close(): Promise<void>
}

interface Deps {
  config: ConnectionConfig
  provider: Provider
  /** The gateway's timeouts, used where the connection has none of its own. */
  patience: Patience
  /** The models saved by an earlier process. */
  lastModels: readonly ProviderModel[]
  /** Called when the list or the availability has changed. */
  changed: (upstream: Upstream) => void
  now: () => number
}

const sentence = (error: unknown): string =>
  error instanceof Error ? error.message || error.name : String(error)

/** Lower-case names, so that a connection's headers replace those of a caller. */
const folded = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

export const createUpstream = (deps: Deps): Upstream => {
  const { config, provider, now } = deps
  const patience: Patience = {
    connect: config.connect_timeout ?? deps.patience.connect,
    firstByte: config.first_byte_timeout ?? deps.patience.firstByte,
    idle: config.idle_timeout ?? deps.patience.idle,
  }
  const client = createClient(config.base_url, patience)
  const headers = folded({ ...provider.credentialHeaders(config.api_key), ...config.headers })
  const allowed = ({ name }: ProviderModel): boolean =>
    config.allowed_models === null || config.allowed_models.includes(name)

  let listed = deps.lastModels
  let models = listed.filter(allowed)
  let loaded: ReadonlySet<string> = new Set()
  let settled = false
  let available = true
  let lastError: string | null = null
  /** The error of the last failed request, until one succeeds. */
  let requestError: string | null = null
  let lastOkAt: number | null = null
  let reading: Promise<boolean> | undefined
  let closed = false

  const shown = (why: string): string => redact(why, config).slice(0, 300)

  const asking = () => ({ client, headers, signal: AbortSignal.timeout(listTimeoutMs) })

  const answered = (found: readonly ProviderModel[]): void => {
    const news = !available || !settled || JSON.stringify(found) !== JSON.stringify(listed)
    listed = found
    models = found.filter(allowed)
    settled = true
    available = true
    lastError = null
    lastOkAt = now()
    breaker.listed()
    if (news) deps.changed(upstream)
  }

  const silent = (error: unknown): void => {
    const news = available || !settled
    settled = true
    lastError = shown(sentence(error))
    // A rate limit does not count against the connection's health.
    if (error instanceof RefusedError && error.status === 429) return
    available = false
    breaker.unlisted()
    if (news) deps.changed(upstream)
  }

  const read = async (): Promise<boolean> => {
    try {
      const found = await provider.listModels(asking(), listed)
      if (!closed) answered(found)
      await refreshLoaded()
      return true
    } catch (error) {
      if (!closed) silent(error)
      return false
    }
  }

  const refreshLoaded = async (): Promise<void> => {
    const names = await provider.listLoaded(asking()).catch(() => null)
    if (names) loaded = new Set(names)
  }

  const refresh = (): Promise<boolean> => {
    reading ??= read().finally(() => {
      reading = undefined
    })
    return reading
  }

  const breaker = createBreaker({ probe: refresh })

  const upstream: Upstream = {
    config,
    provider,
    client,
    headers,
    firstByteMs: patience.firstByte * 1000,
    models: () => models,
    listed: () => listed,
    settled: () => settled,
    available: () => available,
    resting: () => breaker.resting(),
    running: 0,
    loaded: (name) => loaded.has(name),
    tried: breaker.tried,
    succeeded: () => {
      requestError = null
      breaker.succeeded()
    },
    failed: (how, why) => {
      requestError = shown(why)
      breaker.failed(how)
    },
    refresh,
    refreshLoaded,
    health: () => ({
      status: !settled ? "unknown" : breaker.healthy() && available ? "healthy" : "resting",
      last_error: lastError ?? requestError,
      last_ok_at: lastOkAt,
      models: models.length,
      running: upstream.running,
    }),
    retire: () => {
      closed = true
      breaker.close()
      client.retire()
    },
    close: async () => {
      closed = true
      breaker.close()
      client.close()
    },
  }
  return upstream
}
