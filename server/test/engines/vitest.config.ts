import { defineConfig } from "vitest/config"

/** Real engines, each installed by its test from a registry of packages: `npm run test:engines`. */
export default defineConfig({
  test: {
    root: new URL("../../..", import.meta.url).pathname,
    include: ["server/test/engines/*.engine.ts"],
    globalSetup: ["server/test/setup/postgres.ts"],
    reporters: ["verbose"],
    pool: "forks",
    // Engines take the whole machine; and some time to install.
    fileParallelism: false,
    testTimeout: 300_000,
    expect: { poll: { timeout: 10_000 } },
    hookTimeout: 3_600_000,
  },
})
