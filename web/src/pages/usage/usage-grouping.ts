import type { MessageKey } from "../../i18n/translate.ts"
import type { ListSearchParams } from "../../lib/list-search-params.ts"
import type { UsageParam } from "./usage-params.ts"

export const dimensions = ["model", "user", "group", "key", "connection", "outcome"] as const
export type Dimension = (typeof dimensions)[number]
/** What usage is divided by; "none" for all of it together. */
export type Grouping = Dimension | "none"

/** About all users. */
const adminDimensions = new Set<Grouping>(["user", "group", "connection"])
export const adminGroupings: readonly Grouping[] = [...dimensions, "none"]
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

export const dimensionLabels: Record<Dimension, MessageKey> = {
  model: "usage.model",
  user: "usage.user",
  group: "usage.payingGroup",
  key: "usage.key",
  connection: "usage.connection",
  outcome: "usage.outcome",
}

/** The parameter, of the API and of the page's address, that keeps one of a dimension. */
export const filterNames = {
  model: "model",
  user: "user_id",
  group: "group_id",
  key: "key_id",
  connection: "connection_id",
  outcome: "outcome",
} as const satisfies Record<Dimension, string>
export type FilterName = (typeof filterNames)[Dimension]

/** The filters that an address sets. */
export const filtersOf = (
  search: ListSearchParams<UsageParam>,
): Partial<Record<FilterName, string>> =>
  Object.fromEntries(
    dimensions.flatMap((dimension) => {
      const name = filterNames[dimension]
      const value = search[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )

/** What to divide by once only one of a dimension is left. */
export const nextGrouping = (by: Dimension, groupings: readonly Grouping[]): Grouping => {
  if (by !== "model") return "model"
  return groupings.includes("user") ? "user" : "key"
}
