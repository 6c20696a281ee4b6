import { failInvalid } from "../errors.ts"
import { translatable } from "../i18n/message.ts"
import type { LimitChange, LimitTarget } from "./schema.ts"
import type { StoredLimit } from "./store.ts"

/** What a limit of requests in flight cannot have. */
const checkConcurrency = ({ window, mode, rolling }: StoredLimit): void => {
  if (window !== "total") failInvalid("window", translatable("limit_concurrency_window"))
  if (mode === "soft") failInvalid("mode", translatable("limit_concurrency_soft"))
  if (rolling) failInvalid("rolling", translatable("limit_total_rolling"))
}

/** Checks rules for several fields, which a change may contain only one of. */
export const checkFields = (limit: StoredLimit): void => {
  const { target, model, metric, window, rolling } = limit
  if (metric === "concurrency") checkConcurrency(limit)
  if (window === "total" && rolling) failInvalid("rolling", translatable("limit_total_rolling"))
  if (target.type === "model" && model !== undefined)
    failInvalid("model", translatable("limit_model_twice"))
}

/** A raise that would have no effect. @param at epoch ms */
const checkRaise = ({ amount, raise }: StoredLimit, at: number): void => {
  if (raise === null) return
  if (raise.amount <= amount) failInvalid("raise.amount", translatable("limit_raise_too_small"))
  if (raise.until * 1000 <= at) failInvalid("raise.until", translatable("limit_raise_ended"))
}

const isSameRaise = (one: StoredLimit["raise"], other: StoredLimit["raise"]): boolean =>
  one?.amount === other?.amount && one?.until === other?.until

/** @param before as it was, if it is not new: an earlier raise may have ended @param at epoch ms */
export const checkNewRaise = (
  limit: StoredLimit,
  { before, at }: { before?: StoredLimit; at: number },
): void => {
  if (!(before && isSameRaise(before.raise, limit.raise))) checkRaise(limit, at)
}

const isSameTarget = (one: LimitTarget, other: LimitTarget): boolean =>
  one.type === other.type && one.id === other.id

const fixedField = (path: string): never => failInvalid(path, translatable("limit_field_fixed"))

/** The limit after a change, which may repeat what it cannot change. */
export const applyChange = (
  limit: StoredLimit,
  { target, model, metric, ...changes }: LimitChange,
): StoredLimit => {
  if (target && !isSameTarget(target, limit.target)) fixedField("target")
  if (model !== undefined && model !== limit.model) fixedField("model")
  if (metric !== undefined && metric !== limit.metric) fixedField("metric")
  const defined = Object.entries(changes).filter(([, value]) => value !== undefined)
  return { ...limit, ...Object.fromEntries(defined) }
}
