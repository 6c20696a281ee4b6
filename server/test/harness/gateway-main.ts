import { run } from "../../src/run.ts"
import { fastOptions } from "./gateway.ts"

// Entry point for tests and fuzzers: `src/main.ts`, with options that have no environment variable.
await run({ ...fastOptions, ...JSON.parse(process.env.TEST_GATEWAY_OPTIONS ?? "{}") })
