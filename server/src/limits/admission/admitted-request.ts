import type { AttemptTarget } from "../../connections/attempt-target.ts"
import type { Endpoint } from "../../connections/connection-registry.ts"
import { Failure } from "../../errors.ts"
import { keyIdOf, userIdOf } from "../../http/caller.ts"
import type { PriceEntry } from "../../prices/schema.ts"
import type { UsageRecorder, UsedAmounts } from "../../usage/usage-recorder.ts"
import type { Reservation } from "../ledger/reservation.ts"
import type { ActiveLimit } from "../limit-registry.ts"
import { limitAmountAt } from "../store.ts"
import type { AdmissionDeps, AdmissionRequest } from "./admission-request.ts"
import { defaultOutputOf } from "./default-output.ts"
import { createPriceFailure, outcomeOfFailure } from "./limit-failure.ts"
import { createLimitHeaders, type LimitHeaderApi } from "./limit-headers.ts"
import type { RequestSize } from "./request-size.ts"
import { countOnly, findTightestLimits, type Need, type Reserved } from "./reserve.ts"
import {
  createWorstCase,
  findFittingOutput,
  isSized,
  minOutputTokens,
  type WorstCase,
} from "./worst-case.ts"

const isOfSize = ({ metric }: ActiveLimit): boolean => isSized(metric)
const isHard = ({ mode }: ActiveLimit): boolean => mode === "hard"

/** The largest output up to `max` that fits into what is left of all hard limits. */
const findFittingOutputOf = (
  limits: readonly ActiveLimit[],
  leftOf: (limit: ActiveLimit) => number,
  { worstCase, max }: { worstCase: WorstCase; max: number },
): number => {
  let fits = max
  for (const limit of limits) {
    const { metric } = limit
    if (isHard(limit) && isSized(metric))
      fits = findFittingOutput(worstCase, { metric, left: leftOf(limit), max: fits })
  }
  return fits
}

/**
 * A request with its usage record and what is reserved for it. All of it is settled with the record,
 * however the request ends.
 */
export class AdmittedRequest {
  readonly usageRecorder: UsageRecorder
  readonly #deps: AdmissionDeps
  readonly #request: AdmissionRequest
  /** Those of the caller and of the model. */
  readonly #limits: readonly ActiveLimit[]
  #reservations: Reservation[] = []
  /** For the connection that the request was last sent to. */
  #attempt: Reservation | null = null
  #size: RequestSize | null = null
  #maxTokensOut = 0
  /** Whether a limit, rather than the client, decides how long the answer may be. */
  #isReducible = false

  constructor(deps: AdmissionDeps, request: AdmissionRequest) {
    this.#deps = deps
    this.#request = request
    this.#limits = this.#findLimits()
    this.usageRecorder = deps.usageRecorders.start(request, (used) => this.#charge(used))
  }

  /** Tokens of the answer to ask for at most, where a limit needs it and the client set none. */
  get outputLimit(): number | null {
    return this.#isReducible ? this.#maxTokensOut : null
  }

  /** What is left of limits on requests and tokens, for clients: names and values in turn. */
  limitHeaders(api: LimitHeaderApi): string[] {
    const { ledger, nowMs } = this.#deps
    return createLimitHeaders(findTightestLimits(this.#limits, ledger), api, nowMs())
  }

  /** @throws {Failure} if a limit does not allow the request */
  reserve(): void | Promise<void> {
    if (this.#deps.registry.isEmpty()) return
    const { measure } = this.#request
    if (measure) return this.#reserve(this.#limits, this.#planSize(measure) ?? countOnly)
    return this.#reserve(
      this.#limits.filter((limit) => !isOfSize(limit)),
      countOnly,
    )
  }

  /** Reserves tokens and cost, if they were not measured before. @throws {Failure} as `reserve` */
  reserveSize(measure: () => RequestSize): void | Promise<void> {
    if (this.#deps.registry.isEmpty()) return
    const need = this.#planSize(measure)
    if (need) return this.#reserve(this.#limits.filter(isOfSize), need)
  }

  /**
   * Reserves from the limits of a connection before the request is sent to it; the previous attempt
   * has failed, and costs nothing.
   * @throws {Failure} if they do not allow the request
   */
  reserveAttempt(target: AttemptTarget): void | Promise<void> {
    this.#attempt?.cancel()
    this.#attempt = null
    if (this.#deps.registry.isEmpty()) return
    const limits = this.#limitsOf(target.connection.config.id)
    const price = this.#priceOf(target)
    if (!price) this.#checkUnpriced([...this.#limits, ...limits])
    if (limits.length === 0) return
    const worstCase = this.#size && createWorstCase(this.#size, price ? [price] : [])
    const need = worstCase
      ? { worstCase, maxTokensOut: this.#maxTokensOut, isReducible: false }
      : countOnly
    const reserved = this.#deps.reserve(limits, need)
    if (reserved instanceof Promise) return reserved.then(this.#keepAttempt)
    this.#keepAttempt(reserved)
  }

  /** Records that the request was not sent. */
  recordRejection(error: Error): void {
    const outcome = error instanceof Failure ? outcomeOfFailure(error) : "upstream_error"
    const status = error instanceof Failure ? error.status : 500
    this.usageRecorder.settle({ outcome, status, tokens: null, chunksOut: 0 })
  }

  #findLimits(): readonly ActiveLimit[] {
    const { caller, modelIds, isNested } = this.#request
    const found = this.#deps.registry.findApplicable({
      userId: userIdOf(caller),
      groupIds: caller.groups,
      keyId: keyIdOf(caller),
      modelIds,
    })
    if (!isNested) return found
    // The caller's own request is in flight already, and would wait for this one; of another model.
    return found.filter(
      ({ metric, target, model }) =>
        metric !== "concurrency" || target.type === "model" || model !== undefined,
    )
  }

  #limitsOf(connectionId: string): readonly ActiveLimit[] {
    return this.#deps.registry.findOfConnection(connectionId, this.#request.modelIds)
  }

  /** Null if neither tokens nor cost are limited. */
  #planSize(measure: () => RequestSize): Need | null {
    const { endpoints } = this.#request
    if (endpoints.length === 0) return null
    const limits = this.#limits.filter(isOfSize)
    const ofConnections = this.#sizeLimitsOf(endpoints)
    if (limits.length + ofConnections.length === 0) return null
    const size = measure()
    this.#size = size
    const prices = this.#pricesOf(endpoints)
    if (prices.length === 0) this.#checkUnpriced(limits)
    const worstCase = createWorstCase(size, prices)
    const isReducible =
      size.maxTokensOut === null && (limits.some(isHard) || ofConnections.some(isHard))
    const maxTokensOut = size.maxTokensOut ?? this.#chooseOutput(worstCase, limits)
    this.#isReducible = isReducible
    this.#maxTokensOut = maxTokensOut
    return { worstCase, maxTokensOut, isReducible }
  }

  #sizeLimitsOf(endpoints: readonly Endpoint[]): ActiveLimit[] {
    const limits: ActiveLimit[] = []
    for (const { connection } of endpoints)
      for (const limit of this.#limitsOf(connection.config.id))
        if (isOfSize(limit)) limits.push(limit)
    return limits
  }

  #priceOf({ connection, model }: Pick<AttemptTarget, "connection" | "model">) {
    return model === null ? undefined : this.#deps.endpointPrices.priceOf(connection, model)
  }

  #pricesOf(endpoints: readonly Endpoint[]): PriceEntry[] {
    const prices: PriceEntry[] = []
    for (const { connection, model } of endpoints) {
      const price = this.#priceOf({ connection, model: model.name })
      if (price) prices.push(price)
    }
    return prices
  }

  /** As long an answer as a model gives and the limits allow. */
  #chooseOutput(worstCase: WorstCase, limits: readonly ActiveLimit[]): number {
    const { nowMs, ledger } = this.#deps
    const { endpoints } = this.#request
    const now = nowMs()
    const amountOf = (limit: ActiveLimit): number => limitAmountAt(limit, now)
    /** What it reserves is not reduced when a connection is tried. */
    const leftOf = (limit: ActiveLimit): number => {
      const state = ledger.describe(limit.tracked, ledger.readClocks())
      return state ? Math.min(amountOf(limit), state.amount - state.spent) : amountOf(limit)
    }
    const ofModel = defaultOutputOf(endpoints, this.#deps.endpointPrices)
    const max = findFittingOutputOf(limits, amountOf, { worstCase, max: ofModel })
    const ofConnections = endpoints.map(({ connection }) =>
      findFittingOutputOf(this.#limitsOf(connection.config.id), leftOf, { worstCase, max }),
    )
    return Math.max(minOutputTokens, ...ofConnections)
  }

  #checkUnpriced(limits: readonly ActiveLimit[]): void {
    if (this.#deps.settings.current().unpriced_models === "admit") return
    if (limits.some(({ metric }) => metric === "cost"))
      throw createPriceFailure(this.#request.model)
  }

  #reserve(limits: readonly ActiveLimit[], need: Need): void | Promise<void> {
    if (limits.length === 0) return
    const keep = ({ reservation, maxTokensOut }: Reserved): void => {
      this.#reservations.push(reservation)
      this.#releaseIfSettled(reservation)
      if (need.isReducible) this.#maxTokensOut = maxTokensOut
    }
    const reserved = this.#deps.reserve(limits, need)
    if (reserved instanceof Promise) return reserved.then(keep)
    keep(reserved)
  }

  readonly #keepAttempt = ({ reservation }: Reserved): void => {
    this.#attempt = reservation
    this.#releaseIfSettled(reservation)
  }

  /** The client may have left while the database was asked. */
  #releaseIfSettled(reservation: Reservation): void {
    if (this.usageRecorder.isSettled) reservation.cancel()
  }

  #charge(used: UsedAmounts): boolean | null {
    const attempt = this.#attempt
    if (this.#reservations.length === 0 && attempt === null) return null
    const { requests, tokens, cost } = used
    const amounts = { requests, tokens, cost, concurrency: 0 }
    let isOverrun = attempt?.settle(amounts) ?? false
    for (const reservation of this.#reservations) if (reservation.settle(amounts)) isOverrun = true
    return isOverrun
  }
}
