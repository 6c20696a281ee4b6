import { defineConfig } from "vitest/config"

/** `npm run test:engines`: real engines, each installed by its test from a package registry. */
export default defineConfig({
  test: {
    root: new URL("../../..", import.meta.url).pathname,
    include: ["server/test/engines/*.engine.ts"],
    globalSetup: ["server/test/setup/postgres.ts"],
    reporters: ["verbose"],
    pool: "forks",
    // Engines use the whole machine and take time to install.
    fileParallelism: false,
    testTimeout: 300_000,
    expect: { poll: { timeout: 10_000 } },
    hookTimeout: 3_600_000,
  },
})
