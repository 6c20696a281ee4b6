import { HttpStatusError, requestJson, type Transport } from "@portico/http1"
import { type Provider, type ProviderOperation, servesOperation } from "../providers/provider.ts"
import { listTimeoutMs } from "./diagnosis.ts"

/** A server may be updated while the gateway runs. In seconds, like `now`. */
const recheckAfterSeconds = 600
/** A server that is slow to say nothing must not delay every request. */
const slowMs = 1000
const retrySlowAfterSeconds = 30
const missingStatuses = new Set([404, 405, 501])

/** Whether a status may mean that a server does not have the path or method. */
export const mayBeMissing = (status: number): boolean => missingStatuses.has(status)

/** A server that starts or is overloaded answers every path like this. */
const isInconclusive = (status: number): boolean =>
  status === 429 || (status >= 500 && !mayBeMissing(status))

interface Deps {
  provider: Provider
  transport: Pick<Transport, "send">
  headers: Record<string, string>
  now: () => number
}

interface Finding {
  /** Null if the server could not be asked, or its answer is inconclusive. */
  isSupported: boolean | null
  checkedAt: number
}

/**
 * Finds out which of a provider's optional operations a server has: by an empty request, which it
 * refuses in another way if it has the operation.
 */
export interface OperationSupport {
  /** Resolves when `hasOperation` is known; undefined if it already is. */
  checkOperation(operation: ProviderOperation): Promise<void> | undefined
  hasOperation(operation: ProviderOperation): boolean
}

export const createOperationSupport = (deps: Deps): OperationSupport => {
  const { provider, transport, headers, now } = deps
  const findings = new Map<string, Finding>()
  const pending = new Map<string, Promise<void>>()

  /** Null if the server could not be asked, or its answer says nothing about the operation. */
  const findSupport = async (operation: ProviderOperation): Promise<boolean | null> => {
    const path = provider.operationPath(operation)
    const request = { method: "POST", path, json: {}, headers }
    try {
      await requestJson(transport, request, AbortSignal.timeout(listTimeoutMs))
      return true
    } catch (error) {
      if (!(error instanceof HttpStatusError) || isInconclusive(error.status)) return null
      return !mayBeMissing(error.status)
    }
  }

  const check = async (operation: ProviderOperation): Promise<void> => {
    const startedAt = performance.now()
    const found = await findSupport(operation)
    const isSlow = performance.now() - startedAt > slowMs
    if (found === null && !isSlow) return
    const isSupported = found ?? findings.get(operation.name)?.isSupported ?? null
    const age = found === null ? recheckAfterSeconds - retrySlowAfterSeconds : 0
    findings.set(operation.name, { isSupported, checkedAt: now() - age })
  }

  const startCheck = (operation: ProviderOperation): Promise<void> => {
    const checking = check(operation).finally(() => pending.delete(operation.name))
    pending.set(operation.name, checking)
    return checking
  }

  const isKnown = (operation: ProviderOperation): boolean => {
    const finding = findings.get(operation.name)
    return finding !== undefined && now() - finding.checkedAt < recheckAfterSeconds
  }

  return {
    checkOperation: (operation) => {
      const mayBeMissed = operation.isOptional && servesOperation(provider, operation)
      if (!mayBeMissed || isKnown(operation)) return undefined
      return pending.get(operation.name) ?? startCheck(operation)
    },
    hasOperation: (operation) =>
      servesOperation(provider, operation) && findings.get(operation.name)?.isSupported !== false,
  }
}
