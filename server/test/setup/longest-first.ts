import { BaseSequencer, type TestSpecification } from "vitest/node"

/**
 * The slowest files of a run without a cache of earlier ones, slowest first. One that starts last
 * leaves the other workers idle while it ends.
 */
const slowest: readonly string[] = [
  "server/test/chaos.test.ts",
  "server/test/stop.test.ts",
  "web/e2e/every-page.test.ts",
  "server/test/full-disk.test.ts",
  "server/test/full-tables.test.ts",
  "server/test/full-collections.test.ts",
  "server/test/api-fuzz.test.ts",
  "web/e2e/keyboard.test.ts",
  "server/test/docs.test.ts",
  "server/test/chaos-clients.test.ts",
  "server/test/crash.test.ts",
  "server/test/function-hostile.test.ts",
  "server/test/hostile-bodies.test.ts",
  "server/test/connection-choice.test.ts",
  "server/test/audit-chain.test.ts",
  "server/test/failover.test.ts",
  "web/e2e/functions.test.ts",
  "web/e2e/knowledge.test.ts",
]

const rankOf = ({ moduleId }: TestSpecification): number => {
  const rank = slowest.findIndex((file) => moduleId.endsWith(`/${file}`))
  return rank === -1 ? slowest.length : rank
}

/** Orders the files of all projects together: those named above, then vitest's own order. */
export class LongestFirst extends BaseSequencer {
  override async sort(specifications: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(specifications)
    return sorted.toSorted((left, right) => rankOf(left) - rankOf(right))
  }
}
