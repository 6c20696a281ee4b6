import { parseJson } from "../../formats/json-values.ts"
import { endOfNested } from "../../http/json-members.ts"
import { parseTokenCounts } from "../../usage/parse-token-counts.ts"
import type { TokenCounts } from "../../usage/token-counts.ts"

/** The counts come last in a response. What comes before them, such as `context`, is not needed. */
const maxTailBytes = 4096

/** The end of a body that is not kept as a whole, with its next chunk. */
export const appendToTail = (tail: Buffer, chunk: Buffer): Buffer => {
  const joined = chunk.length >= maxTailBytes ? chunk : Buffer.concat([tail, chunk])
  return joined.subarray(-maxTailBytes)
}

const usageMark = Buffer.from('"usage"')
const openBrace = 0x7b

/** The token counts of a completion, from its last `usage`; `body` may lack its beginning. */
export const findUsage = (body: Buffer): TokenCounts | null => {
  const at = body.lastIndexOf(usageMark)
  if (at < 0) return null
  const start = body.indexOf(openBrace, at)
  if (start < 0) return null
  return parseTokenCounts(parseJson(body.toString("utf8", start, endOfNested(body, start))))
}
