import { type Client, createClient, RefusedError, type UpstreamTimeouts } from "@portico/http1"
import type { Provider, ProviderClient, ProviderModel } from "../providers/provider.ts"
import { providers } from "../providers/registry.ts"
import { createCircuitBreaker } from "./circuit-breaker.ts"
import { type Diagnosis, diagnose, listTimeoutMs } from "./diagnosis.ts"
import type { ConnectionConfig, ConnectionHealth } from "./schema.ts"

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
  allModels(): readonly ProviderModel[]
  /** Whether the list was requested since startup, successfully or not. */
  hasListed(): boolean
  /** Whether the last list request succeeded. */
  isAvailable(): boolean
  isResting(): boolean
  /** Requests currently in flight. */
  inFlight: number
  isLoaded(name: string): boolean
  /**
   * Call before sending a request that uses a model. @returns to be called if it ends without a
   * result
   */
  beginAttempt(): () => void
  recordSuccess(): void
  recordFailure(severity: "hard" | "soft", error: Error): void
  /** Reads the list of models; concurrent calls share one request. @returns whether it succeeded */
  refresh(): Promise<boolean>
  refreshLoaded(): Promise<void>
  health(): ConnectionHealth
  /** Stops using the connection; requests in flight may finish. */
  retire(): void
  /** Stops using the connection and aborts its requests. */
  close(): Promise<void>
}

interface Deps {
  config: ConnectionConfig
  /** The gateway's timeouts, used where the connection has none of its own. */
  timeouts: UpstreamTimeouts
  /** The models saved by an earlier process. */
  lastModels: readonly ProviderModel[]
  /** Called when the list or the availability has changed. */
  onChange: (upstream: Upstream) => void
  now: () => number
}

/** Lower-case names, so that a connection's headers replace those of a caller. */
const lowercaseNames = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

/** For one list of models, which is limited to `listTimeoutMs` altogether. */
export const createProviderClient = (
  client: Client,
  headers: Record<string, string>,
): ProviderClient => {
  const signal = AbortSignal.timeout(listTimeoutMs)
  return { ask: (request) => client.ask({ ...request, headers }, signal) }
}

export const createUpstream = (deps: Deps): Upstream => {
  const { config, now } = deps
  const provider = providers[config.kind]
  const timeouts: UpstreamTimeouts = {
    connect: config.connect_timeout ?? deps.timeouts.connect,
    firstByte: config.first_byte_timeout ?? deps.timeouts.firstByte,
    idle: config.idle_timeout ?? deps.timeouts.idle,
  }
  const client = createClient(config.base_url, timeouts)
  const headers = lowercaseNames({
    ...provider.credentialHeaders(config.api_key),
    ...config.headers,
  })
  const allowed = ({ name }: ProviderModel): boolean =>
    config.allowed_models === null || config.allowed_models.includes(name)

  let allModels = deps.lastModels
  let models = allModels.filter(allowed)
  let loadedNames: ReadonlySet<string> = new Set()
  let hasListed = false
  let isAvailable = true
  let listError: Diagnosis | null = null
  /** The error of the last failed request, until one succeeds. */
  let requestError: Diagnosis | null = null
  let lastOkAt: number | null = null
  let pendingRefresh: Promise<boolean> | undefined
  let isClosed = false

  const applyModels = (found: readonly ProviderModel[]): void => {
    const hasChanged =
      !isAvailable || !hasListed || JSON.stringify(found) !== JSON.stringify(allModels)
    allModels = found
    models = found.filter(allowed)
    hasListed = true
    isAvailable = true
    listError = null
    lastOkAt = now()
    breaker.recordListSuccess()
    if (hasChanged) deps.onChange(upstream)
  }

  const applyListFailure = (error: unknown): void => {
    const hasChanged = isAvailable || !hasListed
    hasListed = true
    listError = diagnose(error, config)
    // A rate limit does not count against the connection's health.
    if (error instanceof RefusedError && error.status === 429) return
    isAvailable = false
    breaker.recordListFailure()
    if (hasChanged) deps.onChange(upstream)
  }

  const readModels = async (): Promise<boolean> => {
    try {
      const found = await provider.listModels(createProviderClient(client, headers), allModels)
      if (!isClosed) applyModels(found)
      await refreshLoaded()
      return true
    } catch (error) {
      if (!isClosed) applyListFailure(error)
      return false
    }
  }

  const refreshLoaded = async (): Promise<void> => {
    const providerClient = createProviderClient(client, headers)
    const names = await provider.listLoaded?.(providerClient).catch(() => null)
    if (names) loadedNames = new Set(names)
  }

  const refresh = (): Promise<boolean> => {
    pendingRefresh ??= readModels().finally(() => {
      pendingRefresh = undefined
    })
    return pendingRefresh
  }

  const breaker = createCircuitBreaker({ probe: refresh })

  const upstream: Upstream = {
    config,
    provider,
    client,
    headers,
    firstByteMs: timeouts.firstByte * 1000,
    models: () => models,
    allModels: () => allModels,
    hasListed: () => hasListed,
    isAvailable: () => isAvailable,
    isResting: () => breaker.isResting(),
    inFlight: 0,
    isLoaded: (name) => loadedNames.has(name),
    beginAttempt: breaker.beginAttempt,
    recordSuccess: () => {
      requestError = null
      breaker.recordSuccess()
    },
    recordFailure: (severity, error) => {
      requestError = diagnose(error, config)
      breaker.recordFailure(severity)
    },
    refresh,
    refreshLoaded,
    health: () => {
      const error = listError ?? requestError
      return {
        status: !hasListed ? "unknown" : breaker.isHealthy() && isAvailable ? "healthy" : "resting",
        last_error: error?.message ?? null,
        last_error_details: error?.details ?? null,
        last_ok_at: lastOkAt,
        models: models.length,
        running: upstream.inFlight,
      }
    },
    retire: () => {
      isClosed = true
      breaker.close()
      client.retire()
    },
    close: async () => {
      isClosed = true
      breaker.close()
      client.close()
    },
  }
  return upstream
}
