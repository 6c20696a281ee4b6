import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    pool: "forks",
    // Some files start whole gateways: more of them at once only makes each late.
    maxWorkers: 2,
    projects: [
      {
        extends: true,
        test: {
          name: "server",
          include: ["server/src/**/*.test.ts", "server/test/**/*.test.ts"],
          globalSetup: ["server/test/setup/postgres.ts", "server/test/setup/pgvector.ts"],
          testTimeout: 20_000,
          hookTimeout: 30_000,
        },
      },
      {
        extends: true,
        test: {
          name: "web",
          include: ["web/src/**/*.test.ts", "web/e2e/**/*.test.ts"],
          globalSetup: ["web/e2e/setup/build.ts"],
          // A busy machine draws slowly; nothing waits longer than it must.
          testTimeout: 120_000,
          hookTimeout: 120_000,
          expect: { poll: { timeout: 20_000 } },
        },
      },
    ],
  },
})
