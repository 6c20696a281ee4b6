import type { Endpoint } from "../../connections/connection-registry.ts"
import type { EndpointPrices } from "../../prices/endpoint-prices.ts"
import type { SettingsStore } from "../../settings/settings.ts"
import type { UsageRecorders, UsageRecordInput } from "../../usage/usage-recorder.ts"
import type { Ledger } from "../ledger/ledger.ts"
import type { LimitRegistry } from "../limit-registry.ts"
import type { RequestSize } from "./request-size.ts"
import type { Reserve } from "./reserve.ts"

/** A request before it is sent to a model. */
export interface AdmissionRequest extends UsageRecordInput {
  /** The requested model, and those that it is based on. */
  modelIds: readonly string[]
  /** What may answer; none if a function does, whose own requests are admitted by themselves. */
  endpoints: readonly Endpoint[]
  /** Whether a function made it, while the request of its caller is in flight. */
  isNested: boolean
  /**
   * Called only if tokens or cost are limited; null if this is known only later, which
   * `AdmittedRequest.reserveSize` is then called with.
   */
  measure: (() => RequestSize) | null
}

export interface AdmissionDeps {
  usageRecorders: UsageRecorders
  registry: Pick<LimitRegistry, "isEmpty" | "findApplicable" | "findOfConnection">
  ledger: Pick<Ledger, "describe" | "readClocks">
  reserve: Reserve
  endpointPrices: EndpointPrices
  settings: Pick<SettingsStore, "current">
  nowMs: () => number
}
