import { HttpStatusError, requestJson, type Transport, type UpstreamTimeouts } from "@portico/http1"
import { toReference } from "../i18n/message.ts"
import type { Transports } from "../outbound/transports.ts"
import type { Provider, ProviderClient, ProviderModel } from "../providers/provider.ts"
import { providers } from "../providers/registry.ts"
import { createCircuitBreaker } from "./circuit-breaker.ts"
import type { ConnectionFault } from "./connection-fault.ts"
import { type Diagnosis, diagnose, diagnoseModelRefusal, listTimeoutMs } from "./diagnosis.ts"
import { createModelPauses } from "./model-pauses.ts"
import { createOperationSupport, type OperationSupport } from "./operation-support.ts"
import type { ConnectionConfig, ConnectionHealth } from "./schema.ts"

interface Deps {
  config: ConnectionConfig
  /** The gateway's timeouts, used where the connection has none of its own. */
  timeouts: UpstreamTimeouts
  transports: Transports
  /** The models saved by an earlier process. */
  lastModels: readonly ProviderModel[]
  /** Called when the list or the availability has changed. */
  onChange: () => void
  now: () => number
}

/** Lower-case names, so that a connection's headers replace those of a caller. */
const lowercaseNames = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

/** For one list of models, which is limited to `listTimeoutMs` altogether. */
export const createModelListClient = (
  transport: Transport,
  headers: Record<string, string>,
): ProviderClient => {
  const signal = AbortSignal.timeout(listTimeoutMs)
  return { ask: (request) => requestJson(transport, { ...request, headers }, signal) }
}

/** A connection in use: its transport, its health and its models. */
export interface Connection extends OperationSupport {
  readonly config: ConnectionConfig
  readonly provider: Provider
  readonly transport: Transport
  /** Sent with every request; includes the credential. */
  readonly headers: Record<string, string>
  readonly firstByteMs: number
  /** Requests currently in flight. */
  inFlight: number
  models(): readonly ProviderModel[]
  /** All models of the provider, including those outside `allowed_models`. */
  allModels(): readonly ProviderModel[]
  /** Whether the list was requested since startup, successfully or not. */
  hasListed(): boolean
  /** Whether the last list request succeeded. */
  isAvailable(): boolean
  isResting(): boolean
  isLoaded(name: string): boolean
  /** Whether the connection refused a model that it lists, so that others are tried first. */
  isPaused(model: string): boolean
  /** Call before sending a request that uses a model. @returns to be called if it has no result */
  beginAttempt(model: string | null): () => void
  recordSuccess(model: string | null): void
  /** Call when the connection refused what it should serve: its key, or a model that it lists. */
  recordFault(fault: ConnectionFault, error: HttpStatusError, model: string): void
  recordFailure(severity: "hard" | "soft", error: Error): void
  /** Reads the list of models; concurrent calls share one request. @returns whether it succeeded */
  refresh(): Promise<boolean>
  refreshLoaded(): Promise<void>
  health(): ConnectionHealth
  /** Stops using the connection; requests in flight may finish. */
  retire(): void
  /** Stops using the connection and aborts its requests. */
  close(): void
}

export const createConnection = (deps: Deps): Connection => {
  const { config, now } = deps
  const provider = providers[config.kind]
  const timeouts: UpstreamTimeouts = {
    connect: config.connect_timeout ?? deps.timeouts.connect,
    firstByte: config.first_byte_timeout ?? deps.timeouts.firstByte,
    idle: config.idle_timeout ?? deps.timeouts.idle,
  }
  const transport = deps.transports.open({ baseUrl: config.base_url, timeouts })
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
  let refusalError: Diagnosis | null = null
  let lastOkAt: number | null = null
  let pendingRefresh: Promise<boolean> | undefined
  let isClosed = false

  const applyModels = (found: readonly ProviderModel[]): void => {
    const hasChanged =
      !isAvailable || !hasListed || JSON.stringify(found) !== JSON.stringify(allModels)
    allModels = found
    models = found.filter(allowed)
    const listedNames = new Set(found.map(({ name }) => name))
    pauses.keepOnly((model) => listedNames.has(model))
    hasListed = true
    isAvailable = true
    listError = null
    lastOkAt = now()
    breaker.recordListSuccess()
    if (hasChanged) deps.onChange()
  }

  const applyListFailure = (error: unknown): void => {
    const hasChanged = isAvailable || !hasListed
    hasListed = true
    listError = diagnose(error, config)
    // A rate limit does not count against the connection's health.
    if (error instanceof HttpStatusError && error.status === 429) return
    isAvailable = false
    breaker.recordListFailure()
    if (hasChanged) deps.onChange()
  }

  const readModels = async (): Promise<boolean> => {
    try {
      const found = await provider.listModels(createModelListClient(transport, headers), allModels)
      if (!isClosed) applyModels(found)
      await refreshLoaded()
      return true
    } catch (error) {
      if (!isClosed) applyListFailure(error)
      return false
    }
  }

  const refreshLoaded = async (): Promise<void> => {
    const providerClient = createModelListClient(transport, headers)
    // Only for load balancing; `refresh` reports what is wrong with the connection.
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
  const pauses = createModelPauses()

  const isHealthy = (): boolean => breaker.isHealthy() && isAvailable && !pauses.hasRefusals()

  const connection: Connection = {
    ...createOperationSupport({ provider, transport, headers, now }),
    config,
    provider,
    transport,
    headers,
    firstByteMs: timeouts.firstByte * 1000,
    models: () => models,
    allModels: () => allModels,
    hasListed: () => hasListed,
    isAvailable: () => isAvailable,
    isResting: breaker.isResting,
    inFlight: 0,
    isLoaded: (name) => loadedNames.has(name),
    isPaused: pauses.isPaused,
    beginAttempt: (model) => {
      if (model !== null) pauses.beginAttempt(model)
      return breaker.beginAttempt()
    },
    recordSuccess: (model) => {
      requestError = null
      if (model !== null) pauses.recordSuccess(model)
      breaker.recordSuccess()
    },
    recordFault: (fault, error, model) => {
      if (fault === "connection") {
        connection.recordFailure("hard", error)
        return
      }
      refusalError = diagnoseModelRefusal(error, config, model)
      pauses.recordRefusal(model)
      // The list may be out of date.
      void refresh()
    },
    recordFailure: (severity, error) => {
      requestError = diagnose(error, config)
      breaker.recordFailure(severity)
    },
    refresh,
    refreshLoaded,
    health: () => {
      const error = listError ?? requestError ?? (pauses.hasRefusals() ? refusalError : null)
      return {
        status: !hasListed ? "unknown" : isHealthy() ? "healthy" : "resting",
        last_error: error?.message.text ?? null,
        last_error_reference: toReference(error?.message ?? null),
        last_error_details: error?.details ?? null,
        last_ok_at: lastOkAt,
        models: models.length,
        running: connection.inFlight,
      }
    },
    retire: () => {
      isClosed = true
      breaker.close()
      transport.retire()
    },
    close: () => {
      isClosed = true
      breaker.close()
      transport.close()
    },
  }
  return connection
}
