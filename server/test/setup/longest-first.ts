import { BaseSequencer, type TestSpecification } from "vitest/node"

/**
 * The slowest files, slowest first, for runs without a cache of earlier durations. A slow file that
 * starts last keeps the other workers idle.
 */
const slowestFiles: readonly string[] = [
  "server/test/gateway/chaos-upstreams.test.ts",
  "web/e2e/every-page.test.ts",
  "server/test/gateway/start.test.ts",
  "web/e2e/keyboard.test.ts",
  "server/test/ownership/large-account.test.ts",
  "server/test/gateway/chaos-clients.test.ts",
  "server/test/knowledge/built-in-model.test.ts",
  "server/test/knowledge/paraphrased-questions.test.ts",
  "server/test/clients/clients.test.ts",
  "server/test/db/full-tables.test.ts",
  "server/test/gateway/api-fuzz.test.ts",
  "server/test/db/full-disk.test.ts",
  "server/test/gateway/stop-half-sent.test.ts",
  "server/test/knowledge/collection-limits.test.ts",
  "server/test/gateway/kill.test.ts",
  "server/test/ownership/large-deletions.test.ts",
  "web/e2e/conversation.test.ts",
  "web/e2e/admin.test.ts",
  "web/e2e/composer.test.ts",
  "web/e2e/session.test.ts",
  "web/e2e/chat-features.test.ts",
  "web/e2e/sign-on.test.ts",
  "web/e2e/typing-while-loading.test.ts",
  "web/e2e/admin-overview.test.ts",
  "web/e2e/forms.test.ts",
  "web/e2e/pdf-viewer.test.ts",
  "web/e2e/prompts.test.ts",
  "web/e2e/audit.test.ts",
  "web/e2e/models.test.ts",
  "web/e2e/knowledge.test.ts",
  "web/e2e/functions.test.ts",
  "web/e2e/chat-page.test.ts",
  "server/test/knowledge/model-installation.test.ts",
  "server/test/completions/recorded-replies/recorded-replies.test.ts",
  "server/test/models/large-models.test.ts",
  "server/test/functions/hostile-code.test.ts",
  "server/test/gateway/stop.test.ts",
  "server/test/audit/search-and-export.test.ts",
  "server/test/conversations/sources.test.ts",
  "server/test/knowledge/retrieval.test.ts",
  "server/test/gateway/noisy-neighbors.test.ts",
  "server/test/gateway/large-streams.test.ts",
  "server/test/db/frozen-connections.test.ts",
  "server/test/audit/hash-chain.test.ts",
  "server/test/knowledge/embeddings.test.ts",
  "server/test/limits/ledger-properties.test.ts",
  "server/test/gateway/process-failover.test.ts",
  "server/test/knowledge/question-sets.test.ts",
  "server/test/gateway/crash.test.ts",
  "server/test/gateway/large-conversions.test.ts",
  "server/test/storage/usage.test.ts",
  "server/src/formats/responses/round-trip.test.ts",
  "server/test/http/hostile-bodies.test.ts",
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
