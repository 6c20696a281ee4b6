import { parseJson } from "../../formats/json-values.ts"
import { endOfNested, skipSpace } from "../../http/json-members.ts"
import { parseTokenCounts } from "../../usage/parse-token-counts.ts"
import type { TokenCounts } from "../../usage/token-counts.ts"

/** More than counts need. */
const maxTailBytes = 4096
/** Objects of this name without counts, such as tools' arguments. */
const maxObjects = 20
/** More than an object of counts has. */
const maxObjectBytes = 64 * 1024

const usageMark = Buffer.from('"usage"')
const openBrace = 0x7b
const colon = 0x3a
const empty = Buffer.alloc(0)

/** Where the object starts that a member at `from` has as its value; null if it has another. */
const objectAfter = (body: Buffer, from: number): number | null => {
  const separator = skipSpace(body, from)
  if (body[separator] !== colon) return null
  const start = skipSpace(body, separator + 1)
  return body[start] === openBrace ? start : null
}

/**
 * The token counts of a completion, from its last `usage` that has any: texts of the client, such as
 * its `metadata`, may contain others. `body` may lack its beginning.
 */
export const findUsage = (body: Buffer): TokenCounts | null => {
  let objects = 0
  let at = body.lastIndexOf(usageMark)
  while (at >= 0 && objects < maxObjects) {
    const start = objectAfter(body, at + usageMark.length)
    if (start !== null) {
      objects++
      const object = body.subarray(start, start + maxObjectBytes)
      const text = object.toString("utf8", 0, endOfNested(object, 0))
      const counts = parseTokenCounts(parseJson(text))
      if (counts) return counts
    }
    at = at === 0 ? -1 : body.lastIndexOf(usageMark, at - 1)
  }
  return null
}

/** Finds the token counts of a response of which only the last bytes are kept. */
export class UsageTail {
  #tail: Buffer = empty
  /** The last ones so far: what follows them, such as `metadata`, may be long. */
  tokens: TokenCounts | null = null

  /** @returns the chunk with what precedes it, or with the end of that */
  push(chunk: Buffer): Buffer {
    const joined = this.#tail.length === 0 ? chunk : Buffer.concat([this.#tail, chunk])
    this.tokens = findUsage(joined) ?? this.tokens
    // A slice of a large chunk would keep all of it in memory.
    this.#tail = Buffer.from(joined.subarray(-maxTailBytes))
    return joined
  }
}
