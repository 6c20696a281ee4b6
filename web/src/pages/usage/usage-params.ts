/** Parameters of the page's address. */
export const usageParams = [
  "range",
  "from",
  "to",
  "by",
  "measure",
  "model",
  "user_id",
  "group_id",
  "key_id",
  "connection_id",
  "outcome",
] as const
export type UsageParam = (typeof usageParams)[number]
