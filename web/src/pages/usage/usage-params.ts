import { fieldByDimension } from "../../../../server/src/usage/dimensions.ts"

/** Parameters of the page's address. */
export const usageParams = [
  ...(["range", "from", "to", "by", "measure"] as const),
  ...Object.values(fieldByDimension),
] as const
export type UsageParam = (typeof usageParams)[number]
