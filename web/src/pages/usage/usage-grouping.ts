import {
  fieldByDimension,
  type UsageDimension,
  usageDimensions,
} from "../../../../server/src/usage/dimensions.ts"
import type { MessageKey } from "../../i18n/translate.ts"
import type { ListSearchParams } from "../../lib/list-search-params.ts"
import type { UsageParam } from "./usage-params.ts"

/** What usage is divided by; "none" for all of it together. */
export type Grouping = UsageDimension | "none"

/** About all users. */
const adminDimensions = new Set<Grouping>(["user", "group", "connection"])
export const adminGroupings: readonly Grouping[] = [...usageDimensions, "none"]
export const ownGroupings = adminGroupings.filter((by) => !adminDimensions.has(by))

export const groupingLabels: Record<Grouping, MessageKey> = {
  model: "label.byModel",
  user: "usage.byUser",
  group: "usage.byGroup",
  key: "usage.byKey",
  connection: "usage.byConnection",
  outcome: "usage.byOutcome",
  none: "usage.overTime",
}

export const dimensionLabels: Record<UsageDimension, MessageKey> = {
  model: "usage.model",
  user: "usage.user",
  group: "usage.payingGroup",
  key: "usage.key",
  connection: "usage.connection",
  outcome: "usage.outcome",
}

export type FilterName = (typeof fieldByDimension)[UsageDimension]

/** The filters that an address sets. */
export const filtersOf = (
  search: ListSearchParams<UsageParam>,
): Partial<Record<FilterName, string>> =>
  Object.fromEntries(
    usageDimensions.flatMap((dimension) => {
      const name = fieldByDimension[dimension]
      const value = search[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )

/** What to divide by once only one of a dimension is left. */
export const nextGrouping = (by: UsageDimension, groupings: readonly Grouping[]): Grouping => {
  if (by !== "model") return "model"
  return groupings.includes("user") ? "user" : "key"
}
