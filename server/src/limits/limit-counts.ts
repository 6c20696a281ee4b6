import type { Tx } from "../db/database.ts"
import { maxRows } from "../db/max-rows.ts"
import { fail } from "../errors.ts"
import { translatable } from "../i18n/message.ts"
import type { LimitStore, StoredLimit } from "./store.ts"

/** All are in memory. */
const maxLimits = 50_000
/** The rest can be set by administrators only. */
const maxDelegatedLimits = 40_000

const failSimilar = (max: number): never =>
  fail("limit_reached", translatable("limit_count_of_target_reached", { max }))

/**
 * Checks that another limit may be created; call it while no other one is.
 * @param setterId the user who sets it
 * @throws {Failure} `limit_reached`
 */
type CheckCounts = (tx: Tx, setterId: string, limit: StoredLimit) => Promise<void>

export const createLimitCounts = (
  store: Pick<LimitStore, "count" | "listOfTarget" | "countOwn" | "countOfGroup">,
): CheckCounts => {
  /** Those that have been set for the same target by the same authority. */
  const countSimilar = async (tx: Tx, limit: StoredLimit): Promise<number> => {
    const ofTarget = await store.listOfTarget(tx, limit.target)
    return ofTarget.filter(
      ({ set_by, group_id }) => set_by === limit.set_by && group_id === limit.group_id,
    ).length
  }

  const checkSimilar = async (tx: Tx, limit: StoredLimit): Promise<void> => {
    const max = maxRows.delegatedLimitsPerTarget
    if ((await countSimilar(tx, limit)) >= max) failSimilar(max)
    const { group_id } = limit
    const maxOfGroup = maxRows.delegatedLimitsPerGroup
    if (group_id !== null && (await store.countOfGroup(tx, group_id)) >= maxOfGroup)
      failSimilar(maxOfGroup)
  }

  return async (tx, setterId, limit) => {
    const isDelegated = limit.set_by !== "administrator"
    if ((await store.count(tx)) >= (isDelegated ? maxDelegatedLimits : maxLimits))
      fail("limit_reached", translatable("limit_count_reached"))
    if (!isDelegated) return
    await checkSimilar(tx, limit)
    const maxOwn = maxRows.ownLimitsPerUser
    if (limit.set_by === "owner" && (await store.countOwn(tx, setterId)) >= maxOwn)
      fail("limit_reached", translatable("limit_count_of_keys_reached", { max: maxOwn }))
  }
}
