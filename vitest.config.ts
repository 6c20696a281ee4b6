import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"
import { isLongForm } from "./server/test/harness/short-and-long-form.ts"
import { FormReporter } from "./server/test/setup/form-reporter.ts"
import { LongestFirst } from "./server/test/setup/longest-first.ts"
import { excludedFiles } from "./server/test/setup/short-form.ts"

/** They fake the clock or measure the memory of their process; all others share their worker's modules. */
const isolatedFiles = [
  "packages/extract/src/extractor.test.ts",
  "server/src/http/response-writer.test.ts",
  "server/test/http/disconnect.test.ts",
  "server/test/functions/hostile-code.test.ts",
  "server/test/gateway/stepped-clock.test.ts",
  "server/test/files/shared-folder-cleanup.test.ts",
]

const everywhere = {
  pool: "forks" as const,
  // Tests wait for much: one more worker than there are cores keeps the cores busy.
  maxWorkers: Math.max(2, availableParallelism()) + 1,
  // The long form runs a failed test once more, marks it `(retry x1)`, and fails if it fails again.
  retry: isLongForm ? 1 : 0,
}
const server = {
  ...everywhere,
  testTimeout: 20_000,
  hookTimeout: 30_000,
  expect: { poll: { timeout: 10_000 } },
}

export default defineConfig({
  test: {
    globalSetup: ["server/test/setup/postgres.ts", "server/test/setup/pgvector.ts"],
    reporters: ["default", new FormReporter()],
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          ...server,
          name: "server",
          include: ["packages/*/src/**/*.test.ts", "server/{src,test}/**/*.test.ts"],
          exclude: [...excludedFiles, ...isolatedFiles, "**/node_modules/**"],
          isolate: false,
        },
      },
      {
        test: {
          ...server,
          name: "server-isolated",
          include: isolatedFiles,
          exclude: excludedFiles,
        },
      },
      {
        test: {
          ...everywhere,
          name: "web",
          include: ["web/src/**/*.test.ts", "web/e2e/**/*.test.ts"],
          exclude: excludedFiles,
          globalSetup: ["web/e2e/setup/build.ts"],
          isolate: false,
          // A busy machine draws slowly; nothing waits longer than it must.
          testTimeout: 120_000,
          hookTimeout: 120_000,
          expect: { poll: { timeout: 20_000 } },
        },
      },
    ],
  },
})
