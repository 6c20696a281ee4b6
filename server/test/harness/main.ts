import { run } from "../../src/run.ts"
import { cheapOptions } from "./gateway.ts"

// What tests and fuzzers start: `src/main.ts`, with options that only an argument can set.
await run({ ...cheapOptions, ...JSON.parse(process.env.TEST_GATEWAY_OPTIONS ?? "{}") })
