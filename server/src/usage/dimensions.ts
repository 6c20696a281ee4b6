/**
 * What usage is divided by: the column of records and sums, which is also the parameter of the API
 * and of the page's address that keeps one of them.
 */
export const fieldByDimension = {
  model: "model",
  user: "user_id",
  group: "group_id",
  key: "key_id",
  connection: "connection_id",
  outcome: "outcome",
} as const

export type UsageDimension = keyof typeof fieldByDimension

export const usageDimensions = Object.keys(fieldByDimension) as UsageDimension[]
