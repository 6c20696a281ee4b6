import { createHash } from "node:crypto"
import type { RewrittenQuery } from "./schema.ts"

const maxEntries = 500
const maxAgeMs = 10 * 60_000

/** Hashes what an answer depends on. */
export const rewritingKey = (parts: readonly unknown[]): string =>
  createHash("sha256").update(JSON.stringify(parts)).digest("base64")

/** Keeps the latest rewritten queries, as an answer is often requested again. */
export const createRewritingCache = (nowMs: () => number) => {
  const entries = new Map<string, { queries: readonly RewrittenQuery[]; storedAt: number }>()
  return {
    get: (key: string): readonly RewrittenQuery[] | undefined => {
      const entry = entries.get(key)
      return entry && nowMs() - entry.storedAt < maxAgeMs ? entry.queries : undefined
    },
    set: (key: string, queries: readonly RewrittenQuery[]): void => {
      entries.delete(key)
      entries.set(key, { queries, storedAt: nowMs() })
      const [oldest] = entries.keys()
      if (entries.size > maxEntries && oldest !== undefined) entries.delete(oldest)
    },
  }
}
