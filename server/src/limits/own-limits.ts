import { type Caller, keyIdOf } from "../http/caller.ts"
import type { Limit, OwnLimit } from "./schema.ts"
import { limitAmountAt, type StoredLimit } from "./store.ts"

/** Whether it limits the caller's requests, whichever model they are for. */
export const appliesTo = (
  caller: Caller,
  { target: { type, id = "" }, group_id }: StoredLimit,
): boolean => {
  if (type === "everyone") return true
  if (type === "group") return caller.groups.has(id)
  if (type === "key") return id === keyIdOf(caller)
  return (
    type === "user" && id === caller.user.id && (group_id === null || caller.groups.has(group_id))
  )
}

/** Exact figures would show what others do. */
const roundUp = (part: number): number => Math.ceil(part * 100) / 100

/** @param at epoch ms */
const usedPartOf = (limit: Limit, at: number): number => {
  const amount = limitAmountAt(limit, at)
  return amount === 0 ? 1 : Math.min(1, roundUp(limit.spent / amount))
}

/**
 * @param isReadable whether the caller sees amounts, or only the part that is used
 * @param at epoch ms
 */
export const toOwnLimit = (
  limit: Limit,
  { isReadable, at }: { isReadable: boolean; at: number },
): OwnLimit => {
  const { created_at, updated_at, ...shown } = limit
  const hidden = { amount: null, raise: null, spent: null, reserved: null }
  return { ...shown, ...(!isReadable && hidden), used: usedPartOf(limit, at) }
}
