import { failInvalid } from "../errors.ts"
import { type TranslatableMessage, translatable } from "../i18n/message.ts"
import { nanoPerDollar } from "../usage/exact-dollars.ts"
import { limitAmountAt, type StoredLimit } from "./store.ts"

const messageOf = (metric: StoredLimit["metric"], max: number): TranslatableMessage =>
  metric === "cost"
    ? translatable("limit_above_group_cost", { dollars: max / nanoPerDollar })
    : translatable("limit_above_group", { max })

/** Whether all that counts toward a manager's limit counts toward the group's too. */
const includes = (ofGroup: StoredLimit, { metric, window, model }: StoredLimit): boolean =>
  ofGroup.metric === metric &&
  ofGroup.window === window &&
  (ofGroup.model === undefined || ofGroup.model === model)

/**
 * A manager's limit is at most the group's own, which administrators set.
 * @param at epoch ms
 * @throws {Failure} `invalid`
 */
export const checkGroupBound = (
  limit: StoredLimit,
  limitsOfGroup: readonly StoredLimit[],
  at: number,
): void => {
  for (const ofGroup of limitsOfGroup.filter((other) => includes(other, limit))) {
    if (limit.amount > ofGroup.amount)
      failInvalid("amount", messageOf(limit.metric, ofGroup.amount))
    const raised = limitAmountAt(ofGroup, at)
    if (limit.raise && limit.raise.amount > raised)
      failInvalid("raise.amount", messageOf(limit.metric, raised))
  }
}
