import { UsageTail } from "../completions/response/body-usage.ts"
import type { StreamScanner } from "../completions/response/response-consumer.ts"
import { parseTokenCounts } from "../usage/parse-token-counts.ts"
import type { TokenCounts } from "../usage/token-counts.ts"

const empty = Buffer.alloc(0)
const newline = 0x0a
const countMark = Buffer.from('eval_count"')
const promptCount = /"prompt_eval_count":\s?(\d+)/g
const outputCount = /"eval_count":\s?(\d+)/g

const lastMatch = (text: string, pattern: RegExp): number | undefined => {
  const found = [...text.matchAll(pattern)].at(-1)?.[1]
  return found === undefined ? undefined : Number(found)
}

/** Ollama's counts. */
const findCounts = (bytes: Buffer): TokenCounts | null => {
  if (!bytes.includes(countMark)) return null
  const text = bytes.toString("utf8")
  return parseTokenCounts({
    prompt_eval_count: lastMatch(text, promptCount),
    eval_count: lastMatch(text, outputCount),
  })
}

/** Scans a native response, which is never changed, for its token counts. */
export class NativeUsageScanner implements StreamScanner {
  readonly hasError = false
  readonly startTokens = null
  readonly eventsAfterTokens = 0
  readonly #usage = new UsageTail()
  #counts: TokenCounts | null = null
  /** Lines received; about one per token in a stream. */
  eventCount = 0
  /** Whether the last byte did not end a line. */
  isEventOpen = false
  #isComplete = false

  push(chunk: Buffer): Buffer {
    for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, at + 1))
      this.eventCount++
    this.isEventOpen = chunk.at(-1) !== newline
    this.#counts = findCounts(this.#usage.push(chunk)) ?? this.#counts
    return chunk
  }

  /** Whether a native response is complete is not known. */
  end(): Buffer {
    this.#isComplete = true
    return empty
  }

  breakOff(): Buffer {
    return empty
  }

  get tokens(): TokenCounts | null {
    if (!this.#isComplete) return null
    return this.#counts ?? this.#usage.tokens
  }
}
