import { BaseSequencer, type TestSpecification } from "vitest/node"

/**
 * The slowest files, slowest first, for runs without a cache of earlier durations. A slow file that
 * starts last keeps the other workers idle.
 */
const slowestFiles: readonly string[] = [
  "server/test/gateway/chaos-upstreams.test.ts",
  "server/test/gateway/stop.test.ts",
  "web/e2e/every-page.test.ts",
  "server/test/ownership/large-account.test.ts",
  "server/test/ownership/large-deletions.test.ts",
  "server/test/db/full-disk.test.ts",
  "server/test/db/full-tables.test.ts",
  "server/test/knowledge/collection-limits.test.ts",
  "server/test/db/frozen-connections.test.ts",
  "server/test/knowledge/built-in-model.test.ts",
  "server/test/responses/expansion-memory.test.ts",
  "server/test/gateway/large-streams.test.ts",
  "server/test/gateway/api-fuzz.test.ts",
  "web/e2e/keyboard.test.ts",
  "server/test/api-docs/api-docs.test.ts",
  "server/test/gateway/chaos-clients.test.ts",
  "server/test/gateway/crash.test.ts",
  "server/test/functions/hostile-code.test.ts",
  "server/test/http/hostile-bodies.test.ts",
  "server/test/connections/load-balancing.test.ts",
  "server/test/audit/hash-chain.test.ts",
  "server/test/gateway/process-failover.test.ts",
  "web/e2e/functions.test.ts",
  "web/e2e/knowledge.test.ts",
]

const rankOf = ({ moduleId }: TestSpecification): number => {
  const rank = slowestFiles.findIndex((file) => moduleId.endsWith(`/${file}`))
  return rank === -1 ? slowestFiles.length : rank
}

/** Orders the files of all projects together: first those listed above, then in Vitest's order. */
export class LongestFirst extends BaseSequencer {
  override async sort(specifications: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(specifications)
    return sorted.toSorted((left, right) => rankOf(left) - rankOf(right))
  }
}
