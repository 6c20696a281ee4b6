import type { Fields } from "../../formats/json-values.ts"
import { expandCompactions } from "../../formats/responses/compaction.ts"
import { removeUnreadableReasoning } from "../../formats/responses/remove-unreadable-reasoning.ts"
import { createMemberSearch } from "./member-search.ts"

const hasReasoning = createMemberSearch('"reasoning"', /"type"\s*:\s*"reasoning"/)

const gatewayMark = Buffer.from('"portico.')

/** Whether a request of the Responses API may have items that no provider can read. */
export const mayHaveUnreadableItems = (bytes: Buffer): boolean =>
  bytes.includes(gatewayMark) || hasReasoning(bytes)

/** The input as a provider can read it; the same value if nothing has to change. */
export const toProviderInput = ({ input }: Fields): unknown =>
  expandCompactions(removeUnreadableReasoning(input))
