import { type Caller, keyIdOf } from "../http/caller.ts"
import type { Limit, OwnLimit } from "./schema.ts"
import type { StoredLimit } from "./store.ts"

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

const usedPartOf = ({ spent, amount }: Limit): number =>
  amount === 0 ? 1 : Math.min(1, roundUp(spent / amount))

/** @param isReadable whether the caller sees amounts, or only the part that is used */
export const toOwnLimit = (
  { raise, created_at, updated_at, ...limit }: Limit,
  isReadable: boolean,
): OwnLimit => ({
  ...limit,
  ...(!isReadable && { amount: null, spent: null, reserved: null }),
  used: usedPartOf({ ...limit, raise, created_at, updated_at }),
})
