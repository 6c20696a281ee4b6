// Runs `npm test`, `npm run check` and the other scripts on Node 24, after installing dependencies.
import { exitWithError, installDependencies, runOnNode24 } from "./launch.mjs"
import { withPathsFirst } from "./test-arguments.mjs"

const tests = {
  dev: true,
  args: ["node_modules/vitest/vitest.mjs", "run"],
  toArguments: withPathsFirst,
}
const longForm = { TEST_FORM: "long" }
const isCi = !["", "0", "false"].includes(process.env.CI ?? "")

const commands = {
  test: { ...tests, env: isCi ? longForm : {} },
  "test:all": { ...tests, env: longForm },
  "test:engines": {
    dev: true,
    args: [
      "node_modules/vitest/vitest.mjs",
      "run",
      "--config",
      "server/test/engines/vitest.config.ts",
    ],
  },
  check: { dev: true, args: ["scripts/check.mjs"] },
  format: { dev: true, args: ["node_modules/@biomejs/biome/bin/biome", "check", "--write"] },
  bench: { dev: true, args: ["server/bench/proxy.ts"] },
  "bench:answers": { dev: true, args: ["server/bench/answers.ts"] },
  "bench:extract": { dev: true, args: ["packages/extract/bench/main.ts"] },
  "bench:first-start": { dev: true, args: ["server/bench/first-start.ts"] },
  "bench:http1": { dev: true, args: ["packages/http1/bench/main.ts"] },
  "bench:limits": { dev: true, args: ["server/bench/limits.ts"] },
  "bench:json-strings": { dev: true, args: ["server/bench/json-strings.ts"] },
  "bench:notifications": { dev: true, args: ["server/bench/notifications.ts"] },
  "bench:rag": { dev: true, args: ["server/bench/rag.ts"] },
  "bench:search": { dev: true, args: ["packages/search/bench/main.ts"] },
  "fuzz:scim": {
    dev: true,
    args: [
      "node_modules/vitest/vitest.mjs",
      "run",
      "packages/scim/src/filter-fuzz.test.ts",
      "server/test/scim/fuzz.test.ts",
    ],
    env: { SCIM_FUZZ_ROUNDS: "100000" },
  },
  chaos: { dev: true, args: ["server/chaos/upstreams.ts"] },
  "chaos:clients": { dev: true, args: ["server/chaos/clients.ts"] },
  "fuzz:api": { dev: true, args: ["server/fuzz/api.ts"] },
  "fuzz:documents": { dev: true, args: ["server/fuzz/documents.ts"] },
  "fuzz:http": { dev: true, args: ["packages/http1/fuzz/main.ts"] },
  "bench:web": { dev: true, args: ["web/bench/main.ts"] },
  "bench:neighbours": { dev: true, args: ["server/bench/noisy-neighbor.ts"] },
  "bench:functions": { dev: true, args: ["server/bench/functions.ts"] },
  "bench:scim": { dev: true, args: ["server/bench/scim.ts"] },
  kill: { dev: true, args: ["server/kill/main.ts"] },
  screenshots: { dev: true, args: ["web/e2e/screenshots.ts"] },
  backup: { dev: false, args: ["server/src/backup.ts"] },
  "audit:verify": { dev: false, args: ["server/src/audit-verify.ts"] },
  "usage:rebuild": { dev: false, args: ["server/src/usage-rebuild.ts"] },
  "prices:update": { dev: true, args: ["scripts/update-prices.mjs"] },
}

const [name = "", ...rest] = process.argv.slice(2)
const command =
  commands[name] ??
  exitWithError(`unknown script "${name}"; available: ${Object.keys(commands).join(", ")}`)
await installDependencies({ dev: command.dev })
for (const [variable, value] of Object.entries(command.env ?? {})) process.env[variable] ??= value
const { toArguments = (args) => args } = command
await runOnNode24([...command.args, ...toArguments(rest)])
