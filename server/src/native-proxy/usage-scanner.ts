import { nestedEnd } from "../http/json-members.ts"
import type { Tokens } from "../usage/schema.ts"
import { countedTokens } from "../usage/token-counts.ts"

/** The counts come last in a reply; what a long `context` array before them holds is not needed. */
const keptBytes = 4096
const newline = 0x0a
const read = /"prompt_eval_count":\s?(\d+)/g
const written = /"eval_count":\s?(\d+)/g

const last = (text: string, pattern: RegExp): number | undefined => {
  const found = [...text.matchAll(pattern)].at(-1)?.[1]
  return found === undefined ? undefined : Number(found)
}

/** Watches a native reply pass by, for what it says of its tokens at its end. */
export class Tail {
  #kept: Buffer = Buffer.alloc(0)
  /** Lines that came; about one a token in a stream. */
  lines = 0
  /** Whether the last byte ended a line. */
  atLineEnd = true

  push(chunk: Buffer): void {
    for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, at + 1)) this.lines++
    this.atLineEnd = chunk.at(-1) === newline
    const joined = chunk.length >= keptBytes ? chunk : Buffer.concat([this.#kept, chunk])
    this.#kept = joined.subarray(-keptBytes)
  }

  tokens(): Tokens | null {
    const text = this.#kept.toString("utf8")
    const counts = {
      prompt_eval_count: last(text, read),
      eval_count: last(text, written),
    }
    return countedTokens(counts) ?? this.#usage()
  }

  #usage(): Tokens | null {
    const at = this.#kept.lastIndexOf('"usage":{')
    if (at < 0) return null
    const start = this.#kept.indexOf("{", at)
    try {
      const usage = this.#kept.toString("utf8", start, nestedEnd(this.#kept, start))
      return countedTokens(JSON.parse(usage))
    } catch {
      return null
    }
  }
}
