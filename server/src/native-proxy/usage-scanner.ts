import { nestedEnd } from "../http/json-members.ts"
import type { Tokens } from "../usage/schema.ts"
import { countedTokens } from "../usage/token-counts.ts"

/** The counts come last in a response. A longer `context` array before them is not needed. */
const keptBytes = 4096
const newline = 0x0a
const read = /"prompt_eval_count":\s?(\d+)/g
const written = /"eval_count":\s?(\d+)/g

const last = (text: string, pattern: RegExp): number | undefined => {
  const found = [...text.matchAll(pattern)].at(-1)?.[1]
  return found === undefined ? undefined : Number(found)
}

/** Scans a native response for the token counts at its end. */
export class Tail {
  #tail: Buffer = Buffer.alloc(0)
  /** Lines received; about one per token in a stream. */
  lines = 0
  /** Whether the last byte ended a line. */
  atLineEnd = true

  push(chunk: Buffer): void {
    for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, at + 1)) this.lines++
    this.atLineEnd = chunk.at(-1) === newline
    const joined = chunk.length >= keptBytes ? chunk : Buffer.concat([this.#tail, chunk])
    this.#tail = joined.subarray(-keptBytes)
  }

  tokens(): Tokens | null {
    const text = this.#tail.toString("utf8")
    const counts = {
      prompt_eval_count: last(text, read),
      eval_count: last(text, written),
    }
    return countedTokens(counts) ?? this.#parseUsage()
  }

  #parseUsage(): Tokens | null {
    const at = this.#tail.lastIndexOf('"usage":{')
    if (at < 0) return null
    const start = this.#tail.indexOf("{", at)
    try {
      const usage = this.#tail.toString("utf8", start, nestedEnd(this.#tail, start))
      return countedTokens(JSON.parse(usage))
    } catch {
      return null
    }
  }
}
